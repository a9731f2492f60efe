import { counted, milliseconds, number } from '../../amounts.ts';
import { quotaPeriod } from '../../checks/quota/account.ts';
import type { History } from '../../history/history.ts';
import { type Chart, chartFigure } from '../chart.ts';
import { instant } from '../format.ts';
import { foreign, type Html, html } from '../markup.ts';
import {
  type AttemptPoint,
  admittedByAttempt,
  attemptsAround,
  type QuotaRace,
  quotaRaces,
} from '../quota-edge.ts';
import { atNs, type SectionBody, table } from '../section.ts';

/** Where the quota of each account ended: admitted against attempts, the first 402, and what raced with it. */
export async function quotaEdgePart(history: History): Promise<SectionBody> {
  const points = Map.groupBy(await admittedByAttempt(history), ({ keys }) => keys);
  const races = await quotaRaces(history);
  // A curve over several periods of the quota goes beyond it.
  const isOnePeriod = (await quotaPeriod(history)).renewed.length === 0;
  const quota = isOnePeriod ? history.profile.quota.sessions : undefined;
  const charts: Chart[] = [];
  const parts: Html[] = [];
  for (const race of races) {
    const chart = edgeChart(race.keys, points.get(race.keys) ?? [], quota);
    charts.push(chart);
    parts.push(html`${chartFigure(chart)}
<p>The first attempt with 402 on ${inWords(race.keys)} was number ${number(race.first)}. ${raceInWords(race)}</p>
${table(
  `Attempts on ${inWords(race.keys)} around the first 402, in the order of sending`,
  await attemptsAround(history, race),
  [
    ['Attempt', (each) => number(each.n), 'number'],
    ['seq', (each) => String(each.seq), 'number'],
    ['Sent at', (each) => instant(each.sent_ns), 'number'],
    [
      'Took ms',
      (each) => (each.answered_ns === null ? '' : milliseconds((each.answered_ns - each.sent_ns) / 1e6)),
      'number',
    ],
    ['Answer', (each) => foreign(each.end_of_it)],
    ['Admitted so far', (each) => number(each.so_far), 'number'],
  ],
  (each) => atNs(each.sent_ns),
)}`);
  }
  return { charts, body: html`${parts.length > 0 && html`<h3>The end of the quota</h3>`}${parts}` };
}

function inWords(keys: string): string {
  return `${keys.includes(' ') ? `the keys ${keys}` : `the ${keys} key`}`;
}

function raceInWords({ in_flight, admitted, refused, limited }: QuotaRace): string {
  if (in_flight === 1) return 'It was the only request in flight.';
  return `At that time, ${counted(in_flight, 'attempt')} were in flight: ${number(admitted)} of them admitted, ${number(refused)} over quota (402)${limited === 0 ? '' : `, ${number(limited)} rejected (429)`}.`;
}

function edgeChart(keys: string, points: readonly AttemptPoint[], quota: number | undefined): Chart {
  const refused = points.reduce((sum, point) => sum + point.refused, 0);
  const admitted = points.at(-1)?.admitted ?? 0;
  return {
    id: `quota-edge-${keys.replaceAll(' ', '-')}`,
    title: `Sessions admitted by number of attempts, with ${inWords(keys)}`,
    unit: 'sessions, by the number of the attempt',
    summary: `${counted(admitted, 'session')} admitted and ${number(refused)} over quota (402) on ${inWords(keys)}.`,
    scale: 'linear',
    x: points.map(({ attempt }) => attempt),
    along: 'attempts',
    series: [
      {
        label: 'admitted',
        colour: 'line-a',
        draw: 'line',
        values: points.map((point) => point.admitted),
        summary: number(admitted),
      },
      {
        label: '402 over quota',
        colour: 'over-quota',
        draw: 'marks',
        values: points.map((point) => (point.refused > 0 ? point.admitted : null)),
        summary: number(refused),
      },
    ],
    ...(quota !== undefined && { limits: [{ value: quota, label: `quota, ${number(quota)}` }] }),
    bands: [],
  };
}

import { counted, number, span } from '../../amounts.ts';
import { type Chart, type ChartColour, type ChartSeries, chartFigure, total } from '../chart.ts';
import { perWindow } from '../format.ts';
import { html } from '../markup.ts';
import { nothing, type Section, type SectionBody, type SectionInput } from '../section.ts';
import {
  admittedInWindow,
  type Buckets,
  type Lane,
  outcomes,
  type SeriesOutcome,
  type TrafficPoint,
  traffic,
} from '../series.ts';
import { failureTable } from './failures.ts';

const looks: Readonly<Record<SeriesOutcome, { readonly label: string; readonly colour: ChartColour }>> = {
  '2xx': { label: '2xx admitted', colour: 'ok' },
  '429': { label: '429 rejected', colour: 'limited' },
  '402': { label: '402 over quota', colour: 'over-quota' },
  '4xx': { label: 'other 4xx', colour: 'client-error' },
  '5xx': { label: '5xx', colour: 'server-error' },
  other: { label: '1xx and 3xx', colour: 'other' },
  lost: { label: 'lost (no answer)', colour: 'lost' },
  'not-sent': { label: 'not sent', colour: 'not-sent' },
};

/** Requests by outcome with the limit line, and admissions in the limit's trailing window. */
export const trafficSection: Section = { id: 'traffic', title: 'Requests over time', make };

async function make(input: SectionInput): Promise<SectionBody> {
  const { history, buckets } = input;
  const points = await traffic(history, buckets);
  if (points.length === 0) return nothing('The history holds no requests.');
  const peak = (await admittedInWindow(history)).reduce((most, { n }) => Math.max(most, n), 0);
  // A run whose work is done on other keys: curves on the floor of a chart that the limit line is the top of.
  const isIdle = history.run.phases.length === 0 && peak < leastShare * history.profile.rate_limit.requests;
  const charts = [
    ...(isIdle ? [] : [laneChart(input, 'limited', points), await windowChart(input)]),
    laneChart(input, 'other', points),
  ];
  const drawn = charts.filter((chart) => chart !== undefined);
  return {
    charts: drawn,
    body: html`${isIdle && html`<p class="none">The load key was hardly used: at most ${counted(peak, 'request')} ${peak === 1 ? 'was' : 'were'} admitted in any ${inWindow(history)}, of a limit of ${number(history.profile.rate_limit.requests)}. There is no chart of it.</p>`}
<p>Each step is ${span(buckets.widthMs)}. A request counts at the time at which it was sent, or was due if it was not sent. Drag across a chart to choose a part of the run for all charts and tables; double-click for the whole run. The target saw each request a little after it was sent, so its count in a window may differ from the curve by a few requests. The rate-limit verdicts give the range of what the target can have counted.${
      history.run.phases.some((phase) => phase.unit === 'connections') &&
      ' Requests of a closed loop have no records; they are under Capacity.'
    }</p>
${drawn.map(chartFigure)}
${await failureTable(history)}`,
  };
}

/** Less than this part of the limit is not worth a chart with the limit in it. */
const leastShare = 0.1;

function inWindow({ profile }: SectionInput['history']): string {
  const { windowMs } = profile.rate_limit;
  return windowMs === 60_000 ? 'minute' : span(windowMs);
}

function laneChart(
  { history, buckets, phases }: SectionInput,
  lane: Lane,
  points: readonly TrafficPoint[],
): Chart | undefined {
  const own = points.filter((point) => point.lane === lane);
  if (own.length === 0) return undefined;
  const series = outcomes
    .map((outcome) => outcomeSeries(outcome, own, buckets))
    .filter((one) => one !== undefined);
  const limit = history.profile.rate_limit;
  const limited = lane === 'limited';
  return {
    id: `traffic-${lane}`,
    title: limited
      ? `Requests that spend the ${history.profile.limit_scope === 'shared' ? 'shared limit' : 'limit of the load key'}`
      : 'Other requests: other keys, shoppers’ events, probes without a key',
    unit: 'requests per second',
    summary: `Requests per second over the run, stacked by outcome. Totals: ${series.map((one) => `${one.label} ${one.summary}`).join(', ')}.`,
    scale: 'linear',
    x: bucketStarts(buckets),
    series,
    ...(limited && {
      limits: [
        {
          value: (limit.requests * 1_000) / limit.windowMs,
          label: `limit, ${perWindow(limit.requests, limit.windowMs)} (${number(Math.round((limit.requests * 1e5) / limit.windowMs) / 100)} per second)`,
        },
      ],
    }),
    bands: phases.filter((phase) => (phase.role === 'load') === limited),
  };
}

function outcomeSeries(
  outcome: SeriesOutcome,
  points: readonly TrafficPoint[],
  buckets: Buckets,
): ChartSeries | undefined {
  const counts = new Array<number>(buckets.count).fill(0);
  let any = false;
  for (const point of points) {
    if (point.outcome !== outcome || point.bucket >= buckets.count) continue;
    counts[point.bucket] = point.n;
    any = true;
  }
  if (!any) return undefined;
  const perSecond = counts.map((n) => Math.round((n * 1e5) / buckets.widthMs) / 100);
  return { ...looks[outcome], draw: 'stack', values: perSecond, summary: total(counts) };
}

async function windowChart({ history, buckets, phases }: SectionInput): Promise<Chart | undefined> {
  const points = await admittedInWindow(history);
  const peak = points.reduce((most, point) => Math.max(most, point.n), 0);
  if (peak === 0) return undefined;
  const limit = history.profile.rate_limit;
  const values = new Array<number | null>(buckets.count).fill(null);
  for (const point of points) values[point.bucket] = point.n;
  return {
    id: 'trailing-window',
    title: `Admitted in the trailing ${inWindow(history)}`,
    unit: '2xx answers, by the time of sending; checks allow for the time of arrival',
    summary: `Requests admitted within any ${span(limit.windowMs)} so far; at most ${number(peak)}, against a limit of ${number(limit.requests)}.`,
    scale: 'linear',
    x: bucketStarts(buckets),
    series: [
      {
        label: 'admitted',
        colour: 'ok',
        draw: 'line',
        values,
        summary: `at most ${number(peak)} by send times`,
      },
    ],
    limits: [{ value: limit.requests, label: `limit, ${number(limit.requests)}` }],
    bands: phases.filter((phase) => phase.role === 'load'),
  };
}

/** Where each bucket begins, in seconds. */
export function bucketStarts(buckets: Buckets): number[] {
  return Array.from({ length: buckets.count }, (_, index) => (index * buckets.widthMs) / 1_000);
}

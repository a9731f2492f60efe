import { counted, number, times } from '../../amounts.ts';
import { quotaPeriod, readAccount } from '../../checks/quota/account.ts';
import { type Chart, chartFigure } from '../chart.ts';
import { html } from '../markup.ts';
import { nothingIf, type Section, type SectionBody, type SectionInput } from '../section.ts';
import { quotaOverTime } from '../series.ts';
import { checkLinks } from './check-links.ts';
import { quotaEdgePart } from './quota-edge.ts';
import { bucketStarts } from './traffic.ts';

/** The rest of the session quota over time, with each 402 marked. */
export const quotaSection: Section = { id: 'quota', title: 'Quota left on the quota key', make };

async function make({ history, judgement, buckets, phases }: SectionInput): Promise<SectionBody | undefined> {
  const points = await quotaOverTime(history, buckets);
  if (points.length === 0) {
    return nothingIf(
      history.run.checks.includes('quota'),
      'No session was requested with a quota key, so no quota was spent.',
    );
  }
  const { sessions: quota, fresh } = history.profile.quota;
  const { keys } = await readAccount(history);
  const where = `on ${keys.length === 1 ? 'the quota key' : `the keys ${keys.join(' and ')}`}`;
  const byBucket = new Map(points.map((point) => [point.bucket, point]));
  const level: (number | null)[] = [];
  const refusals: (number | null)[] = [];
  let [created, refused, unknown, spent] = [0, 0, 0, 0];
  const renewals = (await quotaPeriod(history)).renewed.map((epochMs) =>
    Math.floor((epochMs - history.run.zero_epoch_ms) / buckets.widthMs),
  );
  for (let bucket = 0; bucket < buckets.count; bucket++) {
    const point = byBucket.get(bucket);
    // Sessions of before do not count in the new period.
    if (renewals.includes(bucket)) spent = 0;
    created += point?.created ?? 0;
    spent += point?.created ?? 0;
    refused += point?.refused ?? 0;
    unknown += point?.unknown ?? 0;
    const now = quota === undefined ? created : quota - spent;
    level.push(now);
    refusals.push(point !== undefined && point.refused > 0 ? now : null);
  }
  const chart: Chart = {
    id: 'quota-burn-down',
    title: `Sessions ${quota === undefined ? 'created' : 'left'} ${where}`,
    unit: 'sessions',
    summary: `${counted(created, 'session')} created and ${number(refused)} over quota (402)${quota === undefined ? '' : `; the quota is ${number(quota)}${renewals.length === 0 ? '' : `, and renewed ${times(renewals.length)}`}`}.`,
    scale: 'linear',
    x: bucketStarts(buckets),
    series: [
      {
        label: quota === undefined ? 'created' : 'left',
        colour: 'line-a',
        draw: 'steps',
        values: level,
        summary: quota === undefined ? number(created) : `${number(quota - spent)} at the end`,
      },
      ...(refused > 0
        ? ([
            {
              label: '402 over quota',
              colour: 'over-quota',
              draw: 'marks',
              values: refusals,
              summary: number(refused),
            },
          ] as const)
        : []),
    ],
    ...(quota !== undefined && { limits: [{ value: 0, label: `the quota of ${number(quota)} used up` }] }),
    bands: phases.filter((phase) => phase.role === 'quota'),
  };
  const edge = await quotaEdgePart(history);
  const checks = checkLinks(judgement);
  return {
    charts: [chart, ...(edge.charts ?? [])],
    body: html`<p>${counted(created, 'session')} created, ${number(refused)} over quota (402)${
      unknown > 0 &&
      `, ${number(unknown)} without an answer (they may have been created; the line does not count them)`
    }.${
      quota === undefined
        ? ' The profile states no quota, so the line counts up.'
        : ` The profile promises ${number(quota)}${fresh ? ' to a fresh account' : '; the line does not know earlier sessions of the account'}.${renewals.length === 0 ? '' : ` The quota renewed ${times(renewals.length)} in the run (profile: quota.renews), and the line begins anew each time.`}`
    }</p>${chartFigure(chart)}${edge.body}
${(['quota.edge', 'quota.closed', 'quota.race', 'quota.consumption', 'quota.sharing'] as const).map(checks.line)}`,
  };
}

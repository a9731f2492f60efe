import { z } from 'zod';
import { counted, number, times } from '../../amounts.ts';
import { attemptOn, quotaPeriod, readAccount } from '../../checks/quota/account.ts';
import type { History } from '../../history/history.ts';
import { type Chart, chartOf, paragraph } from '../figure.ts';
import {
  type Buckets,
  bucketStarts,
  checkLine,
  nothingIf,
  type Section,
  type SectionInput,
} from '../section.ts';

/** The rest of the session quota over time, with each 402 marked. */
export const quotaSection: Section = {
  id: 'quota',
  title: 'Quota left on the quota key',
  about: ['quota'],
  make: async (input) => {
    const { buckets, history, judgement } = input;
    const points = await quotaOverTime(history, buckets);
    if (points.length === 0)
      return nothingIf(
        history.run.checks.includes('quota'),
        'No session was requested with a quota key, so no quota was spent.',
      );
    const { fresh, sessions: quota } = history.profile.quota;
    const renewed = (await quotaPeriod(history)).renewed.length;
    const sum = (name: 'created' | 'refused' | 'unknown'): number =>
      points.reduce((all, point) => all + point[name], 0);
    const unknown =
      sum('unknown') === 0
        ? ''
        : `, ${number(sum('unknown'))} without an answer (they may have been created; the line does not count them)`;
    const renewals =
      renewed === 0
        ? ''
        : ` The quota renewed ${times(renewed)} in the run (profile: quota.renews), and the line starts again each time.`;
    const promise =
      quota === undefined
        ? ' The profile states no quota, so the line counts up.'
        : ` The profile promises ${number(quota)}${fresh ? ' to a fresh account' : '; the line does not know earlier sessions of the account'}.${renewals}`;
    const checks = [
      'quota.edge',
      'quota.closed',
      'quota.race',
      'quota.consumption',
      'quota.sharing',
    ] as const;
    return [
      paragraph(
        `${counted(sum('created'), 'session')} created, ${number(sum('refused'))} over quota (402)${unknown}.${promise}`,
      ),
      chartOf(await burnDown(input, points)),
      ...checks.map((id) => checkLine(judgement, id)),
    ];
  },
};

const pointRow = z.object({
  bucket: z.number(),
  created: z.number(),
  refused: z.number(),
  unknown: z.number(),
});
type QuotaPoint = z.output<typeof pointRow>;

/** Sessions created, over quota (402) and without an answer on the keys that spend the quota, by bucket. */
export async function quotaOverTime(history: History, buckets: Buckets): Promise<QuotaPoint[]> {
  return history.rows(
    pointRow,
    `SELECT CAST(sent_ns // ${buckets.widthMs * 1e6} AS BIGINT) AS bucket,
       count(*) FILTER (status BETWEEN 200 AND 299) AS created,
       count(*) FILTER (status = 402) AS refused,
       count(*) FILTER (lost IS NOT NULL) AS unknown
     FROM requests WHERE ${attemptOn((await readAccount(history)).keys)} AND sent_ns >= 0
     GROUP BY bucket ORDER BY bucket`,
  );
}

async function burnDown(
  { buckets, history, phases }: SectionInput,
  points: readonly QuotaPoint[],
): Promise<Chart> {
  const { sessions: quota } = history.profile.quota;
  const { keys } = await readAccount(history);
  const renewals = (await quotaPeriod(history)).renewed.map((epochMs) =>
    Math.floor((epochMs - history.run.zero_epoch_ms) / buckets.widthMs),
  );
  const byBucket = new Map(points.map((point) => [point.bucket, point]));
  const level: number[] = [];
  let [created, refused, spent] = [0, 0, 0];
  const refusals = Array.from({ length: buckets.count }, (_, bucket) => {
    const point = byBucket.get(bucket);
    // Sessions of before do not count in the new period.
    if (renewals.includes(bucket)) spent = 0;
    created += point?.created ?? 0;
    spent += point?.created ?? 0;
    refused += point?.refused ?? 0;
    const now = quota === undefined ? created : quota - spent;
    level.push(now);
    return point !== undefined && point.refused > 0 ? now : null;
  });
  const left = quota === undefined ? 'created' : 'left';
  return {
    id: 'quota-burn-down',
    title: `Sessions ${left} on ${keys.length === 1 ? 'the quota key' : `the keys ${keys.join(' and ')}`}`,
    unit: 'sessions',
    summary: `${counted(created, 'session')} created and ${number(refused)} over quota (402)${quota === undefined ? '' : `; the quota is ${number(quota)}${renewals.length === 0 ? '' : `, and renewed ${times(renewals.length)}`}`}.`,
    x: bucketStarts(buckets),
    series: [
      {
        label: left,
        colour: 'line-a',
        draw: 'steps',
        values: level,
        summary: quota === undefined ? number(created) : `${number(quota - spent)} at the end`,
      },
      ...(refused > 0
        ? [
            {
              label: '402 over quota',
              colour: 'over-quota',
              draw: 'marks',
              values: refusals,
              summary: number(refused),
            } as const,
          ]
        : []),
    ],
    ...(quota !== undefined && { limits: [{ value: 0, label: `the quota of ${number(quota)} used up` }] }),
    bands: phases.filter(({ role }) => role === 'quota'),
  };
}

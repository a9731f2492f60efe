import { z } from 'zod';
import { counted, number, times } from '../../amounts.ts';
import { attemptOn, quotaPeriod, readAccount } from '../../checks/quota/account.ts';
import { ownText } from '../../history/columns.ts';
import type { History } from '../../history/history.ts';
import { sqlText } from '../../history/tables.ts';
import { type Chart, chartOf, heading, paragraph, queried, type ReportFigure } from '../figure.ts';
import {
  type Buckets,
  bucketStarts,
  checkLine,
  nothingIf,
  type Section,
  type SectionInput,
} from '../section.ts';

/** The rest of the session quota over time, with each 402 marked, and its end. */
export const quotaSection: Section = {
  id: 'quota',
  title: 'Quota left on the quota key',
  isFolded: 'quota',
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
      ...(await endOfQuota(history)),
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

/** Attempts listed before and after the first 402. */
const listed = 4;

/**
 * SQL: session requests on keys whose quota is to be spent, numbered from 1 in each account, with how many were
 * admitted up to each.
 */
async function attemptsSql(history: History): Promise<string> {
  const { keys } = await readAccount(history);
  const account = `if(credential IN (${keys.map((key) => sqlText(key)).join(', ')}), ${ownText(keys.join(' and '))}, credential)`;
  return `
  SELECT seq, ${account} AS keys, sent_ns, answered_ns, status, lost, row_number() OVER sending AS n,
    count(*) FILTER (status BETWEEN 200 AND 299) OVER (sending ROWS UNBOUNDED PRECEDING) AS so_far
  FROM requests WHERE ${attemptOn([...new Set([...keys, 'twin' as const])])}
  WINDOW sending AS (PARTITION BY ${account} ORDER BY sent_ns, seq)`;
}

const raceRow = z.object({
  keys: z.string(),
  first: z.number(),
  in_flight: z.number(),
  admitted: z.number(),
  refused: z.number(),
  limited: z.number(),
});
/** The first attempt on an account's keys that got a 402, by number, and the outcomes of all in flight with it. */
type QuotaRace = z.output<typeof raceRow>;

/** Where the quota of each account ended: the first 402, and what raced with it. */
async function endOfQuota(history: History): Promise<ReportFigure[]> {
  const attempts = await attemptsSql(history);
  const races = await history.rows(
    raceRow,
    `WITH attempts AS (${attempts}),
     edges AS (SELECT keys, min(n) AS first FROM attempts WHERE status = 402 GROUP BY keys),
     firsts AS (SELECT keys, first, sent_ns AS from_ns, answered_ns AS to_ns FROM attempts JOIN edges USING (keys) WHERE n = first)
     SELECT keys, first, count(*) AS in_flight, count(*) FILTER (status BETWEEN 200 AND 299) AS admitted,
       count(*) FILTER (status = 402) AS refused, count(*) FILTER (status = 429) AS limited
     FROM attempts JOIN firsts USING (keys)
     WHERE sent_ns <= to_ns AND coalesce(answered_ns, to_ns) >= from_ns GROUP BY keys, first ORDER BY keys`,
  );
  const figures: ReportFigure[] = races.length === 0 ? [] : [heading('The end of the quota')];
  for (const race of races) {
    const around = await queried(
      history,
      `Attempts on ${inWords(race.keys)} around the first 402, in the order of sending`,
      [
        ['Attempt', 'n', 'count'],
        ['seq', 'seq', 'seq'],
        ['Sent at', 'sent_ns', 'instant'],
        ['Took ms', '(answered_ns - sent_ns) / 1e6', 'ms'],
        ['Answer', "coalesce(CAST(status AS VARCHAR), 'lost: ' || lost, 'unknown')", 'foreign'],
        ['Admitted so far', 'so_far', 'count'],
      ],
      {
        from: `(${attempts}) WHERE keys = ${ownText(race.keys)} AND n BETWEEN ${race.first - listed} AND ${race.first + listed}`,
        time: ['sent_ns', 'sent_ns'],
        after: 'ORDER BY n',
      },
    );
    figures.push(
      paragraph(
        `The first attempt with 402 on ${inWords(race.keys)} was number ${number(race.first)}. ${raceInWords(race)}`,
      ),
      ...(around === undefined ? [] : [around]),
    );
  }
  return figures;
}

function inWords(keys: string): string {
  return keys.includes(' ') ? `the keys ${keys}` : `the ${keys} key`;
}

function raceInWords({ admitted, in_flight, limited, refused }: QuotaRace): string {
  if (in_flight === 1) return 'It was the only request in flight.';
  return `At that time, ${counted(in_flight, 'attempt')} were in flight: ${number(admitted)} of them admitted, ${number(refused)} over quota (402)${limited === 0 ? '' : `, ${number(limited)} rejected (429)`}.`;
}

import { z } from 'zod';
import { attemptOn, readAccount } from '../checks/quota/account.ts';
import { interactionsLookCounted } from '../checks/rate-limit/traces/interactions.ts';
import type { History } from '../history/history.ts';
import { oncePerHistory } from '../history/tables.ts';
import type { Role } from '../vocabulary/roles.ts';
import { mostInTrailing } from './trailing-most.ts';

/**
 * What happened over time, as aggregates of bounded size: however long the run, no series here has more than
 * `mostBuckets` points. Everything is a question to the history; nothing is judged.
 */
export const mostBuckets = 600;

const bucketChoicesMs = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400,
].map((seconds) => seconds * 1_000);

/** The cut of a run's time into equal buckets. */
export interface Buckets {
  readonly widthMs: number;
  readonly count: number;
}

/** The kinds of ends that the page tells apart. `other`: statuses outside 2xx, 4xx and 5xx. */
export const outcomes = ['2xx', '429', '402', '4xx', '5xx', 'other', 'lost', 'not-sent'] as const;
export type SeriesOutcome = (typeof outcomes)[number];

/** `limited`: requests that spend the rate limit of the main key; the limit line belongs to these alone. */
export type Lane = 'limited' | 'other';

/** How often each kind of end came, by lane and bucket. */
export interface TrafficPoint {
  readonly lane: Lane;
  readonly outcome: SeriesOutcome;
  readonly bucket: number;
  readonly n: number;
}

const extentRow = z.object({ end_ns: z.number().nullable() });

/** Chooses the narrowest bucket that keeps the whole run within `mostBuckets`. */
export const chooseBuckets = oncePerHistory(async (history): Promise<Buckets> => {
  const [extent] = await history.rows(
    extentRow,
    `SELECT greatest(
       (SELECT max(greatest(intended_ns, coalesce(sent_ns, 0), coalesce(answered_ns, 0))) FROM requests),
       (SELECT max(CAST(json_extract(event, '$.endNs') AS BIGINT)) FROM events WHERE kind = 'phase')
     ) AS end_ns`,
  );
  return bucketsFor((extent?.end_ns ?? 0) / 1e6);
});

/** The buckets for a run of this many milliseconds. */
export function bucketsFor(endMs: number): Buckets {
  const widthMs =
    bucketChoicesMs.find((choice) => endMs / choice <= mostBuckets - 1) ??
    Math.ceil(endMs / (mostBuckets - 1));
  return { widthMs, count: Math.floor(endMs / widthMs) + 1 };
}

/** Parts of a run that a reader can choose between: fewer than buckets, since the latencies of each are on the page. */
const mostParts = 120;

/** The grid of those parts: each is a whole number of buckets. */
export function timeGrid({ count, widthMs }: Buckets): Buckets {
  const each = Math.ceil(count / mostParts);
  return { widthMs: widthMs * each, count: Math.ceil(count / each) };
}

/** SQL: the instant at which a request belongs on the time axis: when it was sent, or was to be. */
const at = 'coalesce(sent_ns, intended_ns)';

/** SQL: the request carries the main key (or one that shares its limit) and is one that the limit counts. */
async function limitedLane(history: History): Promise<string> {
  const { limit_scope: scope } = history.profile;
  const credentials = scope === 'shared' ? "'load', 'quota', 'twin', 'bystander'" : "'load'";
  return (await interactionsLookCounted(history))
    ? `(credential IN (${credentials}) OR endpoint = 'interact')`
    : `(credential IN (${credentials}) AND endpoint <> 'interact')`;
}

const outcomeSql = `CASE
  WHEN not_sent IS NOT NULL THEN 'not-sent' WHEN lost IS NOT NULL OR status IS NULL THEN 'lost'
  WHEN status = 429 THEN '429' WHEN status = 402 THEN '402'
  WHEN status BETWEEN 200 AND 299 THEN '2xx' WHEN status BETWEEN 400 AND 499 THEN '4xx'
  WHEN status BETWEEN 500 AND 599 THEN '5xx' ELSE 'other' END`;

const trafficRow = z.object({
  lane: z.enum(['limited', 'other']),
  outcome: z.enum(outcomes),
  bucket: z.number(),
  n: z.number(),
});

export async function traffic(history: History, buckets: Buckets): Promise<TrafficPoint[]> {
  return history.rows(
    trafficRow,
    `SELECT CASE WHEN ${await limitedLane(history)} THEN 'limited' ELSE 'other' END AS lane, ${outcomeSql} AS outcome,
       CAST(${at} // ${buckets.widthMs * 1e6} AS BIGINT) AS bucket, count(*) AS n
     FROM requests WHERE ${at} >= 0 GROUP BY ALL ORDER BY ALL`,
  );
}

/**
 * The most requests admitted in the rate limit's window up to any instant of each bucket, by the instants they were
 * sent. The target saw them a little later, each by its own delay: the check allows for that, a curve cannot.
 */
export const admittedInWindow = oncePerHistory(async (history) => {
  const buckets = await chooseBuckets(history);
  const windowNs = history.profile.rate_limit.windowMs * 1e6;
  const widthNs = buckets.widthMs * 1e6;
  const [sentNs = new Float64Array()] = await history.columns(
    `SELECT CAST(sent_ns AS DOUBLE) FROM requests
     WHERE ${await limitedLane(history)} AND sent_ns >= 0 AND status BETWEEN 200 AND 299 ORDER BY sent_ns`,
  );
  return mostInTrailing(sentNs, windowNs, { widthNs, count: buckets.count });
});

const latencyRow = z.object({
  bucket: z.number(),
  response_p50: z.number(),
  response_p99: z.number(),
  service_p50: z.number(),
  service_p99: z.number(),
});

/** Percentiles hold all values of a query in memory, so a query covers about this many answers. */
const answersAtATime = 2e6;

/** Percentiles in milliseconds of the load's 2xx answers, by the bucket they were meant to be sent in. */
export async function latencyOverTime(
  history: History,
  buckets: Buckets,
  atATime = answersAtATime,
): Promise<z.output<typeof latencyRow>[]> {
  const widthNs = buckets.widthMs * 1e6;
  const [all] = await history.rows(
    z.object({ n: z.number() }),
    "SELECT count(*) AS n FROM requests WHERE stage = 'load' AND status BETWEEN 200 AND 299",
  );
  const parts = Math.max(1, Math.ceil((all?.n ?? 0) / atATime));
  const points: z.output<typeof latencyRow>[] = [];
  for (let part = 0; part < parts; part++) {
    const fromNs = Math.round((part * buckets.count) / parts) * widthNs;
    const toNs = Math.round(((part + 1) * buckets.count) / parts) * widthNs;
    points.push(
      ...(await history.rows(
        latencyRow,
        `WITH percentiles AS (
           SELECT CAST(intended_ns // ${widthNs} AS BIGINT) AS bucket,
             quantile_disc(answered_ns - intended_ns, [0.5, 0.99]) AS response,
             quantile_disc(answered_ns - sent_ns, [0.5, 0.99]) AS service
           FROM requests
           WHERE stage = 'load' AND status BETWEEN 200 AND 299 AND intended_ns >= ${fromNs}
             ${part === parts - 1 ? '' : `AND intended_ns < ${toNs}`}
           GROUP BY bucket
         )
         SELECT bucket, response[1] / 1e6 AS response_p50, response[2] / 1e6 AS response_p99,
           service[1] / 1e6 AS service_p50, service[2] / 1e6 AS service_p99
         FROM percentiles ORDER BY bucket`,
      )),
    );
  }
  return points;
}

const quotaRow = z.object({
  bucket: z.number(),
  created: z.number(),
  refused: z.number(),
  unknown: z.number(),
});

/** Sessions created, over quota (402) and without an answer on the keys that spend the quota, by bucket. */
export async function quotaOverTime(
  history: History,
  buckets: Buckets,
): Promise<z.output<typeof quotaRow>[]> {
  return history.rows(
    quotaRow,
    `SELECT CAST(sent_ns // ${buckets.widthMs * 1e6} AS BIGINT) AS bucket,
       count(*) FILTER (status BETWEEN 200 AND 299) AS created,
       count(*) FILTER (status = 402) AS refused,
       count(*) FILTER (lost IS NOT NULL) AS unknown
     FROM requests WHERE ${attemptOn((await readAccount(history)).keys)} AND sent_ns >= 0
     GROUP BY bucket ORDER BY bucket`,
  );
}

const bandRow = z.object({ name: z.string(), start_ns: z.number(), end_ns: z.number() });

/** The phases of the load as they were driven, with the key that each belongs to. */
export async function drivenPhases(
  history: History,
): Promise<{ name: string; fromS: number; toS: number; role: Role }[]> {
  const rows = await history.rows(
    bandRow,
    `SELECT json_extract_string(event, '$.name') AS name, CAST(json_extract(event, '$.startNs') AS BIGINT) AS start_ns,
       CAST(json_extract(event, '$.endNs') AS BIGINT) AS end_ns
     FROM events WHERE kind = 'phase' ORDER BY start_ns`,
  );
  return rows.map((row) => ({
    name: row.name,
    fromS: row.start_ns / 1e9,
    toS: row.end_ns / 1e9,
    role: history.run.phases.find((phase) => phase.name === row.name)?.role ?? 'load',
  }));
}

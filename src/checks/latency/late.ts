import { z } from 'zod';
import { fits, shown } from '../causes/cause.ts';
import { firstSeqs, seqsColumn } from '../core/found.ts';
import {
  cleaned,
  equalDistance,
  inCommon,
  isDivided,
  mostly,
  subjectTraits,
  traitsOfRequests,
} from '../core/in-common.ts';
import { reason } from '../reasons/reason.ts';
import { type LateFeature, type LateRequests, stoodStill } from './pauses.ts';

/** This share of the late requests has to have a feature for it to be named. */
const most = 0.8;

/** What late requests may have in common, the plainest first. */
const features: readonly ((late: LateRequests) => Promise<LateFeature | undefined>)[] = [
  stoodStill,
  fellBehind,
  firstOnConnection,
  withValue,
  oneAtATime,
  sinceInstant,
  besideOthers,
];

/** What the requests over a bound have in common; undefined where nothing is plain. */
export async function featureOf(late: LateRequests): Promise<LateFeature | undefined> {
  for (const feature of features) {
    const found = await feature(late);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A target that does not keep up is slower in each of this many parts of the load than in the one before, by this factor. */
const parts = 5;
const growth = 1.2;

const partRow = z.object({
  median_ms: z.number(),
  answers: z.number(),
  from_ns: z.number(),
  until_ns: z.number(),
  slowest: z.coerce.number(),
});

/** Slower and slower while the load went on. */
async function fellBehind({ history, sample }: LateRequests): Promise<LateFeature | undefined> {
  const rows = await history.rows(
    partRow,
    `SELECT quantile_disc(response_ns, 0.5) / 1e6 AS median_ms, count(*) AS answers, min(answered_ns) AS from_ns,
       max(answered_ns) AS until_ns, arg_max(seq, response_ns) AS slowest FROM (
       SELECT seq, answered_ns, answered_ns - intended_ns AS response_ns, ntile(${parts}) OVER (ORDER BY intended_ns) AS part
       FROM requests WHERE ${sample} AND lost IS NULL AND stage = 'load')
     GROUP BY part ORDER BY part`,
  );
  const mediansMs = rows.map(({ median_ms }) => median_ms);
  const grows = mediansMs.every((ms, n) => n === 0 || ms > growth * (mediansMs[n - 1] ?? 0));
  if (mediansMs.length < parts || !grows) return undefined;
  const tookNs = Math.max(...rows.map((row) => row.until_ns)) - Math.min(...rows.map((row) => row.from_ns));
  const answers = rows.reduce((sum, row) => sum + row.answers, 0);
  const perSecond = Math.round((answers / tookNs) * 1e10) / 10;
  const slowest = rows.map((row) => row.slowest).toReversed();
  return {
    reason: reason('slo-grew', { mediansMs }),
    causes: [shown('does-not-keep-up', { perSecond }, slowest)],
  };
}

const placeRow = z.object({
  is_first: z.boolean(),
  requests: z.number(),
  failed: z.number(),
  quickest_ms: z.number().nullable(),
  slowest_ms: z.number(),
  seqs: seqsColumn,
});

/** First requests that are late, and the later ones, which hardly are. */
export interface LateFirsts {
  readonly slow: number;
  readonly of: number;
  /** The quickest of the late first ones, and what the later ones take at most, but for a few. */
  readonly firstMs: number;
  readonly nextMs: number;
  readonly seqs: readonly number[];
}

/**
 * Whether the first request of each of something is late, or those before the first was answered, and hardly any later one. `by`: of
 * what, as columns; `among`: SQL, which requests may be the first. Not where they are late, but not slow: then that they are the first is not why.
 */
export async function lateFirsts(
  { history, late, sample }: Omit<LateRequests, 'count'>,
  by: string,
  among: string,
): Promise<LateFirsts | undefined> {
  const rows = await history.rows(
    placeRow,
    `WITH asked AS (SELECT seq, (${late}) AS failed, (answered_ns - sent_ns) / 1e6 AS ms FROM requests WHERE ${sample}),
     placed AS (
       SELECT seq, ${by}, sent_ns < min(answered_ns) OVER (PARTITION BY ${by}) AS is_first FROM requests WHERE ${among}),
     rounds AS (
       SELECT is_first, bool_or(failed) AS failed, max(ms) AS ms, arg_max(seq, ms) AS seq
       FROM asked JOIN placed USING (seq) GROUP BY is_first, ${by}, if(is_first, 0, seq))
     SELECT is_first, count(*) AS requests, count(*) FILTER (failed) AS failed, min(ms) FILTER (failed) AS quickest_ms,
       quantile_disc(ms, 0.95) AS slowest_ms, ${firstSeqs} FILTER (failed) AS seqs FROM rounds GROUP BY is_first`,
  );
  const first = rows.find(({ is_first }) => is_first);
  const next = rows.find(({ is_first }) => !is_first);
  if (first === undefined || next === undefined || first.failed < mostly.bad * first.requests)
    return undefined;
  const [firstMs, nextMs] = [first.quickest_ms ?? 0, next.slowest_ms];
  if (!isDivided([first, next].map(cleaned(mostly))) || firstMs <= nextMs) return undefined;
  return { slow: first.failed, of: first.requests, firstMs, nextMs, seqs: first.seqs };
}

/** Late are nearly all first requests of a connection, and hardly any other. */
async function firstOnConnection(late: LateRequests): Promise<LateFeature | undefined> {
  const found = await lateFirsts(late, 'local_port', 'local_port IS NOT NULL');
  if (found === undefined) return undefined;
  const { firstMs, nextMs, of: connections, seqs, slow } = found;
  return {
    reason: reason('slo-first', { slow, connections }),
    causes: [fits('new-connections-slow', { connections, firstMs, nextMs }, seqs)],
  };
}

/** Late are nearly all requests with one value, and hardly any other. */
async function withValue({ history, late, sample }: LateRequests): Promise<LateFeature | undefined> {
  const compared = `${sample} AND endpoint IN (SELECT endpoint FROM requests WHERE ${sample} AND ${late})`;
  const found = await inCommon(history, traitsOfRequests(compared, late), subjectTraits, mostly);
  if (found === undefined) return undefined;
  const { failed: slow, others, seqs, trait, values } = found;
  const figures = { slow, others, trait, values };
  return { reason: reason('slo-value', figures), causes: [shown('slow-by-value', figures, seqs)] };
}

/** Answers of a queue come at equal distances of at least this length: nine in ten differ by no more than the factor. */
const leastWorkMs = 5;
const steady = 1.5;
/** Fewer requests that wait show no queue. */
const leastWaiting = 30;

const queueRow = z.object({
  waited: z.number(),
  late: z.number(),
  least_ms: z.number(),
  median_ms: z.number(),
  most_ms: z.number(),
  between_ms: z.number().nullable(),
  seqs: seqsColumn,
});

/** Late are requests that wait for others: the next answer comes as long after the last one as one request takes. */
async function oneAtATime({ history, late, sample }: LateRequests): Promise<LateFeature | undefined> {
  const [row] = await history.rows(
    queueRow,
    `WITH answered AS (
       SELECT seq, sent_ns, answered_ns, lag(answered_ns) OVER (ORDER BY answered_ns) AS before_ns
       FROM requests WHERE status IS NOT NULL AND sent_ns IS NOT NULL),
     waited AS (
       SELECT seq, (answered_ns - before_ns) / 1e6 AS gap_ms FROM answered WHERE sent_ns < before_ns),
     late AS (
       SELECT seq, (sent_ns - lag(sent_ns) OVER (ORDER BY sent_ns)) / 1e6 AS between_ms
       FROM requests WHERE ${sample} AND ${late} AND lost IS NULL)
     SELECT count(*) AS waited, (SELECT count(*) FROM late) AS late, quantile_disc(gap_ms, 0.1) AS least_ms,
       quantile_disc(gap_ms, 0.5) AS median_ms, quantile_disc(gap_ms, 0.9) AS most_ms,
       (SELECT median(between_ms) FROM late) AS between_ms, ${firstSeqs} AS seqs
     FROM waited SEMI JOIN late USING (seq) HAVING count(*) >= ${leastWaiting}`,
  );
  if (row === undefined || row.waited < most * row.late) return undefined;
  const { between_ms, least_ms, median_ms: everyMs, most_ms } = row;
  // Answers that follow each other as requests do come from any target.
  const isSteady =
    everyMs >= leastWorkMs && most_ms <= steady * least_ms && (between_ms ?? everyMs) * steady <= everyMs;
  if (!isSteady) return undefined;
  return {
    reason: reason('slo-one-at-a-time', { over: row.late, everyMs }),
    causes: [shown('does-not-keep-up', { perSecond: Math.round(1e4 / everyMs) / 10 }, row.seqs)],
  };
}

/** At least this number of requests before the first late one, and of late ones, show that something began then. */
const leastBefore = 20;

const turnRow = z.object({
  before: z.number(),
  of: z.number(),
  late: z.number(),
  before_ms: z.number(),
  after_ms: z.number(),
  endpoints: z.array(z.string()),
  seqs: seqsColumn,
});

/** Late are nearly all requests from one on, and none before it, in the same phase of the load. */
async function sinceInstant({ history, late, sample }: LateRequests): Promise<LateFeature | undefined> {
  const [row] = await history.rows(
    turnRow,
    `WITH timed AS (
       SELECT seq, endpoint, phase, sent_ns, (answered_ns - sent_ns) / 1e6 AS ms, (${late}) AS is_late
       FROM requests WHERE ${sample} AND sent_ns IS NOT NULL),
     turn AS (SELECT min(sent_ns) AS at_ns, arg_min(phase, sent_ns) AS phase FROM timed WHERE is_late)
     SELECT count(*) FILTER (t.sent_ns < at_ns AND t.phase = turn.phase) AS before,
       count(*) FILTER (t.sent_ns >= at_ns) AS of, count(*) FILTER (is_late) AS late,
       median(ms) FILTER (t.sent_ns < at_ns) AS before_ms, median(ms) FILTER (is_late) AS after_ms,
       list_sort(list(DISTINCT endpoint) FILTER (is_late)) AS endpoints, ${firstSeqs} FILTER (is_late) AS seqs
     FROM timed t, turn HAVING before >= ${leastBefore} AND late >= ${leastBefore} AND late >= ${mostly.bad} * of
       AND before_ms IS NOT NULL AND after_ms IS NOT NULL`,
  );
  if (row === undefined) return undefined;
  const { after_ms: afterMs, before, before_ms: beforeMs, endpoints, of, seqs } = row;
  return {
    reason: reason('slo-since', { late: row.late, of, before }),
    causes: [fits('slower-with-time', { endpoints, beforeMs, afterMs }, seqs)],
  };
}

/** An answer is slow by itself if at least this many requests came and went meanwhile, nearly all in a fraction of its time. */
const fewestMeanwhile = 3;
const quickPart = 0.8;
const quickFraction = 0.25;

/**
 * It waits in a queue if more than this part of the requests waited that were admitted to the same key meanwhile. Interactions
 * may have another limit, and a rejection comes before any work: both are quick beside such a queue.
 */
const waitingPart = 0.5;
const alike =
  "o.status NOT IN (401, 429) AND o.credential = r.credential AND o.endpoint <> 'interact' AND r.endpoint <> 'interact'";

/**
 * SQL: `seq`, `alone` and `at_limit` (in a queue, while the key was rejected) of each request in the table
 * `slow(seq, sent_ns, answered_ns)` that others came and went beside.
 */
export function aloneAmong(slow: string): string {
  const quick = `o.answered_ns - o.sent_ns < ${quickFraction} * (s.answered_ns - s.sent_ns)`;
  const went = 'o.answered_ns <= s.answered_ns';
  return `
    WITH beside AS (
      SELECT s.seq, count(*) FILTER (${went}) AS others, count(*) FILTER (${went} AND ${quick}) AS quick,
        count(*) FILTER (${went} AND ${quick} AND o.status = 429 AND o.credential = r.credential) AS rejected,
        count(*) FILTER (${alike} AND NOT ${quick}) > ${waitingPart} * count(*) FILTER (${alike}) AS in_queue
      FROM ${slow} s JOIN requests r USING (seq) JOIN requests o
        ON o.sent_ns >= s.sent_ns AND o.sent_ns <= s.answered_ns AND o.seq <> s.seq AND o.status IS NOT NULL
      GROUP BY s.seq)
    SELECT seq, others >= ${fewestMeanwhile} AND quick >= ${quickPart} * others AND NOT in_queue AS alone,
      in_queue AND rejected > 0 AS at_limit
    FROM beside WHERE others > 0`;
}

/** Late requests beyond this many are not looked at one by one. */
const mostLookedAt = 2_000;

const besideRow = z.object({
  requests: z.number(),
  took_ms: z.number(),
  seqs: z.array(z.coerce.number()),
  is_queued: z.boolean(),
});

/** Late while others came and went: in a queue before the limit, or by itself. */
async function besideOthers({
  count,
  history,
  late,
  sample,
}: LateRequests): Promise<LateFeature | undefined> {
  const [row] = await history.rows(
    besideRow,
    `WITH late AS (
       SELECT seq, sent_ns, answered_ns FROM requests
       WHERE ${sample} AND ${late} AND lost IS NULL ORDER BY sent_ns LIMIT ${mostLookedAt})
     SELECT at_limit AS is_queued, count(*) AS requests, list(seq ORDER BY seq) AS seqs,
       quantile_disc(answered_ns - sent_ns, 0.5) / 1e6 AS took_ms
     FROM (${aloneAmong('late')}) JOIN late USING (seq) WHERE at_limit OR alone GROUP BY at_limit
     HAVING count(*) >= ${most} * ${Math.min(count, mostLookedAt)} ORDER BY at_limit DESC`,
  );
  if (row === undefined) return undefined;
  const { is_queued, requests, seqs, took_ms: tookMs } = row;
  if (is_queued)
    return {
      reason: reason('slo-queued', { queued: requests, over: count }),
      causes: [fits('requests-queued', { waitMs: tookMs }, seqs)],
    };
  const every = equalDistance(seqs);
  const single = { requests, tookMs };
  return {
    reason: reason('slo-single', { single: requests, over: count }),
    causes:
      every === undefined
        ? [shown('single-requests-slow', single, seqs)]
        : [
            fits('periodically-slow', { every, of: 'request', tookMs }, seqs),
            fits('single-requests-slow', single, seqs),
          ],
  };
}

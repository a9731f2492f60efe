import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { fits, shown } from '../causes/cause.ts';
import { isDivided } from '../core/by-connection.ts';
import { equalDistance } from '../core/equal-distance.ts';
import { firstSeqs, seqsColumn } from '../core/found.ts';
import { cleaned, inCommon, mostly, subjectTraits, traitsOfRequests } from '../core/in-common.ts';
import { reason } from '../reasons/reason.ts';
import { aloneAmong } from './alone.ts';
import { type Shape, stoodStill } from './pauses.ts';

/** This share of the late requests has to have a shape for it to be named. */
const most = 0.8;
/** Answers of a queue come at equal distances of at least this length: nine in ten differ by no more than the factor. */
const leastWorkMs = 5;
const steady = 1.5;
/** Fewer requests that wait show no queue. */
const leastWaiting = 30;
/** At least this number of requests before the first late one, and of late ones, show that something began then. */
const leastBefore = 20;
/** Late requests beyond this many are not looked at one by one. */
const mostLookedAt = 2_000;
/** A target that does not keep up is slower in each of this many parts of the load than in the one before, by this factor. */
const parts = 5;
const growth = 1.2;

const partRow = z.object({
  median_ns: z.number(),
  answers: z.number(),
  from_ns: z.number(),
  until_ns: z.number(),
  slowest: z.coerce.number(),
});

/**
 * What the requests over a bound have in common; undefined where nothing is plain. `late`: SQL, which requests they
 * are; `sample`: among which.
 */
export async function shapeOf(
  history: History,
  sample: string,
  late: string,
  count: number,
): Promise<Shape | undefined> {
  return (
    (await stoodStill(history, sample, late, count)) ??
    (await fellBehind(history, sample)) ??
    (await firstOnConnection(history, sample, late)) ??
    (await withValue(history, sample, late)) ??
    (await oneAtATime(history, sample, late)) ??
    (await sinceInstant(history, sample, late)) ??
    (await besideOthers(history, sample, late, count))
  );
}

/** Slower and slower while the load went on. */
async function fellBehind(history: History, sample: string): Promise<Shape | undefined> {
  const rows = await history.rows(
    partRow,
    `SELECT quantile_disc(response_ns, 0.5) AS median_ns, count(*) AS answers, min(answered_ns) AS from_ns,
       max(answered_ns) AS until_ns, arg_max(seq, response_ns) AS slowest FROM (
       SELECT seq, answered_ns, answered_ns - intended_ns AS response_ns, ntile(${parts}) OVER (ORDER BY intended_ns) AS part
       FROM requests WHERE ${sample} AND lost IS NULL AND stage = 'load')
     GROUP BY part ORDER BY part`,
  );
  const medians = rows.map(({ median_ns }) => median_ns);
  if (medians.length < parts || !medians.every((ns, n) => n === 0 || ns > growth * (medians[n - 1] ?? 0)))
    return undefined;
  const mediansMs = medians.map((ns) => ns / 1e6);
  const tookNs = Math.max(...rows.map((row) => row.until_ns)) - Math.min(...rows.map((row) => row.from_ns));
  const answers = rows.reduce((sum, row) => sum + row.answers, 0);
  const perSecond = Math.round((answers / tookNs) * 1e10) / 10;
  const slowest = rows.map((row) => row.slowest).toReversed();
  return {
    reason: reason('slo-grew', { mediansMs }),
    causes: [shown('does-not-keep-up', { perSecond }, slowest)],
  };
}

/** Late are nearly all first requests of a connection, and hardly any other. */
async function firstOnConnection(history: History, sample: string, late: string): Promise<Shape | undefined> {
  const rows = await history.rows(
    z.object({
      is_first: z.boolean(),
      requests: z.number(),
      failed: z.number(),
      quickest_ms: z.number(),
      slowest_ms: z.number(),
      seqs: seqsColumn,
    }),
    `WITH placed AS (
       SELECT seq, row_number() OVER (PARTITION BY local_port ORDER BY sent_ns) = 1 AS is_first
       FROM requests WHERE local_port IS NOT NULL)
     SELECT is_first, count(*) AS requests, count(*) FILTER (${late}) AS failed, ${firstSeqs} FILTER (${late}) AS seqs,
       min(answered_ns - sent_ns) / 1e6 AS quickest_ms, quantile_disc(answered_ns - sent_ns, 0.95) / 1e6 AS slowest_ms
     FROM requests JOIN placed USING (seq) WHERE ${sample} GROUP BY is_first`,
  );
  const first = rows.find(({ is_first }) => is_first);
  const next = rows.find(({ is_first }) => !is_first);
  if (first === undefined || next === undefined || !isDivided([first, next].map(cleaned(mostly))))
    return undefined;
  if (first.failed < mostly.bad * first.requests) return undefined;
  // They may be late without being slow: then the connection is not why.
  if (first.quickest_ms <= next.slowest_ms) return undefined;
  const figures = { connections: first.requests, firstMs: first.quickest_ms, nextMs: next.slowest_ms };
  return {
    reason: reason('slo-first', { slow: first.failed, connections: first.requests }),
    causes: [fits('new-connections-slow', figures, first.seqs)],
  };
}

/** Late are requests that wait for others: the next answer comes as long after the last one as one request takes. */
async function oneAtATime(history: History, sample: string, late: string): Promise<Shape | undefined> {
  const [row] = await history.rows(
    z.object({
      waited: z.number(),
      late: z.number(),
      least_ms: z.number().nullable(),
      median_ms: z.number().nullable(),
      most_ms: z.number().nullable(),
      between_ms: z.number().nullable(),
      seqs: seqsColumn,
    }),
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
     FROM waited SEMI JOIN late USING (seq)`,
  );
  const { least_ms: least, median_ms: median, most_ms: mostMs } = row ?? {};
  if (row === undefined || least == null || median == null || mostMs == null) return undefined;
  // Answers that follow each other as requests do come from any target.
  const isSteady =
    median >= leastWorkMs && mostMs <= steady * least && (row.between_ms ?? median) * steady <= median;
  if (row.waited < leastWaiting || row.waited < most * row.late || !isSteady) return undefined;
  return {
    reason: reason('slo-one-at-a-time', { over: row.late, everyMs: median }),
    causes: [shown('does-not-keep-up', { perSecond: Math.round(1e4 / median) / 10 }, row.seqs)],
  };
}

/** Late are nearly all requests from one on, and none before it, in the same phase of the load. */
async function sinceInstant(history: History, sample: string, late: string): Promise<Shape | undefined> {
  const [row] = await history.rows(
    z.object({
      before: z.number(),
      after: z.number(),
      slow: z.number(),
      before_ms: z.number().nullable(),
      after_ms: z.number().nullable(),
      endpoints: z.array(z.string()).nullable(),
      seqs: seqsColumn,
    }),
    `WITH timed AS (
       SELECT seq, endpoint, phase, sent_ns, (answered_ns - sent_ns) / 1e6 AS ms, (${late}) AS is_late
       FROM requests WHERE ${sample} AND sent_ns IS NOT NULL),
     turn AS (SELECT min(sent_ns) AS at_ns, arg_min(phase, sent_ns) AS phase FROM timed WHERE is_late)
     SELECT count(*) FILTER (t.sent_ns < at_ns AND t.phase = turn.phase) AS before,
       count(*) FILTER (t.sent_ns >= at_ns) AS after, count(*) FILTER (is_late) AS slow,
       median(ms) FILTER (t.sent_ns < at_ns) AS before_ms, median(ms) FILTER (is_late) AS after_ms,
       list(DISTINCT endpoint) FILTER (is_late) AS endpoints, ${firstSeqs} FILTER (is_late) AS seqs
     FROM timed t, turn`,
  );
  if (row === undefined || row.before < leastBefore || row.slow < leastBefore) return undefined;
  if (row.slow < mostly.bad * row.after) return undefined;
  const { after_ms: afterMs, before_ms: beforeMs, endpoints, seqs } = row;
  if (beforeMs === null || afterMs === null) return undefined;
  return {
    reason: reason('slo-since', { late: row.slow, of: row.after, before: row.before }),
    causes: [fits('slower-with-time', { endpoints: (endpoints ?? []).toSorted(), beforeMs, afterMs }, seqs)],
  };
}

/** Late are nearly all requests with one value, and hardly any other. */
async function withValue(history: History, sample: string, late: string): Promise<Shape | undefined> {
  const compared = `${sample} AND endpoint IN (SELECT endpoint FROM requests WHERE ${sample} AND ${late})`;
  const found = await inCommon(history, traitsOfRequests(compared, late), subjectTraits, mostly);
  if (found === undefined) return undefined;
  const { failed, others, seqs, trait, values } = found;
  const figures = { slow: failed, others, trait, values };
  return { reason: reason('slo-value', figures), causes: [shown('slow-by-value', figures, seqs)] };
}

/** Late while others came and went: in a queue before the limit, or by itself. */
async function besideOthers(
  history: History,
  sample: string,
  late: string,
  count: number,
): Promise<Shape | undefined> {
  const [row] = await history.rows(
    z.object({
      alone: z.number(),
      at_limit: z.number(),
      queued: z.array(z.coerce.number()).nullable(),
      queued_ms: z.number().nullable(),
      took_ms: z.number().nullable(),
      seqs: z.array(z.coerce.number()).nullable(),
    }),
    `WITH late AS (
       SELECT seq, sent_ns, answered_ns FROM requests
       WHERE ${sample} AND ${late} AND lost IS NULL ORDER BY sent_ns LIMIT ${mostLookedAt})
     SELECT count(*) FILTER (alone) AS alone, count(*) FILTER (at_limit) AS at_limit,
       list(seq ORDER BY seq) FILTER (at_limit) AS queued,
       quantile_disc(answered_ns - sent_ns, 0.5) FILTER (at_limit) / 1e6 AS queued_ms,
       list(seq ORDER BY seq) FILTER (alone) AS seqs,
       quantile_disc(answered_ns - sent_ns, 0.5) FILTER (alone) / 1e6 AS took_ms
     FROM (${aloneAmong('late')}) JOIN late USING (seq)`,
  );
  const { alone = 0, at_limit: queued = 0, queued_ms: waitMs } = row ?? {};
  if (queued > 0 && queued >= most * Math.min(count, mostLookedAt))
    return {
      reason: reason('slo-queued', { queued, over: count }),
      causes: [fits('requests-queued', { waitMs: waitMs ?? 0 }, row?.queued ?? [])],
    };
  if (alone === 0 || alone < most * Math.min(count, mostLookedAt)) return undefined;
  const { seqs, took_ms } = row ?? {};
  const tookMs = took_ms ?? 0;
  const every = equalDistance(seqs ?? []);
  const single = { requests: alone, tookMs };
  return {
    reason: reason('slo-single', { single: alone, over: count }),
    causes:
      every === undefined
        ? [shown('single-requests-slow', single, seqs ?? [])]
        : [
            fits('periodically-slow', { every, of: 'request', tookMs }, seqs ?? []),
            fits('single-requests-slow', single, seqs ?? []),
          ],
  };
}

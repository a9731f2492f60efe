import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { sqlText } from '../../history/tables.ts';
import { settlePhases } from '../../vocabulary/phases.ts';
import { caused, fits } from '../causes/cause.ts';
import { admitted, firstSeqs, seqsColumn } from '../core/found.ts';
import { loadBlocks, type MonotoneTrend, trendOf } from '../core/monotone-trend.ts';
import { type CheckFinding, evidence } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';

/** Fewer answers have no median. */
const fewestAnswers = 3;
/**
 * What counts as growth: `docs/accuracy.md` has how often a target without any is accused. A machine that has become
 * busier doubles a service time of a millisecond, so the growth has to be one that matters as well.
 */
const certainZ = 4;
const growth = { factor: 1.5, ms: 5 } as const;

const blockRow = z.object({
  endpoint: z.string(),
  block: z.number(),
  load: z.number(),
  median_ms: z.number(),
  seqs: seqsColumn,
});

const timesRow = z.object({
  before: z.number().nullable(),
  after: z.number().nullable(),
  seqs: seqsColumn.nullable(),
});

interface EndpointTrend extends MonotoneTrend {
  readonly endpoint: string;
  readonly seqs: readonly number[];
}
/** Service times at first and at last, one request at a time. */
type TimesPair = Pick<EndpointTrend, 'endpoint' | 'seqs' | 'before' | 'after'>;

/**
 * Service times of an endpoint do not grow while the load stays the same. For loads below a minute, no finding but where each new
 * session takes longer than the ones before.
 */
export async function checkTrend(history: History): Promise<CheckFinding[]> {
  const load = await loadBlocks(history);
  const trends = load === undefined ? [] : await trendsIn(history, load.blocked);
  const pairs = load === undefined ? await creationsInOrder(history) : await readsAround(history);
  if (trends === undefined || (load === undefined && pairs.length === 0)) return [];
  const growing = trends
    .filter(({ after, before, z: score }) => score > certainZ && isMore(before, after))
    .toSorted((a, b) => b.after - b.before - (a.after - a.before));
  const higher = pairs.find(({ after, before }) => isMore(before, after));
  const [worst = higher] = growing;
  const common = {
    id: 'latency.trend',
    expected: { 'endpoints that get slower': 0 },
    observed: Object.fromEntries([
      ...trends.map(({ after, before, endpoint, z: score }) => [
        endpoint,
        { 'first quarter, ms': round(before), 'last quarter, ms': round(after), z: round(score) },
      ]),
      ...pairs.map(({ after, before, endpoint }) => [
        endpoint,
        { 'slowest at first, ms': round(before), 'fastest tenth at last, ms': round(after) },
      ]),
    ]),
  } as const;
  if (worst === undefined)
    return [
      trends.length === 0
        ? { ...common, verdict: 'inconclusive', reasons: [reason('latency-trend-too-few')] }
        : {
            ...common,
            verdict: 'pass',
            reasons: [reason('latency-grows-not', { endpoints: trends.map(({ endpoint }) => endpoint) })],
          },
    ];
  const { after: afterMs, before: beforeMs, endpoint, seqs } = worst;
  const endpoints = growing.length === 0 ? [endpoint] : growing.map((each) => each.endpoint);
  return [
    {
      ...common,
      verdict: 'fail',
      reasons:
        growing.length === 0
          ? [
              endpoint === 'create-session'
                ? reason('latency-grows-by-session', { beforeMs, afterMs })
                : reason('latency-higher-afterwards', { endpoint, beforeMs, afterMs }),
            ]
          : growing.map((each) =>
              reason('latency-grows', {
                ...{ endpoint: each.endpoint, beforeMs: each.before, afterMs: each.after, z: round(each.z) },
              }),
            ),
      evidence: (growing.length === 0 ? [worst] : growing).map((each) =>
        evidence(`first and last answers of ${each.endpoint}`, each.seqs),
      ),
      ...caused([fits('slower-with-time', { endpoints, beforeMs, afterMs }, seqs)]),
    },
  ];
}

const fewestCreations = 24;
const creationsRow = timesRow.extend({
  sessions: z.number(),
  others_before: z.number().nullable(),
  others_after: z.number().nullable(),
});

/** Of new sessions in their order, even a tenth of the last third should not all take longer than every one of the first. */
async function creationsInOrder(history: History): Promise<readonly TimesPair[]> {
  const [row] = await history.rows(
    creationsRow,
    `WITH timed AS (SELECT seq, endpoint, probe, sent_ns, (answered_ns - sent_ns) / 1e6 AS ms FROM requests
         WHERE ${admitted} AND answered_ns IS NOT NULL),
       created AS (SELECT *, ntile(3) OVER (ORDER BY sent_ns, seq) AS third FROM timed WHERE endpoint = 'create-session'),
       ends AS (SELECT max(sent_ns) FILTER (third = 1) AS first_ns, min(sent_ns) FILTER (third = 3) AS last_ns FROM created),
       others AS (SELECT median(ms) FILTER (sent_ns <= first_ns) AS others_before, median(ms) FILTER (sent_ns >= last_ns) AS others_after
         FROM timed, ends WHERE endpoint <> 'create-session' AND probe IS NULL)
     SELECT count(*) AS sessions, max(ms) FILTER (third = 1) AS before, quantile_disc(ms, 0.1) FILTER (third = 3) AS after,
       ${firstSeqs} FILTER (third = 3) AS seqs, any_value(others_before) AS others_before, any_value(others_after) AS others_after
     FROM created, others`,
  );
  if (row === undefined || row.before === null || row.after === null || row.sessions < fewestCreations)
    return [];
  const { after, before, others_after: othersAfter, others_before: othersBefore } = row;
  // Where everything takes longer, it is the load or the machine.
  const isAlone = !isMore(othersBefore ?? 0, othersAfter ?? Number.POSITIVE_INFINITY);
  return isAlone && isMore(before, after)
    ? [{ endpoint: 'create-session', before, after, seqs: row.seqs ?? [] }]
    : [];
}

/** The trends of endpoints over the blocks of a load; undefined where none has answers enough. */
async function trendsIn(history: History, blocked: string): Promise<readonly EndpointTrend[] | undefined> {
  const rows = await history.rows(
    blockRow,
    `WITH ${blocked}
     SELECT endpoint, block, any_value(busy.load) AS load, quantile_disc(answered_ns - sent_ns, 0.5) / 1e6 AS median_ms,
       ${firstSeqs} AS seqs
     FROM blocked JOIN busy USING (block) WHERE ${admitted} AND probe IS NULL AND answered_ns IS NOT NULL
     GROUP BY endpoint, block HAVING count(*) >= ${fewestAnswers} ORDER BY endpoint, block`,
  );
  if (rows.length === 0) return undefined;
  return [...Map.groupBy(rows, ({ endpoint }) => endpoint)].flatMap(([endpoint, own]): EndpointTrend[] => {
    const trend = trendOf(own.map(({ load, median_ms: value }) => ({ load, value })));
    const seqs = [own[0], own.at(-1)].flatMap((row) => row?.seqs.slice(0, 2) ?? []);
    return trend === undefined ? [] : [{ endpoint, seqs, ...trend }];
  });
}

function isMore(before: number, after: number): boolean {
  return after > growth.factor * before && after - before > growth.ms;
}

/** Fewer reads than these, before the load and after it, show nothing. */
const fewestReads = { before: 4, after: 20 } as const;

/**
 * Sessions are read before the load and after it, one at a time. Even a tenth of the later reads, those of the shortest
 * histories, should not all take longer than every earlier one.
 */
async function readsAround(history: History): Promise<readonly TimesPair[]> {
  const [row] = await history.rows(
    timesRow,
    `WITH read AS (SELECT seq, (answered_ns - sent_ns) / 1e6 AS ms,
         CASE WHEN stage = 'setup' THEN 'before' WHEN phase = ${sqlText(settlePhases.readBack)} THEN 'after' END AS place
       FROM requests WHERE endpoint = 'read-session' AND ${admitted} AND answered_ns IS NOT NULL)
     SELECT max(ms) FILTER (place = 'before' AND (SELECT count(*) FROM read WHERE place = 'before') >= ${fewestReads.before}) AS before,
       quantile_disc(ms, 0.1) FILTER (place = 'after' AND (SELECT count(*) FROM read WHERE place = 'after') >= ${fewestReads.after}) AS after,
       ${firstSeqs} FILTER (place = 'after') AS seqs
     FROM read`,
  );
  if (row === undefined || row.before === null || row.after === null) return [];
  return [
    { endpoint: 'read-session', before: row.before, after: row.after, seqs: row.seqs?.slice(0, 2) ?? [] },
  ];
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

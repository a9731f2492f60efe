import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { fits, shown } from '../causes/cause.ts';
import { reason } from '../reasons/reason.ts';
import { aloneAmong } from './alone.ts';
import { type Shape, stoodStill } from './pauses.ts';

/** This share of the late requests has to have a shape for it to be named. */
const most = 0.8;
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
       FROM requests WHERE ${sample} AND lost IS NULL)
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
  const every = distanceOf(seqs ?? []);
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

/** Fewer show no distance. */
const leastAtDistance = 3;
/** How far off its place one may be: requests arrive in another order than they were sent in. */
const offPlace = 2;

/** The distance at which requests lie that are all equally far from each other, which a few may be by accident. */
function distanceOf(seqs: readonly number[]): number | undefined {
  const gaps = seqs.slice(1).map((seq, n) => seq - (seqs[n] ?? 0));
  const [gap = 0] = gaps.toSorted((a, b) => a - b).slice(Math.floor(gaps.length / 2));
  const areEqual = gaps.every((each) => Math.abs(each - gap) <= offPlace);
  return seqs.length >= leastAtDistance && gap > 4 * offPlace && areEqual ? gap : undefined;
}

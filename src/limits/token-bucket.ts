import type { Counts } from './counts.ts';
import { LimitRange } from './limit-range.ts';
import { continuousRefill, type Refill } from './refill.ts';
import { coarseGrain } from './slack.ts';
import { exactly } from './span.ts';
import { admitted, limited, type Trace } from './trace.ts';

/** Floating-point noise of the target's arithmetic, in tokens. A full bucket has none. */
export const tokenNoise = 0.01;

/**
 * Token bucket, full at the start; GCRA and the leaky bucket as a meter decide alike. The *level* is the number of
 * missing tokens: each admission adds 1, the refill takes away, never below 0. A request passes when level <= B − 1.
 * The level when request i arrives is max over earlier instants u of (admitted in [u, now)) − (refill in [u, now)),
 * and at least 0 (the backlog of a queue, Lindley). Its lower end takes surely-before requests and the most refill.
 * Its upper end takes maybe-before ones and the least refill, hence the slack of rate times round trip.
 * The level does not depend on the burst B, so one pass narrows B for a given refill. O(n).
 */
export function narrowBurst(trace: Trace, counts: Counts, refill: Refill, range: LimitRange): void {
  leastLevels(trace, counts, refill, (i, level) => {
    if (trace.outcome[i] === admitted) range.atLeast(Math.ceil(level - tokenNoise) + 1, i);
    return true;
  });
  mostLevels(trace, counts, refill, (i, level) => {
    if (trace.outcome[i] === limited)
      range.atMost(level === 0 ? 0 : Math.ceil(level + 1 + tokenNoise) - 1, i);
    return !range.isEmpty;
  });
}

/**
 * A bucket whose burst is the limit L, refilled at L per window: exact if that explains the trace, else one that
 * calculates in parts of requests. A larger L means a lower level and a higher brim. So admissions bound L from below
 * and rejections from above; bisection finds both bounds.
 */
export function narrowByTokenBucket(trace: Trace, counts: Counts, windowNs: number, range: LimitRange): void {
  const exact = bucketLimits(trace, counts, windowNs, 0);
  const { max, maxSetBy, min, minSetBy } = exact.isEmpty
    ? bucketLimits(trace, counts, windowNs, coarseGrain)
    : exact;
  range.atLeast(min, minSetBy);
  range.atMost(max, maxSetBy);
}

function bucketLimits(trace: Trace, counts: Counts, windowNs: number, grain: number): LimitRange {
  const range = new LimitRange();
  const misfit = (limit: number, outcome: typeof admitted | typeof limited): number =>
    firstMisfit(trace, counts, { limit, windowNs, grain }, outcome);
  const most = trace.length + 1;
  let admittedFrom = 1;
  for (let to = most; admittedFrom < to; ) {
    const middle = (admittedFrom + to) >>> 1;
    if (misfit(middle, admitted) < 0) to = middle;
    else admittedFrom = middle + 1;
  }
  range.atLeast(admittedFrom, misfit(admittedFrom - 1, admitted));
  if (misfit(most, limited) < 0) return range;
  let limitedTo = 0;
  for (let to = most; limitedTo + 1 < to; ) {
    const middle = (limitedTo + to) >>> 1;
    if (misfit(middle, limited) < 0) limitedTo = middle;
    else to = middle;
  }
  range.atMost(limitedTo, misfit(limitedTo + 1, limited));
  return range;
}

/** A bucket whose burst is its limit. `grain`: as in `continuousRefill`. */
interface Bucket {
  readonly limit: number;
  readonly windowNs: number;
  readonly grain: number;
}

/** The first request whose outcome a bucket cannot have given; -1 if there is none. */
function firstMisfit(
  trace: Trace,
  counts: Counts,
  { limit, windowNs, grain }: Bucket,
  outcome: typeof admitted | typeof limited,
): number {
  if (limit < 1) return outcome === admitted ? trace.outcome.indexOf(admitted) : -1;
  const refill = continuousRefill(exactly(windowNs / limit), grain);
  let misfit = -1;
  const visit: VisitLevel = (i, level) => {
    if (trace.outcome[i] !== outcome) return true;
    const fits =
      outcome === admitted ? level <= limit - 1 + tokenNoise : level > 0 && level > limit - 1 - tokenNoise;
    if (!fits) misfit = i;
    return fits;
  };
  if (outcome === admitted) leastLevels(trace, counts, refill, visit);
  else mostLevels(trace, counts, refill, visit);
  return misfit;
}

/** Whether a bucket of `limit` may have been empty when request `i` arrived, for every request of the trace. */
export function bucketMayRefuse(trace: Trace, counts: Counts, windowNs: number, limit: number): Uint8Array {
  const may = new Uint8Array(trace.length);
  const refill = continuousRefill(exactly(windowNs / limit), coarseGrain);
  mostLevels(trace, counts, refill, (i, level) => {
    may[i] = level > limit - 1 - tokenNoise ? 1 : 0;
    return true;
  });
  return may;
}

/** Between which levels each request can have met the bucket, by index of the trace. */
export function levelBounds(
  trace: Trace,
  counts: Counts,
  refill: Refill,
): { readonly least: Float64Array; readonly most: Float64Array } {
  const least = new Float64Array(trace.length);
  const most = new Float64Array(trace.length);
  leastLevels(trace, counts, refill, (i, level) => {
    least[i] = level;
    return true;
  });
  mostLevels(trace, counts, refill, (i, level) => {
    most[i] = level;
    return true;
  });
  return { least, most };
}

type VisitLevel = (index: number, level: number) => boolean;

/** Visits each request with the lowest level it can have met, in order of sending, until `visit` says stop. */
function leastLevels(trace: Trace, counts: Counts, refill: Refill, visit: VisitLevel): void {
  let best = Number.NEGATIVE_INFINITY;
  let next = 0;
  for (let i = 0; i < trace.length; i++) {
    const sentNs = trace.sentNs[i] as number;
    for (; next < counts.sureSentNs.length && (counts.sureSentNs[next] as number) <= sentNs; next++) {
      best = Math.max(best, refill.mostFrom(counts.sureSentNs[next] as number) - next);
    }
    const level = (counts.surelyBefore[i] as number) - refill.mostUpTo(trace.answeredNs[i] as number) + best;
    if (!visit(i, Math.max(0, level))) return;
  }
}

/** Visits each request with the highest level it can have met, in order of sending, until `visit` says stop. */
function mostLevels(trace: Trace, counts: Counts, refill: Refill, visit: VisitLevel): void {
  // What rounding takes from the refill is the same to the level as if each admission weighed more.
  const weight = 1 + refill.grain;
  const { mayAnsweredNs } = counts;
  const bestUpTo = new Float64Array(mayAnsweredNs.length + 1).fill(Number.NEGATIVE_INFINITY);
  for (let j = 0; j < mayAnsweredNs.length; j++) {
    bestUpTo[j + 1] = Math.max(
      bestUpTo[j] as number,
      refill.leastFrom(mayAnsweredNs[j] as number) - weight * j,
    );
  }
  for (let i = 0; i < trace.length; i++) {
    const sentNs = trace.sentNs[i] as number;
    const before = counts.maybeBefore[i] as number;
    // Requests answered after `i` was sent may all have arrived at the same instant as `i`: nothing drained.
    const settled = counts.settledBefore[i] as number;
    const drained = weight * before + (bestUpTo[settled] as number) - refill.leastUpTo(sentNs);
    if (!visit(i, Math.max(0, drained, before - settled))) return;
  }
}

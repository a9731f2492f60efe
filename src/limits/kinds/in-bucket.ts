import { anyTime, leftAfter, noneLeft, type StateAfter } from '../state.ts';
import { admitted, limited } from '../trace.ts';
import type { View } from '../view.ts';
import { type Box, type KnownBox, type LimiterKind, type LoadBounds, loadAt } from './kind.ts';
import type { Refill } from './refill.ts';

/** Floating-point noise of the target's arithmetic, in tokens. A full bucket has none. */
const tokenNoise = 0.01;

/** When this many missing tokens have come. */
export interface Coming {
  readonly soonestNs: (missing: number, answeredNs: number) => number;
  readonly latestNs: (missing: number, sentNs: number) => number;
  /** Before this instant nothing came that could have been missing at a rejection. */
  readonly nextNs?: (sentNs: number) => number;
}

/** What differs between buckets. */
export interface Bucket {
  readonly refillOf: (view: View, box: Box) => Refill;
  readonly comingOf: (view: View, box: Box) => Coming;
  /** The parts of a request in which it calculates; 0 if it is exact. */
  readonly grain: number;
}

/**
 * Token bucket, full at the start; GCRA and the leaky bucket as a meter decide alike. The *level* is the number of
 * missing tokens. A request passes when level <= B − 1. The level does not depend on the burst B, so one pass narrows B
 * for a given refill. O(n).
 */
export function inBucket({
  refillOf,
  comingOf,
  grain,
}: Bucket): Pick<
  LimiterKind,
  'keeps' | 'loads' | 'mostPerWindow' | 'narrow' | 'rejectsCount' | 'remembersWindows' | 'scale' | 'states'
> {
  const loads = (view: View, box: Box): LoadBounds => {
    const least = new Float64Array(view.trace.length);
    const most = new Float64Array(view.trace.length);
    const refill = refillOf(view, box);
    leastLevels(view, refill, (i, level) => {
      least[i] = level - tokenNoise;
      return true;
    });
    mostLevels(view, refill, grain, (i, level) => {
      most[i] = level + tokenNoise;
      return true;
    });
    return { least, most };
  };
  return {
    scale: 'token',
    keeps: 'token-bucket',
    rejectsCount: false,
    remembersWindows: 1,
    mostPerWindow: 2,
    narrow: (view, box, range) => {
      const { trace } = view;
      const refill = refillOf(view, box);
      leastLevels(view, refill, (i, level) => {
        if (trace.outcome[i] === admitted) range.atLeast(Math.ceil(level - tokenNoise) + 1, i);
        return true;
      });
      mostLevels(view, refill, grain, (i, level) => {
        if (trace.outcome[i] === limited)
          range.atMost(level === 0 ? 0 : Math.ceil(level + 1 + tokenNoise) - 1, i);
        return !range.isEmpty;
      });
    },
    loads,
    states: (view, box) => statesByLevel(view, box, loads(view, box), comingOf(view, box)),
  };
}

/** A place is free once enough tokens have come that at most the burst less one are missing. */
function statesByLevel(
  { trace }: View,
  { limits }: KnownBox,
  loads: LoadBounds,
  { soonestNs, latestNs, nextNs }: Coming,
): StateAfter {
  return (i) => {
    const sentNs = trace.sentNs[i] as number;
    const answeredNs = trace.answeredNs[i] as number;
    const level = loadAt(loads, i);
    const fullNs = latestNs(level.most + 1, sentNs);
    if (trace.outcome[i] !== limited)
      return {
        left: leftAfter(limits, level),
        free: anyTime,
        reset: { loNs: Number.NEGATIVE_INFINITY, hiNs: fullNs },
      };
    const missing = { least: level.least - (limits.most - 1), most: level.most - (limits.least - 1) };
    const loNs = Math.max(
      nextNs?.(sentNs) ?? Number.NEGATIVE_INFINITY,
      missing.least > 0 ? soonestNs(missing.least, answeredNs) : Number.NEGATIVE_INFINITY,
    );
    return {
      left: noneLeft,
      free: { loNs, hiNs: Math.max(answeredNs, latestNs(Math.max(0, missing.most), sentNs)) },
      reset: { loNs, hiNs: fullNs },
    };
  };
}

type Visit = (index: number, level: number) => boolean;

/**
 * Visits each request with the lowest level it can have met, in order of sending, until `visit` says stop. Each
 * admission adds 1 to the level, the refill takes away, never below 0. The level when request i arrives is max over
 * earlier instants u of (admitted in [u, now)) − (refill in [u, now)), and at least 0 (the backlog of a queue,
 * Lindley). Its lower end takes surely-before requests and the most refill. Its upper end takes maybe-before ones and
 * the least refill, hence the slack of rate times round trip.
 */
function leastLevels({ trace, admittedCounts: counts }: View, refill: Refill, visit: Visit): void {
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

/** The same with the highest level. `grain`: the refill that rounding may lose with each admission. */
function mostLevels(
  { trace, admittedCounts: counts }: View,
  refill: Refill,
  grain: number,
  visit: Visit,
): void {
  // What rounding takes from the refill is the same to the level as if each admission weighed more.
  const weight = 1 + grain;
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

import { anyTime, leftAfter, noneLeft, type StateAfter } from '../state.ts';
import { limited } from '../trace.ts';
import { floats } from '../typed.ts';
import type { View } from '../view.ts';
import { type Box, type KnownBox, type LimiterKind, type LoadBounds, loadAt } from './kind.ts';
import type { Refill } from './refill.ts';

/** Floating-point noise of the target's arithmetic, in tokens. A full bucket has none. */
const tokenNoise = 0.01;

/** When this many missing tokens have come. */
export interface Coming {
  readonly soonestNs: (missing: number, answeredNs: number) => number;
  readonly latestNs: (missing: number, answeredNs: number) => number;
  /** Before this instant nothing came that could have been missing at a rejection. */
  readonly nextNs?: (sentNs: number) => number;
}

/** What differs between buckets. */
interface Bucket {
  readonly refillOf: (view: View, box: Box) => Refill;
  readonly comingOf: (view: View, box: Box) => Coming;
}

/**
 * Token bucket, full at the start; GCRA and the leaky bucket as a meter decide alike. The *level* is the number of
 * missing tokens. A request passes when level <= B − 1. The level does not depend on the burst B, so one pass narrows B
 * for a given refill. O(n).
 */
export function inBucket({
  refillOf,
  comingOf,
}: Bucket): Pick<
  LimiterKind,
  'keeps' | 'loads' | 'mostPerWindow' | 'narrow' | 'rejectsCount' | 'remembersWindows' | 'scale' | 'states'
> {
  const loads = (view: View, box: Box): LoadBounds => {
    const refill = refillOf(view, box);
    const { index } = view.requests;
    const [lowest, highest] = [new LowestLevels(view, refill), new HighestLevels(view, refill)];
    return {
      least: floats(index.length, (at) => lowest.next(index[at] as number) - tokenNoise),
      most: floats(index.length, (at) => highest.next(index[at] as number) + tokenNoise),
    };
  };
  return {
    scale: 'token',
    keeps: 'token-bucket',
    rejectsCount: false,
    remembersWindows: 1,
    mostPerWindow: 2,
    narrow: (view, box, range) => {
      const refill = refillOf(view, box);
      const [passed, refused] = [view.admitted.index, view.refused.index];
      const lowest = new LowestLevels(view, refill);
      for (let at = 0; at < passed.length; at++) {
        const i = passed[at] as number;
        const level = lowest.next(i) - tokenNoise;
        if (level > range.min - 1) range.atLeast(Math.ceil(level) + 1, i);
      }
      const highest = new HighestLevels(view, refill);
      for (let at = 0; at < refused.length && !range.isEmpty; at++) {
        const i = refused[at] as number;
        const level = highest.next(i);
        range.atMost(level === 0 ? 0 : Math.ceil(level + 1 + tokenNoise) - 1, i);
      }
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
    // Tokens that came to a full bucket before the request arrived were lost, so that those missing come after its arrival.
    const fullNs = latestNs(level.most + 1, answeredNs);
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
      free: { loNs, hiNs: Math.max(answeredNs, latestNs(Math.max(0, missing.most), answeredNs)) },
      reset: { loNs, hiNs: fullNs },
    };
  };
}

/**
 * The lowest level that a request can have met, of some requests in order of sending. Each admission adds 1 to the level, the
 * refill takes away, never below 0. The level when request i arrives is max over earlier instants u of
 * (admitted in [u, now)) − (refill in [u, now)), and at least 0 (the backlog of a queue, Lindley). Its lower end takes
 * surely-before requests and the most refill. Its upper end takes maybe-before ones and the least refill, hence the slack
 * of rate times round trip.
 */
class LowestLevels {
  readonly #view: View;
  readonly #refill: Refill;
  #best = Number.NEGATIVE_INFINITY;
  #counted = 0;

  constructor(view: View, refill: Refill) {
    this.#view = view;
    this.#refill = refill;
  }

  next(i: number): number {
    const { trace, admittedCounts } = this.#view;
    const { sureSentNs, surelyBefore } = admittedCounts;
    const { mostFrom, mostUpTo } = this.#refill;
    const sentNs = trace.sentNs[i] as number;
    for (
      ;
      this.#counted < sureSentNs.length && (sureSentNs[this.#counted] as number) <= sentNs;
      this.#counted++
    )
      this.#best = Math.max(this.#best, mostFrom.by(sureSentNs[this.#counted] as number) - this.#counted);
    const drained = mostUpTo.by(trace.answeredNs[i] as number);
    return Math.max(0, (surelyBefore[i] as number) - drained + this.#best);
  }
}

/** The highest level likewise. */
class HighestLevels {
  readonly #view: View;
  readonly #refill: Refill;
  #best = Number.NEGATIVE_INFINITY;
  #counted = 0;

  constructor(view: View, refill: Refill) {
    this.#view = view;
    this.#refill = refill;
  }

  next(i: number): number {
    const { trace, admittedCounts } = this.#view;
    const { mayAnsweredNs, maybeBefore, settledBefore } = admittedCounts;
    const { grain, leastFrom, leastUpTo } = this.#refill;
    // What rounding takes from the refill is the same to the level as if each admission weighed more.
    const weight = 1 + grain;
    const before = maybeBefore[i] as number;
    // Requests answered after `i` was sent may all have arrived at the same instant as `i`: nothing drained.
    const settled = settledBefore[i] as number;
    for (; this.#counted < settled; this.#counted++) {
      const came = leastFrom.by(mayAnsweredNs[this.#counted] as number);
      this.#best = Math.max(this.#best, came - weight * this.#counted);
    }
    const drained = weight * before + this.#best - leastUpTo.by(trace.sentNs[i] as number);
    return Math.max(0, drained, before - settled);
  }
}

import type { View } from '../view.ts';
import type { LoadAt } from './by-load.ts';

/** Floating-point noise of the target's arithmetic, in tokens. A full bucket has none. */
const tokenNoise = 0.01;

/** Tokens by an instant, counted from any start: they come evenly, or together at the end of each `everyNs`. */
export class Tokens {
  readonly #perNs: number;
  readonly #laterNs: number;
  readonly #everyNs: number;

  /** `laterNs`: how much later they come; `everyNs`: 0 where they come evenly. */
  constructor(perNs: number, laterNs: number, everyNs = 0) {
    this.#perNs = perNs;
    this.#laterNs = laterNs;
    this.#everyNs = everyNs;
  }

  by(ns: number): number {
    const forNs = ns - this.#laterNs;
    return this.#everyNs === 0
      ? forNs * this.#perNs
      : Math.floor(forNs / this.#everyNs) * (this.#everyNs * this.#perNs);
  }
}

/**
 * Bounds on the tokens that come in between two instants u < t: at least `leastUpTo.by(t) − leastFrom.by(u)`, at most
 * `mostUpTo.by(t) − mostFrom.by(u)`. One class for all of them, since a search asks it a hundred million times.
 */
export interface Refill {
  readonly leastFrom: Tokens;
  readonly leastUpTo: Tokens;
  readonly mostFrom: Tokens;
  readonly mostUpTo: Tokens;
}

/**
 * The levels that requests can have met. Each admission adds 1 to the level, the refill takes away, never below 0. The
 * level when request i arrives is max over earlier instants u of (admitted in [u, now)) − (refill in [u, now)), and at
 * least 0 (the backlog of a queue, Lindley). Its lower end takes surely-before requests and the most refill. Its upper
 * end takes maybe-before ones and the least refill, hence the slack of rate times round trip.
 */
export function levelAt({ admittedCounts, trace }: View, refill: Refill, grain: number): LoadAt {
  const { mayAnsweredNs, maybeBefore, settledBefore, sureSentNs, surelyBefore } = admittedCounts;
  const { leastFrom, leastUpTo, mostFrom, mostUpTo } = refill;
  const { answeredNs, sentNs } = trace;
  // What rounding takes from the refill is the same to the level as if each admission weighed more.
  const weight = 1 + grain;
  let lowest = { best: Number.NEGATIVE_INFINITY, counted: 0 };
  let highest = { ...lowest };
  return {
    noise: tokenNoise,
    least: (i) => {
      let { best, counted } = lowest;
      for (
        ;
        counted < sureSentNs.length && (sureSentNs[counted] as number) <= (sentNs[i] as number);
        counted++
      )
        best = Math.max(best, mostFrom.by(sureSentNs[counted] as number) - counted);
      lowest = { best, counted };
      const drained = mostUpTo.by(answeredNs[i] as number);
      return Math.max(0, (surelyBefore[i] as number) - drained + best);
    },
    most: (i) => {
      const before = maybeBefore[i] as number;
      // Requests answered after `i` was sent may all have arrived at the same instant as `i`: nothing drained.
      const settled = settledBefore[i] as number;
      let { best, counted } = highest;
      for (; counted < settled; counted++)
        best = Math.max(best, leastFrom.by(mayAnsweredNs[counted] as number) - weight * counted);
      highest = { best, counted };
      const drained = weight * before + best - leastUpTo.by(sentNs[i] as number);
      return Math.max(0, drained, before - settled);
    },
  };
}

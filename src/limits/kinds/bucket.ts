import { number } from '../../amounts.ts';
import { floats } from '../arrays.ts';
import { clockRateError, clockReadingNs, clockSlackNs, coarseGrain, exactly, type Span } from '../span.ts';
import { limited } from '../trace.ts';
import type { View } from '../view.ts';
import { decideOnGrid, firstArrival, inFixedWindows, windowsOnGrid } from './fixed-window.ts';
import {
  anyTime,
  type Box,
  type KnownBox,
  type LimiterKind,
  type LoadBounds,
  leftAfter,
  loadAt,
  noneLeft,
  type StateAfter,
} from './kind.ts';

/** Floating-point noise of the target's arithmetic, in tokens. A full bucket has none. */
const tokenNoise = 0.01;

/** When this many missing tokens have come. */
interface Coming {
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
function inBucket({
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

/** Tokens by an instant, counted from any start: they come evenly, or together at the end of each `everyNs`. */
class Tokens {
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
interface Refill {
  /** The part of a token that rounding may lose of it with each admission. */
  readonly grain: number;
  readonly leastFrom: Tokens;
  readonly leastUpTo: Tokens;
  readonly mostFrom: Tokens;
  readonly mostUpTo: Tokens;
}

/** One token at a time, each `interval` after the last. `grain`: of tokens a second, only whole such parts come. */
function continuousRefill(interval: Span, grain = 0): Refill {
  const mostPerNs = (1 + clockRateError) / interval.loNs;
  const leastPerNs = Math.max(0, (1 - clockRateError) / interval.hiNs - grain / 1e9);
  return {
    grain,
    leastFrom: new Tokens(leastPerNs, 0),
    leastUpTo: new Tokens(leastPerNs, clockReadingNs),
    mostFrom: new Tokens(mostPerNs, 0),
    mostUpTo: new Tokens(mostPerNs, -clockReadingNs),
  };
}

/**
 * An interval refill: tokens come together every `everyNs`, once within `refillAt`; `interval` is a token's share of
 * `everyNs`.
 */
function intervalRefill(interval: Span, everyNs: number, refillAt: Span, traceNs: number): Refill {
  const slackNs = clockSlackNs(traceNs / 2);
  const [latest, earliest] = [refillAt.hiNs + slackNs, refillAt.loNs - slackNs];
  const [mostPerNs, leastPerNs] = [1 / interval.loNs, 1 / interval.hiNs];
  return {
    grain: 0,
    leastFrom: new Tokens(leastPerNs, earliest, everyNs),
    leastUpTo: new Tokens(leastPerNs, latest, everyNs),
    mostFrom: new Tokens(mostPerNs, latest, everyNs),
    mostUpTo: new Tokens(mostPerNs, earliest, everyNs),
  };
}

const inThousandths: LimiterKind = { ...calculatingIn(coarseGrain), variant: 'thousandths' };

/** Refilled continuously. GCRA and the leaky bucket as a meter decide alike. */
export const tokenBucket: LimiterKind = {
  ...calculatingIn(0),
  algorithm: 'token-bucket',
  coarser: [inThousandths],
  mayRefuse: (view, { requests, windowNs }) => {
    const box = { scale: exactly(windowNs / requests), boundary: undefined };
    const { most } = inThousandths.loads(view, box);
    return (i) => (most[i] as number) > requests - 1;
  },
  likenesses: ({ requests, windowNs }) => [
    {
      name: `${tokenBucket.name} that admits one more when idle`,
      scaleNs: windowNs / requests,
      limits: [requests + 1],
      withCoarser: true,
    },
    {
      name: `${tokenBucket.name} that holds less than the limit`,
      scaleNs: windowNs / requests,
      limits: Array.from({ length: requests - 1 }, (_, place) => place + 1),
      withCoarser: true,
      mayRejectBelow: true,
    },
  ],
};

/** `grain`: of what drains, half of it is lost to rounding with each admission, on average. */
function calculatingIn(grain: number): LimiterKind {
  return {
    ...inBucket({
      refillOf: (_, { scale }) => continuousRefill(scale, grain),
      comingOf: (_, { scale }) => {
        const shortestNs = scale.loNs / (1 + clockRateError);
        const longestNs = 1 / Math.max(Number.MIN_VALUE, (1 - clockRateError) / scale.hiNs - grain / 1e9);
        return {
          soonestNs: (missing, answeredNs) => answeredNs + missing * shortestNs - clockReadingNs,
          latestNs: (missing, answeredNs) => answeredNs + missing * longestNs + clockReadingNs,
        };
      },
    }),
    id: 'token-bucket',
    name: 'token bucket',
    degreesOfFreedom: 2,
    phase: null,
    decide: ({ limit, scaleNs }, note) => {
      let level = 0;
      let lastNs = Number.NEGATIVE_INFINITY;
      return (atNs, passed) => {
        level = Math.max(0, level - (atNs - lastNs) / scaleNs);
        lastNs = atNs;
        note?.(level);
        const passes = level <= limit - 1;
        // An admission shows that there was room: one earlier request that was counted too much is one wrong answer, not a hundred.
        if (passed === true) level = Math.min(level, limit - 1);
        if (passed ?? passes) level += 1 + grain / 2;
        return passes;
      };
    },
  };
}

/** Other refill intervals than a second, tried where no kind explains the answers. */
const otherIntervalsS = [0.1, 0.2, 0.25, 0.5, 2, 5, 10];

/** A second: what buckets that are not refilled continuously are commonly refilled by. */
export const secondRefill: LimiterKind = {
  ...refilledEvery(1e9),
  id: 'token-bucket-second-lumps',
  name: 'token bucket refilled once a second',
  degreesOfFreedom: 3,
  coarser: otherIntervalsS.map((seconds) => ({
    ...refilledEvery(seconds * 1e9),
    id: 'token-bucket-lumps',
    variant: `${seconds} s`,
    name: `token bucket refilled every ${number(seconds)} s`,
    degreesOfFreedom: 4,
  })),
  likenesses: ({ requests, windowNs }) => [
    {
      name: secondRefill.name,
      scaleNs: windowNs / requests,
      limits: [requests, requests + 1],
      withCoarser: true,
    },
  ],
};

/** Tokens come together, once each interval. */
function refilledEvery(everyNs: number): Omit<LimiterKind, 'degreesOfFreedom' | 'id' | 'name'> {
  return {
    ...inBucket({
      refillOf: (view, box) =>
        intervalRefill(box.scale, everyNs, box.boundary ?? firstArrival(view), lengthNs(view)),
      comingOf: (view, box) => comingEvery(everyNs, view, box),
    }),
    period: everyNs,
    phase: 'unaligned',
    decide: ({ limit, scaleNs, boundaryNs }, note) => {
      let level = 0;
      let last = Number.NEGATIVE_INFINITY;
      return (atNs, passed) => {
        const refilled = Math.floor((atNs - boundaryNs) / everyNs);
        if (refilled > last) level = Math.max(0, level - ((refilled - last) * everyNs) / scaleNs);
        last = refilled;
        note?.(level);
        const passes = level <= limit - 1;
        if (passed === true) level = Math.min(level, limit - 1);
        if (passed ?? passes) level++;
        return passes;
      };
    },
  };
}

function comingEvery(everyNs: number, view: View, { scale, boundary }: Box): Coming {
  const refillAt = boundary ?? firstArrival(view);
  const slackNs = clockSlackNs(lengthNs(view) / 2);
  const firstNs = refillAt.loNs - slackNs;
  const lastNs = refillAt.hiNs + slackNs;
  const refillsBy = (fromNs: number, ns: number): number => Math.floor((ns - fromNs) / everyNs);
  const after = (fromNs: number, ns: number, refills: number): number =>
    fromNs + (refillsBy(fromNs, ns) + refills) * everyNs;
  return {
    soonestNs: (missing, answeredNs) =>
      after(firstNs, answeredNs, Math.ceil((missing * scale.loNs) / everyNs)),
    latestNs: (missing, answeredNs) => {
      const refills = Math.ceil((missing * scale.hiNs) / everyNs);
      // A refill that may have come just before the answer leaves a whole interval until the next.
      const isSure = refillsBy(firstNs, answeredNs) === refillsBy(lastNs, answeredNs);
      return isSure ? after(lastNs, answeredNs, refills) : answeredNs + refills * everyNs;
    },
    // The first that may not have come when the request was sent.
    nextNs: (sentNs) => Math.max(sentNs, after(lastNs, sentNs, 1) - (lastNs - firstNs)),
  };
}

function lengthNs({ trace }: View): number {
  return (trace.sentNs[trace.length - 1] ?? 0) - (trace.sentNs[0] ?? 0);
}

/** Each refill fills the bucket, so that it counts in windows on the grid of the first request. */
export const windowRefill: LimiterKind = {
  ...inFixedWindows(windowsOnGrid),
  id: 'token-bucket-window-lumps',
  name: 'token bucket refilled once a window, counted from the first request',
  keeps: 'fixed-window',
  rejectsCount: null,
  degreesOfFreedom: 2.5,
  phase: 'first-request',
  mostPerWindow: 2,
  decide: ({ limit, scaleNs }, note) => decideOnGrid(limit, scaleNs, (firstNs) => firstNs, note),
};

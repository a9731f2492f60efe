import { number } from '../../amounts.ts';
import { clockRateError, clockReadingNs, clockSlackNs, coarseGrain, exactly, type Span } from '../span.ts';
import type { View } from '../view.ts';
import { byLoad, statesByLoad } from './by-load.ts';
import { decideOnGrid, inFixedWindows } from './fixed-window.ts';
import type { Box, Decide, LimiterKind, LoadListener, Settled } from './kind.ts';
import { levelAt, type Refill, Tokens } from './levels.ts';
import { firstArrival, windowsOnGrid } from './windows.ts';

/** Other refill intervals than a second, tried where no kind explains the answers. */
const otherIntervalsS = [0.1, 0.2, 0.25, 0.5, 2, 5, 10];

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

/** Each refill fills the bucket, so that it counts in windows on the grid of the first request. */
export const windowRefill: LimiterKind = {
  ...inFixedWindows(windowsOnGrid),
  id: 'token-bucket-window-lumps',
  name: 'token bucket refilled once a window, counted from the first request',
  keeps: 'fixed-window',
  degreesOfFreedom: 2.5,
  phase: 'first-request',
  decide: ({ limit, scaleNs }, note) => decideOnGrid(limit, scaleNs, (firstNs) => firstNs, note),
};

/**
 * One token at a time, each an interval after the last. `grain`: of tokens a second, only whole such parts come, and half of
 * one is lost to rounding with each admission, on average.
 */
function calculatingIn(grain: number): LimiterKind {
  return {
    ...inBucket({
      grain,
      refillOf: (_, { scale }) => {
        const [least, most] = [leastPerNs(scale, grain), (1 + clockRateError) / scale.loNs];
        return {
          leastFrom: new Tokens(least, 0),
          leastUpTo: new Tokens(least, clockReadingNs),
          mostFrom: new Tokens(most, 0),
          mostUpTo: new Tokens(most, -clockReadingNs),
        };
      },
      comingOf: (_, { scale }) => {
        const shortestNs = scale.loNs / (1 + clockRateError);
        const longestNs = 1 / Math.max(Number.MIN_VALUE, leastPerNs(scale, grain));
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
    decide: (settled, note) => {
      let lastNs = Number.NEGATIVE_INFINITY;
      return decideByLevel(
        settled,
        (atNs) => {
          const drained = (atNs - lastNs) / settled.scaleNs;
          lastNs = atNs;
          return drained;
        },
        1 + grain / 2,
        note,
      );
    },
  };
}

function leastPerNs({ hiNs }: Span, grain: number): number {
  return Math.max(0, (1 - clockRateError) / hiNs - grain / 1e9);
}

/** Tokens come together, once each interval. */
function refilledEvery(everyNs: number): Omit<LimiterKind, 'degreesOfFreedom' | 'id' | 'name'> {
  /** One of the refills, with the slack on clocks. */
  const refillAt = (view: View, { boundary }: Box): Span => {
    const { loNs, hiNs } = boundary ?? firstArrival(view);
    const { length, sentNs } = view.trace;
    const slackNs = clockSlackNs(((sentNs[length - 1] ?? 0) - (sentNs[0] ?? 0)) / 2);
    return { loNs: loNs - slackNs, hiNs: hiNs + slackNs };
  };
  return {
    ...inBucket({
      grain: 0,
      refillOf: (view, box) => {
        const { loNs: earliest, hiNs: latest } = refillAt(view, box);
        const [most, least] = [1 / box.scale.loNs, 1 / box.scale.hiNs];
        return {
          leastFrom: new Tokens(least, earliest, everyNs),
          leastUpTo: new Tokens(least, latest, everyNs),
          mostFrom: new Tokens(most, latest, everyNs),
          mostUpTo: new Tokens(most, earliest, everyNs),
        };
      },
      comingOf: (view, box) => {
        const { loNs: firstNs, hiNs: lastNs } = refillAt(view, box);
        const refillsBy = (fromNs: number, ns: number): number => Math.floor((ns - fromNs) / everyNs);
        const after = (fromNs: number, ns: number, refills: number): number =>
          fromNs + (refillsBy(fromNs, ns) + refills) * everyNs;
        return {
          soonestNs: (missing, answeredNs) =>
            after(firstNs, answeredNs, Math.ceil((missing * box.scale.loNs) / everyNs)),
          latestNs: (missing, answeredNs) => {
            const refills = Math.ceil((missing * box.scale.hiNs) / everyNs);
            // A refill that may have come just before the answer leaves a whole interval until the next.
            const isSure = refillsBy(firstNs, answeredNs) === refillsBy(lastNs, answeredNs);
            return isSure ? after(lastNs, answeredNs, refills) : answeredNs + refills * everyNs;
          },
          // The first that may not have come when the request was sent.
          nextNs: (sentNs) => Math.max(sentNs, after(lastNs, sentNs, 1) - (lastNs - firstNs)),
        };
      },
    }),
    period: everyNs,
    phase: 'unaligned',
    decide: (settled, note) => {
      let last = Number.NEGATIVE_INFINITY;
      return decideByLevel(
        settled,
        (atNs) => {
          const refilled = Math.floor((atNs - settled.boundaryNs) / everyNs);
          const drained = ((refilled - last) * everyNs) / settled.scaleNs;
          last = refilled;
          return drained;
        },
        1,
        note,
      );
    },
  };
}

/** `drainedBy`: how many tokens have come since the last request; `weight`: what an admission takes. */
function decideByLevel(
  { limit }: Settled,
  drainedBy: (atNs: number) => number,
  weight: number,
  note?: LoadListener,
): Decide {
  let level = 0;
  return (atNs, passed) => {
    level = Math.max(0, level - drainedBy(atNs));
    note?.(level);
    const passes = level <= limit - 1;
    // An admission shows that there was room: one earlier request that was counted too much is one wrong answer, not a hundred.
    if (passed === true) level = Math.min(level, limit - 1);
    if (passed ?? passes) level += weight;
    return passes;
  };
}

/** What differs between buckets. */
interface Bucket {
  /** The part of a token that rounding may lose of it with each admission. */
  readonly grain: number;
  readonly refillOf: (view: View, box: Box) => Refill;
  readonly comingOf: (view: View, box: Box) => Coming;
}

/** When this many missing tokens have come. */
interface Coming {
  readonly soonestNs: (missing: number, answeredNs: number) => number;
  readonly latestNs: (missing: number, answeredNs: number) => number;
  /** Before this instant nothing came that could have been missing at a rejection. */
  readonly nextNs?: (sentNs: number) => number;
}

/**
 * Token bucket, full at the start; GCRA and the leaky bucket as a meter decide alike. The *level* is the number of
 * missing tokens. A request passes when level <= B − 1. The level does not depend on the burst B, so one pass narrows B
 * for a given refill. O(n).
 */
function inBucket({
  comingOf,
  grain,
  refillOf,
}: Bucket): Pick<
  LimiterKind,
  'keeps' | 'loads' | 'mostPerWindow' | 'narrow' | 'rejectsCount' | 'remembersWindows' | 'scale' | 'states'
> {
  const load = byLoad({ isThorough: true, loadOf: (view, box) => levelAt(view, refillOf(view, box), grain) });
  return {
    ...load,
    scale: 'token',
    keeps: 'token-bucket',
    rejectsCount: false,
    remembersWindows: 1,
    mostPerWindow: 2,
    states: statesByLoad(load.loads, (view, box) => {
      const { latestNs, nextNs, soonestNs } = comingOf(view, box);
      const { answeredNs, sentNs } = view.trace;
      const { limits } = box;
      return {
        // Tokens that came to a full bucket before the request arrived were lost, so that those missing come after its arrival.
        forgottenNs: (i, level) => latestNs(level.most + 1, answeredNs[i] as number),
        free: (i, level) => {
          const answered = answeredNs[i] as number;
          const [least, most] = [level.least - (limits.most - 1), level.most - (limits.least - 1)];
          return {
            loNs: Math.max(
              nextNs?.(sentNs[i] as number) ?? Number.NEGATIVE_INFINITY,
              least > 0 ? soonestNs(least, answered) : Number.NEGATIVE_INFINITY,
            ),
            hiNs: Math.max(answered, latestNs(Math.max(0, most), answered)),
          };
        },
      };
    }),
  };
}

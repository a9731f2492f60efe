import { number } from '../../amounts.ts';
import { clockSlackNs } from '../slack.ts';
import type { View } from '../view.ts';
import { decideOnGrid, firstArrival, inFixedWindows, windowsOnGrid } from './fixed-windows.ts';
import { type Coming, inBucket } from './in-bucket.ts';
import type { Box, LimiterKind } from './kind.ts';
import { intervalRefill } from './refill.ts';

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

import { clockRateError, clockReadingNs, coarseGrain } from '../slack.ts';
import { exactly } from '../span.ts';
import { inBucket } from './in-bucket.ts';
import type { LimiterKind } from './kind.ts';
import { continuousRefill } from './refill.ts';

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

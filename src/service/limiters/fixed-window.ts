import type { Decision, LimiterAlgorithm } from './limiter.ts';

/**
 * Counts the requests admitted in a window started by a subject's first request; after its end, the next request
 * starts another. This algorithm admits up to twice the limit around the boundary of two windows.
 */
export const fixedWindow: LimiterAlgorithm = ({ requests, windowMs }) => {
  let openedMs = Number.NEGATIVE_INFINITY;
  let admittedCount = 0;
  return {
    take(nowMs): Decision {
      if (nowMs - openedMs >= windowMs) {
        openedMs = nowMs;
        admittedCount = 0;
      }
      const admitted = admittedCount < requests;
      if (admitted) admittedCount++;
      return { admitted, remaining: requests - admittedCount, moreInMs: openedMs + windowMs - nowMs };
    },
    isIdle: (nowMs) => nowMs - openedMs >= windowMs,
  };
};

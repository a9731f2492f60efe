import type { Decision, LimiterAlgorithm } from './limiter.ts';

/**
 * Counts the requests admitted in a window that a subject's first request opens. When it is over, the next request
 * opens another. Admits up to twice the limit around the boundary of two windows; that is what this algorithm is.
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

import type { Decision, LimiterAlgorithm } from './limiter.ts';

/**
 * A bucket of `requests` tokens, full at first, refilled continuously at `requests` per window; each admission takes
 * one, as in GCRA. One window admits up to twice the limit: a full bucket and its refill. The level is in tokens
 * times `windowMs`, so whole milliseconds are exact.
 */
export const tokenBucket: LimiterAlgorithm = ({ requests, windowMs }) => {
  const full = requests * windowMs;
  let level = full;
  let filledMs = 0;

  const levelAt = (nowMs: number): number =>
    level === full ? full : Math.min(full, level + (nowMs - filledMs) * requests);

  return {
    take(nowMs): Decision {
      level = levelAt(nowMs);
      filledMs = nowMs;
      const admitted = level >= windowMs;
      if (admitted) level -= windowMs;
      const remaining = Math.floor(level / windowMs);
      return { admitted, remaining, moreInMs: ((remaining + 1) * windowMs - level) / requests };
    },
    isIdle: (nowMs) => levelAt(nowMs) === full,
  };
};

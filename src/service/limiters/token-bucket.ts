import type { Decision, LimiterAlgorithm } from './limiter.ts';

/**
 * A bucket of `requests` tokens, full at first, refilled continuously at `requests` per window; each admitted request
 * takes one. Decides as GCRA does. Over a long time it admits the limit, in one window up to twice that: a full bucket
 * and what drips in.
 *
 * The level is kept in tokens times `windowMs`, so with whole milliseconds the arithmetic is exact.
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

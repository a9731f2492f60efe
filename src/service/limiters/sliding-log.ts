import type { Decision, LimiterAlgorithm } from './limiter.ts';

const initialCapacity = 16;

/**
 * Remembers the instant of each admitted request, so that no window of the given length holds more than the limit. A
 * request leaves the window exactly `windowMs` after its admission. The ring grows to at most `requests` entries of 8
 * bytes; a decision costs constant time on average, since each entry is removed once.
 */
export const slidingLog: LimiterAlgorithm = ({ requests, windowMs }) => {
  let instantsMs = new Float64Array(Math.min(initialCapacity, requests));
  let oldest = 0;
  let count = 0;

  const at = (position: number): number => instantsMs[(oldest + position) % instantsMs.length] ?? 0;

  const grow = (): void => {
    const larger = new Float64Array(Math.min(instantsMs.length * 2, requests));
    for (let i = 0; i < count; i++) larger[i] = at(i);
    instantsMs = larger;
    oldest = 0;
  };

  return {
    take(nowMs): Decision {
      while (count > 0 && nowMs - at(0) >= windowMs) {
        oldest = (oldest + 1) % instantsMs.length;
        count--;
      }
      const admitted = count < requests;
      if (admitted) {
        if (count === instantsMs.length) grow();
        instantsMs[(oldest + count) % instantsMs.length] = nowMs;
        count++;
      }
      return { admitted, remaining: requests - count, moreInMs: at(0) + windowMs - nowMs };
    },
    isIdle: (nowMs) => count === 0 || nowMs - at(count - 1) >= windowMs,
  };
};

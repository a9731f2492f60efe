import type { Decision, LimiterAlgorithm } from './limiter.ts';

/**
 * Approximates a sliding window by two counters, as HAProxy and Cloudflare do: admissions of the current window, plus
 * those of the previous one weighted by the part of it that a trailing window still covers. Windows lie on a grid of
 * the monotonic clock. All values are multiplied by `windowMs`, so whole milliseconds are exact.
 */
export const slidingCounter: LimiterAlgorithm = ({ requests, windowMs }) => {
  let windowIndex = Number.NEGATIVE_INFINITY;
  let current = 0;
  let previous = 0;

  const roll = (nowMs: number): void => {
    const index = Math.floor(nowMs / windowMs);
    if (index === windowIndex) return;
    previous = index === windowIndex + 1 ? current : 0;
    current = 0;
    windowIndex = index;
  };

  /** Milliseconds into a window at which the weight of `before` requests of the window before is `weight`. */
  const fadedToMs = (before: number, weight: number): number => windowMs - (weight * windowMs) / before;

  /** Milliseconds until there is room for `count` more, if there is none now. */
  const untilRoomForMs = (count: number, elapsedMs: number): number => {
    const spare = requests - count - current;
    if (spare >= 0) return fadedToMs(previous, spare) - elapsedMs;
    // No room in this window, even with the previous one faded: wait for the next, in which this window fades.
    return windowMs - elapsedMs + fadedToMs(current, requests - count);
  };

  return {
    take(nowMs): Decision {
      roll(nowMs);
      const elapsedMs = nowMs - windowIndex * windowMs;
      const freeTimesWindow = (requests - current) * windowMs - previous * (windowMs - elapsedMs);
      const admitted = freeTimesWindow >= windowMs;
      if (admitted) current++;
      const free = Math.floor(freeTimesWindow / windowMs) - (admitted ? 1 : 0);
      const remaining = Math.max(0, free);
      return { admitted, remaining, moreInMs: untilRoomForMs(remaining + 1, elapsedMs) };
    },
    isIdle: (nowMs) => {
      roll(nowMs);
      return current === 0 && previous === 0;
    },
  };
};

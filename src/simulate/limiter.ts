import type { RateLimit } from '../vocabulary/quantities.ts';

/**
 * A model of a rate limiter for one key: whether a request at `atNs` is admitted. Instants never fall and are never
 * negative. A rejected request spends nothing.
 */
export type Limiter = (atNs: number) => boolean;

export const limiterNames = ['fixed-window', 'sliding-log', 'sliding-counter', 'token-bucket'] as const;
export type SimulatedLimiter = (typeof limiterNames)[number];

/** A limiter that has seen nothing yet. Its memory is bounded by the limit, however many requests come. */
export function createLimiter(name: SimulatedLimiter, { requests, windowMs }: RateLimit): Limiter {
  const windowNs = windowMs * 1e6;
  switch (name) {
    case 'fixed-window':
      return fixedWindow(requests, windowNs);
    case 'sliding-log':
      return slidingLog(requests, windowNs);
    case 'sliding-counter':
      return slidingCounter(requests, windowNs);
    case 'token-bucket':
      return tokenBucket(requests, windowNs);
  }
}

/** Counts in a window that the first request after the last one opens. */
function fixedWindow(requests: number, windowNs: number): Limiter {
  let endsNs = 0;
  let admitted = 0;
  return (atNs) => {
    if (atNs >= endsNs) {
      endsNs = atNs + windowNs;
      admitted = 0;
    }
    if (admitted === requests) return false;
    admitted++;
    return true;
  };
}

const firstCapacity = 1_024;

/**
 * No window at any position holds more than the limit: there is room when the request one limit ago has left.
 */
function slidingLog(requests: number, windowNs: number): Limiter {
  // When each of the last requests leaves the window, in a ring; unused places are 0.
  let leavesNs = new Float64Array(Math.min(requests, firstCapacity));
  let next = 0;
  return (atNs) => {
    if ((leavesNs[next] ?? 0) > atNs) return false;
    leavesNs[next++] = atNs + windowNs;
    if (next === requests) {
      next = 0;
    } else if (next === leavesNs.length) {
      const larger = new Float64Array(Math.min(requests, 2 * next));
      larger.set(leavesNs);
      leavesNs = larger;
    }
    return true;
  };
}

/**
 * Two counters on a grid of windows: the current one's admissions, and the previous one's weighted by the share that
 * a trailing window still covers. Values are times the window's length, so that they are exact in whole ns.
 */
function slidingCounter(requests: number, windowNs: number): Limiter {
  let startNs = 0;
  let current = 0;
  let previous = 0;
  return (atNs) => {
    if (atNs - startNs >= windowNs) {
      previous = atNs - startNs < 2 * windowNs ? current : 0;
      current = 0;
      startNs = atNs - (atNs % windowNs);
    }
    const used = (current + previous) * windowNs - previous * (atNs - startNs);
    if (used > (requests - 1) * windowNs) return false;
    current++;
    return true;
  };
}

/** A full bucket at first, refilled continuously by the limit in a window. Kept in tokens times the window's length. */
function tokenBucket(requests: number, windowNs: number): Limiter {
  const full = requests * windowNs;
  let level = full;
  let filledNs = 0;
  return (atNs) => {
    level = Math.min(full, level + (atNs - filledNs) * requests);
    filledNs = atNs;
    if (level < windowNs) return false;
    level -= windowNs;
    return true;
  };
}

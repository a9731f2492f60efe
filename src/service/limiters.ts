import type { LimiterName, RequestLimit, ServiceOptions } from './options.ts';
import type { Decision, RateLimiter } from './parts.ts';

/**
 * One limiter's memory of one subject. A decision is made and recorded in one synchronous step, so requests that
 * arrive together cannot both take the last place.
 */
export interface LimiterState {
  /** Decides on a request at `nowMs` of the monotonic clock; calls never go back in time. */
  take(nowMs: number): Decision;
  /** Whether, from now on, it decides exactly as a new one would. Only then may it be forgotten. */
  isIdle(nowMs: number): boolean;
}

/** A limiting algorithm: makes the memory of a new subject. */
export type LimiterAlgorithm = (limit: RequestLimit) => LimiterState;

/**
 * Counts the requests admitted in a window started by a subject's first request; after its end, the next request
 * starts another. This algorithm admits up to twice the limit around the boundary of two windows.
 */
const fixedWindow: LimiterAlgorithm = ({ requests, windowMs }) => {
  let openedMs = Number.NEGATIVE_INFINITY;
  let admittedCount = 0;
  return {
    take(nowMs) {
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

/**
 * Remembers the instant of each admitted request, so that no window of the given length holds more than the limit. A
 * request leaves the window exactly `windowMs` after its admission. The ring grows to at most `requests` entries of 8
 * bytes; a decision costs constant time on average, since each entry is removed once.
 */
const slidingLog: LimiterAlgorithm = ({ requests, windowMs }) => {
  let instantsMs = new Float64Array(Math.min(16, requests));
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
    take(nowMs) {
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

/**
 * Approximates a sliding window by two counters, as HAProxy and Cloudflare do: admissions of the current window, plus
 * those of the previous one weighted by the part of it that a trailing window still covers. Windows lie on a grid of
 * the monotonic clock. All values are multiplied by `windowMs`, so whole milliseconds are exact.
 */
const slidingCounter: LimiterAlgorithm = ({ requests, windowMs }) => {
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
    take(nowMs) {
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

/**
 * A bucket of `requests` tokens, full at first, refilled continuously at `requests` per window; each admission takes
 * one, as in GCRA. One window admits up to twice the limit: a full bucket and its refill. The level is in tokens
 * times `windowMs`, so whole milliseconds are exact.
 */
const tokenBucket: LimiterAlgorithm = ({ requests, windowMs }) => {
  const full = requests * windowMs;
  let level = full;
  let filledMs = 0;

  const levelAt = (nowMs: number): number =>
    level === full ? full : Math.min(full, level + (nowMs - filledMs) * requests);

  return {
    take(nowMs) {
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

export const limiterAlgorithms: Readonly<Record<LimiterName, LimiterAlgorithm>> = {
  'fixed-window': fixedWindow,
  'sliding-log': slidingLog,
  'sliding-counter': slidingCounter,
  'token-bucket': tokenBucket,
};

const firstSweepAt = 1_024;

/** One limiter state for each subject (an API key, usually), kept for as long as it can still change a decision. */
export class KeyedLimiter {
  readonly #newState: () => LimiterState;
  readonly #states = new Map<string, LimiterState>();
  #sweepAt = firstSweepAt;

  constructor(algorithm: LimiterAlgorithm, limit: RequestLimit) {
    this.#newState = () => algorithm(limit);
  }

  /** Decides on a request of a subject at `nowMs` of the monotonic clock. */
  take(subject: string, nowMs: number): Decision {
    let state = this.#states.get(subject);
    if (state === undefined) {
      if (this.#states.size >= this.#sweepAt) this.#sweep(nowMs);
      state = this.#newState();
      this.#states.set(subject, state);
    }
    return state.take(nowMs);
  }

  /** Subjects remembered. */
  get size(): number {
    return this.#states.size;
  }

  /**
   * Forgets idle subjects. It runs when the number of subjects has doubled since the last sweep, so it costs constant
   * time per request. Memory stays within a factor of two of the recently active subjects.
   */
  #sweep(nowMs: number): void {
    for (const [subject, state] of this.#states) if (state.isIdle(nowMs)) this.#states.delete(subject);
    this.#sweepAt = Math.max(firstSweepAt, 2 * this.#states.size);
  }
}

/** The limiter of the API: each key has the whole limit to itself. */
export function limiterPerKey({
  limiter,
  rateLimit,
  clock,
}: Pick<ServiceOptions, 'limiter' | 'rateLimit' | 'clock'>): RateLimiter {
  const states = new KeyedLimiter(limiterAlgorithms[limiter], rateLimit);
  return { take: ({ caller }) => states.take(caller.keyLabel, clock.monotonicMs()) };
}

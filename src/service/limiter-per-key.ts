import {
  type Decision,
  type LimiterAlgorithm,
  type LimiterState,
  limiterAlgorithms,
  type RequestLimit,
} from './limiters.ts';
import type { ServiceOptions } from './options.ts';
import type { RateLimiter } from './parts.ts';

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

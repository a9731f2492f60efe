/** At most this many requests per window. */
export interface RateLimit {
  /** A whole number, at least 1. */
  readonly requests: number;
  /** A whole number too, so that limiters can calculate exactly. */
  readonly windowMs: number;
}

/** A limiter's decision about one request. */
export interface Decision {
  readonly admitted: boolean;
  /** How many further requests would be admitted at this instant. 0 after a rejection. */
  readonly remaining: number;
  /**
   * Milliseconds, more than 0, until one more than `remaining` would be admitted, if nothing is sent before. After a
   * rejection, that is the wait.
   */
  readonly moreInMs: number;
}

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
export type LimiterAlgorithm = (limit: RateLimit) => LimiterState;

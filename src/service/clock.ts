/**
 * The service's two clocks. The wall clock gives `created_at`, expiry, the days of analytics and the `Date` header,
 * and may be set. The monotonic clock gives the limiters their windows, so setting the wall clock moves none of them.
 */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  wallMs(): number;
  /** Milliseconds, with fractions, since an arbitrary instant; never goes back. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

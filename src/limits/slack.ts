/**
 * How far the target's measure of a span may differ from ours with both correct. A millisecond clock is off by up to
 * 1 ms at each end, and a timer may fire a few milliseconds late. Quartz clocks differ by up to 100 ppm (NTP slews at
 * most 500 ppm, in practice far less).
 */
const clockGranularityNs = 5e6;
/** Of that, what reading the clock alone costs, once for both ends: it may stand for a while (nginx reads it once a round). */
export const clockReadingNs = 2e6;
/** Part by which one clock may run faster than the other. */
export const clockRateError = 1e-4;

/** Slack in nanoseconds on a span that the target measured and we measured too. */
export function clockSlackNs(spanNs: number): number {
  return clockGranularityNs + clockRateError * spanNs;
}

/**
 * The smallest part of a request in which a bucket may calculate (nginx's `limit_req`): it rounds the drained part
 * down at each admission, and the drain per second, too. At 1,000 a minute that is 1.5 requests a minute.
 */
export const coarseGrain = 1e-3;

/** Phases closer together than the slack that clocks are given cannot be told apart. */
export const finestUsefulNs = 5e6;

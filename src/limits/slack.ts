/**
 * How far the target's reckoning of a span may be from ours without either being wrong. Limiters commonly read a
 * millisecond clock, so each of the two ends of a span is off by up to 1 ms; some end their windows by a timer, which
 * fires a few milliseconds late; and quartz clocks run up to 100 ppm apart (NTP slews at most 500 ppm, in practice far
 * less).
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
 * Parts of a request that a bucket may reckon in (nginx's `limit_req`): it rounds what drains down to whole ones with each
 * request that it admits, and what drains in a second, too. At 1,000 a minute that is a request and a half a minute.
 */
export const coarseGrain = 1e-3;

/** A length of time, or an instant, known to lie between two bounds. Nanoseconds. */
export interface Span {
  readonly loNs: number;
  readonly hiNs: number;
}

/** A span without doubt. */
export function exactly(ns: number): Span {
  return { loNs: ns, hiNs: ns };
}

export function widthOf({ loNs, hiNs }: Span): number {
  return hiNs - loNs;
}

/** Parts of equal length. */
export function evenly({ loNs, hiNs }: Span, parts: number): Span[] {
  const width = (hiNs - loNs) / parts;
  return Array.from({ length: parts }, (_, k) => ({ loNs: loNs + k * width, hiNs: loNs + (k + 1) * width }));
}

/** Parts of equal ratio, `ratio` at most. */
export function logarithmic({ loNs, hiNs }: Span, ratio: number): Span[] {
  const parts = Math.max(1, Math.ceil(Math.log(hiNs / loNs) / Math.log(ratio)));
  const step = (hiNs / loNs) ** (1 / parts);
  return Array.from({ length: parts }, (_, k) => ({ loNs: loNs * step ** k, hiNs: loNs * step ** (k + 1) }));
}

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

/** The roundest whole number in [lo, hi], the nearest to its middle where several are as round; undefined if there is none. */
export function roundestWithin(lo: number, hi: number): number | undefined {
  if (Math.ceil(lo) > hi || !Number.isFinite(hi)) return undefined;
  const middle = (lo + hi) / 2;
  for (let power = 10 ** Math.floor(Math.log10(Math.max(1, hi))); power >= 1; power /= 10) {
    for (const step of [power, power / 2, power / 4]) {
      if (step < 1) continue;
      const nearest =
        Math.min(Math.floor(hi / step), Math.max(Math.ceil(lo / step), Math.round(middle / step))) * step;
      if (nearest >= lo && nearest <= hi && Number.isInteger(nearest)) return nearest;
    }
  }
  return Math.round(middle);
}

/** The roundest length of time in [lo, hi] milliseconds: whole hours, minutes and seconds before decimal fractions. */
export function roundestMs(lo: number, hi: number): number | undefined {
  for (const unit of [
    3_600_000, 1_800_000, 900_000, 600_000, 300_000, 60_000, 30_000, 15_000, 10_000, 5_000, 1_000,
  ]) {
    const whole = Math.ceil(lo / unit) * unit;
    if (whole > 0 && whole <= hi) return whole;
  }
  return roundestWithin(lo, hi);
}

/** An answer's `Date` header with the instants between which it was written. */
export interface DateSample {
  readonly sentNs: number;
  readonly answeredNs: number;
  /** Whole seconds, as milliseconds since 1970. */
  readonly dateEpochMs: number;
}

/**
 * Bounds the target's clock: its nanoseconds since 1970 at zero of the traces' clock. A `Date` (RFC 9110 6.6.1) is
 * cut to whole seconds, so the clock was within a second after it between sending and answer. Undefined without
 * samples or if they contradict each other (several machines, or a clock that was set).
 */
export function clockOffsetFrom(samples: Iterable<DateSample>): Span | undefined {
  let loNs = Number.NEGATIVE_INFINITY;
  let hiNs = Number.POSITIVE_INFINITY;
  for (const { sentNs, answeredNs, dateEpochMs } of samples) {
    loNs = Math.max(loNs, dateEpochMs * 1e6 - answeredNs);
    hiNs = Math.min(hiNs, (dateEpochMs + 1_000) * 1e6 - sentNs);
  }
  return Number.isFinite(loNs) && loNs <= hiNs ? { loNs, hiNs } : undefined;
}

import { dayMs } from '../vocabulary/quantities.ts';

/** How many shoppers arrive, as a function of time. */
export interface RateFunction {
  /** Shoppers per second at this instant, in milliseconds from the start; never negative. */
  perSecond(atMs: number): number;
  /** A bound that `perSecond` never exceeds. */
  readonly maxPerSecond: number;
}

/**
 * Views of a cosmetics shop by hour of the day, UTC, in thousands. The night, 00 to 04, is measured (REES46,
 * "eCommerce Events History in Cosmetics Shop", December 2019). The rest is ours: a morning rise, a level noon, an
 * evening peak.
 */
export const hourlyViews: readonly number[] = [
  13.9, 11.4, 12.1, 17.0, 25.7, 40, 56, 70, 81, 88, 92, 94, 94, 92, 91, 92, 95, 101, 109, 114, 106, 80, 48,
  26,
];

interface DayOptions {
  /** Relative weights of the 24 hours, first that from 00:00 to 01:00. Default `hourlyViews`. */
  readonly hourlyWeights?: readonly number[];
  /** How long the day lasts, to run one in less time. Default 24 hours. */
  readonly dayMs?: number;
  /** The hour of the day at instant 0. Default 0. */
  readonly startHour?: number;
}

/**
 * A day that repeats, with `meanPerSecond` on average. An hour's weight holds at its middle. Between middles the
 * curve is half a cosine wave: smooth, within the range of the weights, with their exact mean.
 */
export function dayCurve(meanPerSecond: number, options: DayOptions = {}): RateFunction {
  const { hourlyWeights = hourlyViews, dayMs: lengthMs = dayMs, startHour = 0 } = options;
  const mean = hourlyWeights.reduce((sum, weight) => sum + weight, 0) / 24;
  if (hourlyWeights.length !== 24 || !(mean > 0) || hourlyWeights.some((weight) => !(weight >= 0))) {
    throw new RangeError('expected 24 hourly weights, none negative, not all 0');
  }
  if (!(lengthMs > 0)) throw new RangeError(`expected a day longer than 0 ms, got ${lengthMs}`);
  const levels = hourlyWeights.map((weight) => (weight / mean) * meanPerSecond);
  const level = (hour: number): number => levels[((hour % 24) + 24) % 24] ?? 0;
  return {
    perSecond(atMs) {
      const sinceMiddle = (atMs / lengthMs) * 24 + startHour - 0.5;
      const hour = Math.floor(sinceMiddle);
      const progress = (1 - Math.cos(Math.PI * (sinceMiddle - hour))) / 2;
      return level(hour) + (level(hour + 1) - level(hour)) * progress;
    },
    maxPerSecond: Math.max(...levels),
  };
}

/** A rate that does not change. */
export function constantRate(perSecond: number): RateFunction {
  return { perSecond: () => perSecond, maxPerSecond: perSecond };
}

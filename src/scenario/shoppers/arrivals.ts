import { z } from 'zod';
import { randomStream } from '../../random.ts';
import { dayMs } from '../../vocabulary/quantities.ts';
import { durationSchema } from '../../vocabulary/quantity-schemas.ts';

/**
 * A two-state modulation of the arrival rate: quiet stretches and bursts, each of exponential length, with the mean
 * rate unchanged. Ours: web stores are burstier than a Poisson process (measured Hurst exponents of 0.6 at low to
 * 0.85 at heavy traffic at seven of them). Two states give bursts on the scale of their durations, not long-range
 * dependence.
 */
export const burstSettingsSchema = z.strictObject({
  /** How many times the rate of a quiet stretch a burst has. */
  factor: z.number().min(1).default(4),
  /** Mean length of a quiet stretch. */
  meanQuiet: durationSchema.default(90_000),
  /** Mean length of a burst. */
  meanBurst: durationSchema.default(15_000),
});

/** Times in milliseconds. */
type BurstSettings = z.output<typeof burstSettingsSchema>;

export interface ArrivalOptions {
  readonly seed: number;
  readonly rate: RateFunction;
  /** No arrival at or after this instant. */
  readonly untilMs: number;
  /** Left out: a plain Poisson process. */
  readonly bursts?: BurstSettings;
}

/**
 * The instants at which shoppers arrive, in ms from the start, increasing, generated on demand; equal options give
 * equal instants.
 * A non-homogeneous Poisson process by thinning (P. A. W. Lewis and G. S. Shedler, "Simulation of nonhomogeneous
 * Poisson processes by thinning", Naval Research Logistics Quarterly 26 (1979) 403–413): candidates come at the
 * constant rate λ*, and one at t is kept with probability λ(t)/λ*.
 * With bursts, λ(t) is multiplied by a two-state Markov process (an MMPP, W. Fischer and K. Meier-Hellstern,
 * Performance Evaluation 18 (1993) 149–171). Throws a `RangeError` if the rate is negative or over its maximum.
 */
export function* arrivalTimes({ seed, rate, untilMs, bursts }: ArrivalOptions): Iterable<number> {
  if (!Number.isFinite(untilMs)) throw new RangeError(`expected an end of arrivals, got ${untilMs}`);
  const random = randomStream(seed, 'arrivals');
  const stretches = bursts === undefined ? [][Symbol.iterator]() : burstStretches(seed, bursts);
  let stretch = nextStretch(stretches);
  let atMs = 0;
  while (true) {
    const candidatesPerMs = (rate.maxPerSecond * stretch.level) / 1_000;
    const candidateMs =
      candidatesPerMs > 0 ? atMs - Math.log(1 - random()) / candidatesPerMs : Number.POSITIVE_INFINITY;
    if (Math.min(candidateMs, stretch.endMs) >= untilMs) return;
    if (candidateMs >= stretch.endMs) {
      // Exponential gaps have no memory: draw afresh from the start of the next stretch.
      atMs = stretch.endMs;
      stretch = nextStretch(stretches);
      continue;
    }
    atMs = candidateMs;
    const perSecond = rate.perSecond(atMs);
    if (!(perSecond >= 0 && perSecond <= rate.maxPerSecond * (1 + 1e-9))) {
      throw new RangeError(
        `a rate of ${perSecond}/s at ${atMs} ms is not within 0 and its maximum, ${rate.maxPerSecond}/s`,
      );
    }
    if (random() * rate.maxPerSecond < perSecond) yield atMs;
  }
}

/** A time during which the modulating process keeps its state. */
interface RateStretch {
  readonly endMs: number;
  /** Multiple of the rate; 1 on average over time. */
  readonly level: number;
}

function nextStretch(stretches: Iterator<RateStretch>): RateStretch {
  const { done, value } = stretches.next();
  return done ? { endMs: Number.POSITIVE_INFINITY, level: 1 } : value;
}

/** Quiet stretches and bursts in turn without end, starting in either as often as the process is in it. */
function* burstStretches(
  seed: number,
  { factor, meanQuiet, meanBurst }: BurstSettings,
): Generator<RateStretch, undefined> {
  const random = randomStream(seed, 'bursts');
  if (!(meanQuiet > 0 && meanBurst > 0))
    throw new RangeError('expected quiet stretches and bursts longer than 0 ms');
  const burstShare = meanBurst / (meanQuiet + meanBurst);
  const quietLevel = 1 / (1 + burstShare * (factor - 1));
  let inBurst = random() < burstShare;
  let endMs = 0;
  while (true) {
    endMs -= Math.log(1 - random()) * (inBurst ? meanBurst : meanQuiet);
    yield { endMs, level: inBurst ? quietLevel * factor : quietLevel };
    inBurst = !inBurst;
  }
}

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

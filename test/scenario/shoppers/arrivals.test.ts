import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ArrivalOptions,
  arrivalTimes,
  burstSettingsSchema,
  constantRate,
  dayCurve,
  hourlyViews,
  type RateFunction,
} from '../../../src/scenario/shoppers/arrivals.ts';
import { dayMs } from '../../../src/vocabulary/quantities.ts';

const bursts = burstSettingsSchema.parse({});
const ramp: RateFunction = { perSecond: (atMs) => atMs / 1_000, maxPerSecond: 60 };

const count = (options: ArrivalOptions): number => [...arrivalTimes(options)].length;

/** Variance by mean of the counts in spans of one length: 1 for a Poisson process, more for bursts. */
function dispersion(options: ArrivalOptions, spanMs: number): number {
  const counts = Array.from({ length: Math.floor(options.untilMs / spanMs) }, () => 0);
  for (const atMs of arrivalTimes(options)) {
    const span = Math.floor(atMs / spanMs);
    counts[span] = (counts[span] ?? 0) + 1;
  }
  const mean = counts.reduce((sum, each) => sum + each, 0) / counts.length;
  const variance = counts.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (counts.length - 1);
  return variance / mean;
}

describe('arrivals', () => {
  it('increase, and stop before the end', () => {
    const times = [...arrivalTimes({ seed: 1, rate: ramp, untilMs: 60_000, bursts })];
    expect(times.length).toBeGreaterThan(1_000);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times.at(-1)).toBeLessThan(60_000);
  });

  it('are the same for the same seed, with bursts and without, and others for another', () => {
    for (const options of [{}, { bursts }]) {
      const times = (seed: number) => [
        ...arrivalTimes({ seed, rate: constantRate(5), untilMs: 20_000, ...options }),
      ];
      expect(times(3)).toEqual(times(3));
      expect(times(3)).not.toEqual(times(4));
    }
  });

  it('come one at a time: the first of a year do not wait for the rest', () => {
    const year = arrivalTimes({ seed: 1, rate: constantRate(1_000), untilMs: 365 * dayMs, bursts });
    const [first, second] = year;
    expect(first).toBeLessThan(second ?? 0);
  });

  it.each([
    { shape: 'a steady 10 a second for 100 s', rate: constantRate(10), untilMs: 100_000, integral: 1_000 },
    { shape: 'a ramp from 0 to 60 a second in 60 s', rate: ramp, untilMs: 60_000, integral: 1_800 },
    { shape: 'a day in 200 s', rate: dayCurve(7, { dayMs: 200_000 }), untilMs: 200_000, integral: 1_400 },
  ])('number as the integral of $shape, for every seed', ({ rate, untilMs, integral }) => {
    const counts = Array.from({ length: 50 }, (_, seed) => count({ seed, rate, untilMs }));
    // Each is Poisson; five standard deviations for one, four for the mean of all 50.
    for (const each of counts) expect(Math.abs(each - integral)).toBeLessThan(5 * Math.sqrt(integral));
    const mean = counts.reduce((sum, each) => sum + each, 0) / 50;
    expect(Math.abs(mean - integral)).toBeLessThan(4 * Math.sqrt(integral / 50));
  });

  it('follow the rate through time: a quarter of a ramp has passed at half its length', () => {
    const times = [...arrivalTimes({ seed: 2, rate: ramp, untilMs: 60_000 })];
    const early = times.filter((atMs) => atMs < 30_000).length / times.length;
    expect(Math.abs(early - 0.25)).toBeLessThan(0.05);
  });

  it('have a Poisson index of dispersion without bursts', () => {
    const indices = [1, 2, 3].map((seed) =>
      dispersion({ seed, rate: constantRate(5), untilMs: 20_000_000 }, 10_000),
    );
    // 2,000 spans: standard error √(2/2,000) ≈ 0.03.
    for (const index of indices) expect(Math.abs(index - 1)).toBeLessThan(0.13);
  });

  it('have the index of dispersion that theory gives with bursts, and the same mean', () => {
    // Over spans much longer than the states: 1 + 2 (λ₁ − λ₂)² r₁ r₂ / ((r₁ + r₂)² (λ₁ r₂ + λ₂ r₁)), with rate λᵢ in state
    // i and r₁, r₂ the rates of leaving it (H. Heffes and D. Lucantoni, IEEE J. Sel. Areas Commun. 4 (1986) 856–868).
    const perSecond = 2;
    const settings = burstSettingsSchema.parse({ factor: 5, meanQuiet: '3s', meanBurst: '1s' });
    const [leaveQuiet, leaveBurst] = [1 / 3, 1];
    const quiet = perSecond / (1 + 0.25 * 4);
    const burst = quiet * 5;
    const theory =
      1 +
      (2 * (quiet - burst) ** 2 * leaveQuiet * leaveBurst) /
        ((leaveQuiet + leaveBurst) ** 2 * (quiet * leaveBurst + burst * leaveQuiet));
    const options = { seed: 1, rate: constantRate(perSecond), untilMs: 60_000_000, bursts: settings };
    const index = dispersion(options, 60_000);
    // Over a finite span the index stays a little below its limit; 1,000 spans give a standard error of 4.5 %.
    expect(index / theory).toBeGreaterThan(0.8);
    expect(index / theory).toBeLessThan(1.15);
    expect(Math.abs(count(options) / 120_000 - 1)).toBeLessThan(0.03);
  });

  it('never come at rate 0', () => {
    expect(
      count({ seed: 1, rate: constantRate(0), untilMs: 1e9, bursts: { ...bursts, meanQuiet: 1e7 } }),
    ).toBe(0);
  });

  it.each([
    {
      flaw: 'a rate over its maximum',
      options: { rate: { perSecond: () => 3, maxPerSecond: 2 }, untilMs: 9_000 },
    },
    { flaw: 'a negative rate', options: { rate: { perSecond: () => -1, maxPerSecond: 2 }, untilMs: 9_000 } },
    { flaw: 'no end', options: { rate: constantRate(1), untilMs: Number.POSITIVE_INFINITY } },
    {
      flaw: 'bursts of no length',
      options: { rate: constantRate(1), untilMs: 9_000, bursts: { ...bursts, meanBurst: 0 } },
    },
  ])('are refused with $flaw', ({ options }) =>
    expect(() => count({ seed: 1, ...options })).toThrow(RangeError),
  );
});

const hourMs = 3_600_000;

/** The mean over a span by the midpoint rule. */
function meanRate(perSecond: (atMs: number) => number, spanMs: number, parts = 24_000): number {
  let sum = 0;
  for (let part = 0; part < parts; part++) sum += perSecond(((part + 0.5) * spanMs) / parts);
  return sum / parts;
}

describe('the day curve', () => {
  const day = dayCurve(10);

  it('has its hourly weight at the middle of each hour, in proportion', () => {
    for (const [hour, views] of hourlyViews.entries()) {
      const ratio = day.perSecond((hour + 0.5) * hourMs) / day.perSecond(0.5 * hourMs);
      expect(ratio).toBeCloseTo(views / (hourlyViews[0] ?? Number.NaN), 9);
    }
  });

  it('keeps the mean, for any weights', () => {
    expect(meanRate(day.perSecond, dayMs)).toBeCloseTo(10, 6);
    const weights = fc.array(fc.double({ min: 0, max: 9, noNaN: true }), { minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(weights, (hourlyWeights) => {
        fc.pre(hourlyWeights.some((weight) => weight > 0.01));
        expect(meanRate(dayCurve(3, { hourlyWeights }).perSecond, dayMs, 2_400)).toBeCloseTo(3, 3);
      }),
      { numRuns: 20 },
    );
  });

  it('is at its least in the night and at its most in the evening, ten times as much', () => {
    const minutes = Array.from({ length: 1_440 }, (_, minute) => day.perSecond(minute * 60_000));
    const trough = minutes.indexOf(Math.min(...minutes)) / 60;
    const peak = minutes.indexOf(Math.max(...minutes)) / 60;
    expect(trough).toBeGreaterThanOrEqual(1);
    expect(trough).toBeLessThan(3);
    expect(peak).toBeGreaterThanOrEqual(18);
    expect(peak).toBeLessThan(21);
    expect(Math.max(...minutes) / Math.min(...minutes)).toBeCloseTo(114 / 11.4, 6);
    expect(Math.max(...minutes)).toBeLessThanOrEqual(day.maxPerSecond);
  });

  it('repeats every day, and has no jump anywhere', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: dayMs }), (atMs) => {
        expect(day.perSecond(atMs + dayMs)).toBeCloseTo(day.perSecond(atMs), 6);
        expect(Math.abs(day.perSecond(atMs + 1_000) - day.perSecond(atMs))).toBeLessThan(0.01);
      }),
    );
  });

  it('can run in ten minutes, and from any hour', () => {
    const quick = dayCurve(10, { dayMs: 600_000, startHour: 6 });
    expect(quick.perSecond(0)).toBeCloseTo(day.perSecond(6 * hourMs), 9);
    expect(quick.perSecond(300_000)).toBeCloseTo(day.perSecond(18 * hourMs), 9);
  });

  it.each([
    { flaw: '23 hours', options: { hourlyWeights: hourlyViews.slice(1) } },
    { flaw: 'a negative hour', options: { hourlyWeights: [-1, ...hourlyViews.slice(1)] } },
    { flaw: 'nothing all day', options: { hourlyWeights: hourlyViews.map(() => 0) } },
    { flaw: 'no length', options: { dayMs: 0 } },
  ])('is refused with $flaw', ({ options }) => expect(() => dayCurve(10, options)).toThrow(RangeError));
});

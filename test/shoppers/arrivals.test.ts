import { describe, expect, it } from 'vitest';
import {
  type ArrivalOptions,
  arrivalTimes,
  burstSettingsSchema,
  constantRate,
  dayCurve,
  type RateFunction,
} from '../../src/shoppers/arrivals.ts';
import { dayMs } from '../../src/vocabulary/quantities.ts';

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

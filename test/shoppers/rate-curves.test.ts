import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayCurve, hourlyViews } from '../../src/shoppers/arrivals.ts';
import { dayMs } from '../../src/vocabulary/quantities.ts';

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

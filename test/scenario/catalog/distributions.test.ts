import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atDeviation, normalQuantile, quantile } from '../../../src/scenario/catalog/figures.ts';

describe('the normal quantile', () => {
  // M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, table 26.5.
  it.each([
    { u: 0.5, z: 0 },
    { u: 0.95, z: 1.644853627 },
    { u: 0.975, z: 1.959963985 },
    { u: 0.001, z: -3.090232306 },
    { u: 0.9999, z: 3.719016485 },
  ])('at $u is $z', ({ u, z }) => expect(normalQuantile(u)).toBeCloseTo(z, 7));

  it('is finite at both ends and odd about a half', () => {
    expect(normalQuantile(0)).toBeGreaterThan(-9);
    expect(normalQuantile(1)).toBeLessThan(9);
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 0.5, noNaN: true }), (u) => {
        expect(normalQuantile(1 - u)).toBeCloseTo(-normalQuantile(u), 6);
      }),
    );
  });
});

describe('a quantile function', () => {
  const points = [
    [0, 4],
    [0.5, 17],
    [0.9, 41],
    [1, 63],
  ] as const;

  it.each(points)('meets its point at %d', (u, value) => expect(quantile(points, u)).toBeCloseTo(value, 9));

  it('never falls', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, (one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        expect(quantile(points, less)).toBeLessThanOrEqual(quantile(points, more));
      }),
    );
  });

  it('needs a point', () => expect(() => quantile([], 0.5)).toThrow(RangeError));
});

it('a two-piece normal meets its three percentiles', () => {
  const spread = { p5: 15, p50: 25, p95: 33 };
  const atShares = [0.05, 0.5, 0.95].map((u) => atDeviation(spread, normalQuantile(u)));
  expect(atShares[0]).toBeCloseTo(15, 6);
  expect(atShares[1]).toBeCloseTo(25, 6);
  expect(atShares[2]).toBeCloseTo(33, 6);
});

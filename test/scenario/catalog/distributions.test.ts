import { hsl } from 'culori';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atDeviation, normalQuantile, quantile } from '../../../src/scenario/catalog/figures.ts';
import { generateCatalog } from '../../../src/scenario/catalog/generate.ts';

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

/** Generated catalogs against the figures published for real ones; 600 lines of a fixed seed. */
const foundations = generateCatalog({ seed: 2021, tag: 't', products: 600, kinds: ['foundation'] }).products;
const shades = foundations.flatMap((product) => product.shades);

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(share * values.length)] ?? Number.NaN;
}

describe('foundation lines', () => {
  const sizes = foundations.map((product) => product.shades.length);

  // Standard errors at 600 lines: about 0.6 of the median, 1.3 of the 90th percentile.
  it('have a median of 17 shades', () =>
    expect(Math.abs(percentile(sizes, 0.5) - 17)).toBeLessThanOrEqual(2));
  it('have 41 shades at the 90th percentile', () =>
    expect(Math.abs(percentile(sizes, 0.9) - 41)).toBeLessThanOrEqual(4));
  it('have no more than 63 shades', () => expect(Math.max(...sizes)).toBeLessThanOrEqual(63));
});

describe('foundation colours', () => {
  const colours = shades.map(({ hex }) => hsl(hex) ?? { h: Number.NaN, s: Number.NaN, l: Number.NaN });
  const hues = colours.map(({ h }) => h ?? Number.NaN);
  const saturations = colours.map(({ s }) => s);
  const lightnesses = colours.map(({ l }) => l);

  it.each([
    { share: 0.05, hue: 15, saturation: 0.28, lightness: 0.33 },
    { share: 0.5, hue: 25, saturation: 0.5, lightness: 0.66 },
    { share: 0.95, hue: 33, saturation: 0.82, lightness: 0.87 },
  ])('meet the published HSL at share $share', ({ share, hue, saturation, lightness }) => {
    expect(Math.abs(percentile(hues, share) - hue)).toBeLessThan(1);
    expect(Math.abs(percentile(saturations, share) - saturation)).toBeLessThan(0.03);
    expect(Math.abs(percentile(lightnesses, share) - lightness)).toBeLessThan(0.02);
  });
});

describe('foundation names', () => {
  const isNumberAlone = (name: string): boolean => /^(N° )?\d+[CNW]?$/.test(name);
  const isNumbered = (name: string): boolean => /^(N° )?\d+[CNW]?( |$)/.test(name);
  const shareOfLines = (holds: (name: string) => boolean): number =>
    foundations.filter((product) => product.shades.every(({ name }) => holds(name))).length /
    foundations.length;

  // 600 lines come from some 300 brands, so the standard error is near 0.04.
  it('are numbered in sequence by about 40 % of lines', () =>
    expect(Math.abs(shareOfLines(isNumbered) - 0.4)).toBeLessThan(0.1));
  it('have words in about 82 % of lines', () =>
    expect(Math.abs(1 - shareOfLines(isNumberAlone) - 0.82)).toBeLessThan(0.1));

  it('use the published commonest words most', () => {
    const counts = new Map<string, number>();
    for (const word of shades.flatMap(({ name }) => name.split(' ')).filter((each) => /[a-z]/.test(each))) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const top = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, 30);
    const published = [
      'Neutral',
      'Medium',
      'Light',
      'Warm',
      'Deep',
      'Porcelain',
      'Ivory',
      'Fair',
      'Tan',
      'Sand',
    ];
    expect(published.filter((word) => top.some(([common]) => common === word))).toEqual(published);
  });
});

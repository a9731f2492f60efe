import { describe, expect, it } from 'vitest';
import {
  all,
  counted,
  countedRange,
  listed,
  noneOf,
  number,
  percent,
  range,
  seconds,
  span,
  verb,
} from '../src/amounts.ts';

describe('a count', () => {
  it.each<[number, string]>([
    [0, '0 answers are'],
    [1, '1 answer is'],
    [2, '2 answers are'],
    [1_167, '1,167 answers are'],
    [12_864, '12,864 answers are'],
  ])('of %d agrees with noun and verb', (n, text) => {
    expect(`${counted(n, 'answer')} ${verb(n, 'is', 'are')}`).toBe(text);
  });

  it('may have another plural', () => {
    expect([0, 1, 3].map((n) => counted(n, 'query', 'queries'))).toEqual([
      '0 queries',
      '1 query',
      '3 queries',
    ]);
  });

  it('of all is not "all 1"', () => {
    expect([1, 2, 40_000].map((n) => all(n, 'record'))).toEqual([
      'The only record',
      'All 2 records',
      'All 40,000 records',
    ]);
  });

  it('of what is left out of a list is grouped as well', () => {
    const items = Array.from({ length: 1_204 }, (_, n) => `s${n}`);
    expect(listed(items, 2)).toBe('s0, s1 and 1,202 more');
    expect(listed(['a', 'b'], 2)).toBe('a, b');
  });
});

describe('a number', () => {
  it.each<[number, string]>([
    [0, '0'],
    [12_864, '12,864'],
    [1_234_567.891, '1,234,567.891'],
    [-1_500, '-1,500'],
    [0.3333333333, '0.333333'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
  ])('%d is written %s', (value, text) => {
    expect(number(value)).toBe(text);
  });
});

describe('a range', () => {
  it.each<[string, { readonly min?: number; readonly max?: number }, string]>([
    ['with equal ends is one number', { min: 36, max: 36 }, '36 shades'],
    ['with equal ends of one is singular', { min: 1, max: 1 }, '1 shade'],
    ['of nothing at all', { min: 0, max: 0 }, '0 shades'],
    ['from none to one is plural', { min: 0, max: 1 }, '0 to 1 shades'],
    ['with unequal ends has both', { min: 990, max: 1_010 }, '990 to 1,010 shades'],
    ['without an upper end', { min: 36 }, 'at least 36 shades'],
    ['without a lower end', { max: 1_000 }, 'at most 1,000 shades'],
  ])('%s', (_sentence, bounds, text) => {
    expect(countedRange(bounds, 'shade')).toBe(text);
  });

  it('without ends says nothing', () => {
    expect(range({})).toBe('any number');
  });
});

describe('a span of time', () => {
  it.each<[number, string, string]>([
    [0, '0 ms', '0 ms'],
    [850, '850 ms', '850 ms'],
    [1_000, '1 s', '1 s'],
    [60_000, '1 min', '60 s'],
    [200_000, '3 min 20 s', '200 s'],
    [7_500_000, '2 h 5 min', '7,500 s'],
  ])('of %d ms is %s for the eye, and %s as a window', (ms, eye, window) => {
    expect(span(ms)).toBe(eye);
    expect(seconds(ms)).toBe(window);
  });
});

describe('a share', () => {
  it.each<[number, string]>([
    [0, '0 %'],
    [0.0025, '0.25 %'],
    [0.029, '2.9 %'],
    [0.5, '50 %'],
    [1, '100 %'],
  ])('%d is %s', (share, text) => {
    expect(percent(share)).toBe(text);
  });

  it.each<[number, RegExp]>([
    [1, /above 95 %/],
    [103, /above 2\.9 %/],
    [2_995, /above 0\.1\d? %/],
  ])('that none of %d samples excludes is the least with less than 5 %% chance', (n, text) => {
    expect(noneOf(n)).toMatch(text);
  });

  it('that is said to be excluded is never smaller than what is', () => {
    for (let n = 1; n < 5_000; n += 7) {
      const said = Number(/above ([\d.]+) %/.exec(noneOf(n))?.[1]) / 100;
      expect((1 - said) ** n, String(n)).toBeLessThanOrEqual(0.05 + 1e-9);
    }
  });
});

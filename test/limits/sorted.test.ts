import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countBelow,
  countUpTo,
  nearBelow,
  nearUpTo,
  orderOf,
  RangeMinimum,
  sortedNearly,
} from '../../src/limits/arrays.ts';

const values = fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 60 });

describe('a count that is sought from the one before', () => {
  it('is the count that is sought in the whole array, in any order of the bounds', () => {
    fc.assert(
      fc.property(values, values, (unsorted, bounds) => {
        const ascending = Float64Array.from(unsorted).sort();
        const [below, upTo] = [nearBelow(ascending), nearUpTo(ascending)];
        return bounds.every(
          (bound) =>
            below(bound) === countBelow(ascending, bound) && upTo(bound) === countUpTo(ascending, bound),
        );
      }),
    );
  });
});

it.each([
  ['stand in order but for a few', 3],
  ['stand in any order', 100_000],
])('the order of values is ascending, equal ones as they come, where they %s', (_, apart) => {
  fc.assert(
    fc.property(fc.array(fc.nat(apart), { minLength: 1, maxLength: 200 }), (late) => {
      const values = Float64Array.from(late, (each, at) => at + each);
      const places = Array.from(values, (_, at) => at);
      expect([...orderOf(values)]).toEqual(
        places.toSorted((a, b) => (values[a] as number) - (values[b] as number)),
      );
    }),
  );
});

it.each([
  ['nearly in order', (n: number) => n + 40 * Math.sin(n * 7)],
  ['in reverse', (n: number) => -n],
  ['in no order', (n: number) => Math.sin(n * 7)],
  ['all alike', () => 1],
])('puts values in order that stand %s', (_, of) => {
  const values = Float64Array.from({ length: 3_000 }, (_value, n) => of(n));
  const expected = [...values].toSorted((a, b) => a - b);
  expect([...sortedNearly(values)]).toEqual(expected);
});

it('finds the place of the least value in any range, the first of equal ones', () => {
  fc.assert(
    fc.property(
      values.filter(({ length }) => length > 0),
      fc.nat(60),
      fc.nat(60),
      (all, a, b) => {
        const minimum = new RangeMinimum(Float64Array.from(all));
        const [from, to] = [Math.min(a, b, all.length), Math.min(Math.max(a, b), all.length)];
        const part = all.slice(from, to);
        const expected = part.length === 0 ? undefined : from + part.indexOf(Math.min(...part));
        expect(minimum.indexIn(from, to)).toBe(expected);
      },
    ),
  );
});

it('finds the order of many values that stand in none', () => {
  const many = Float64Array.from({ length: 3_000 }, (_value, n) => Math.sin(n * 7));
  const places = Array.from(many, (_, at) => at);
  expect([...orderOf(many)]).toEqual(places.toSorted((a, b) => (many[a] as number) - (many[b] as number)));
});

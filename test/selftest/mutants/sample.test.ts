import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inSampleOrder } from '../../../src/selftest/mutants/sample.ts';

const items = fc.uniqueArray(
  fc.record({
    id: fc.nat(),
    operator: fc.constantFrom('comparison', 'sql', 'field'),
    path: fc.constantFrom('a.ts', 'b.ts'),
  }),
  { selector: ({ id }) => id, maxLength: 80 },
);

describe('the order of a sample', () => {
  it('holds each mutant once, and is the same for a seed', () => {
    fc.assert(
      fc.property(items, fc.nat(), (all, seed) => {
        const order = inSampleOrder(all, seed);
        expect(order.map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id).toSorted());
        expect(inSampleOrder(all, seed)).toEqual(order);
      }),
    );
  });

  it('gives each operator in each file its share of every beginning', () => {
    fc.assert(
      fc.property(items, fc.nat(), (all, seed) => {
        const order = inSampleOrder(all, seed);
        const strata = Map.groupBy(all, ({ operator, path }) => `${operator} ${path}`);
        for (let length = 1; length <= all.length; length++) {
          const taken = Map.groupBy(order.slice(0, length), ({ operator, path }) => `${operator} ${path}`);
          for (const [stratum, members] of strata) {
            const share = (length * members.length) / all.length;
            // Each stratum begins at a random place within its step, so the others may be a step ahead or behind.
            const slack = 1 + (strata.size * members.length) / all.length;
            expect(Math.abs((taken.get(stratum)?.length ?? 0) - share)).toBeLessThanOrEqual(slack);
          }
        }
      }),
    );
  });

  it('differs between seeds', () => {
    const all = Array.from({ length: 50 }, (_, id) => ({ id, operator: 'sql', path: 'a.ts' }));
    const orders = [1, 2, 3].map((seed) =>
      inSampleOrder(all, seed)
        .map(({ id }) => id)
        .join(),
    );
    expect(new Set(orders).size).toBe(3);
  });
});

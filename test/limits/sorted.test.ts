import fc from 'fast-check';
import { describe, it } from 'vitest';
import { countBelow, countUpTo, nearBelow, nearUpTo } from '../../src/limits/sorted.ts';

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

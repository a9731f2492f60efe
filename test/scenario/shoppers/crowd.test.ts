import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonOdds, probabilityOf } from '../../../src/scenario/shoppers/crowd.ts';

describe('common odds', () => {
  const groups = fc.array(
    fc.record({
      share: fc.double({ min: 0.01, max: 1, noNaN: true }),
      factor: fc.double({ min: 0.1, max: 10, noNaN: true }),
    }),
    { minLength: 1, maxLength: 6 },
  );

  it('meet the target for all groups together, whatever their factors', () => {
    fc.assert(
      fc.property(groups, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (parts, part) => {
        const target = part * parts.reduce((sum, { share }) => sum + share, 0);
        const odds = commonOdds(parts, target);
        const reached = parts.reduce(
          (sum, { share, factor }) => sum + share * probabilityOf(odds * factor),
          0,
        );
        expect(reached).toBeCloseTo(target, 9);
      }),
    );
  });

  it('are 0 for a target of 0 and infinite for the whole population', () => {
    const parts = [
      { share: 0.5, factor: 2 },
      { share: 0.25, factor: 1 },
    ];
    expect(commonOdds(parts, 0)).toBe(0);
    expect(commonOdds(parts, 0.75)).toBe(Number.POSITIVE_INFINITY);
    expect(probabilityOf(Number.POSITIVE_INFINITY)).toBe(1);
  });
});

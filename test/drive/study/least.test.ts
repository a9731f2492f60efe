import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortestSearch } from '../../../src/drive/study/capacity/timing.ts';
import { leastBudgetOf } from '../../../src/drive/study/cost.ts';
import { studyCapacity, studyLimits, studyQuota } from '../../../src/scenario/study.ts';

const minute = { exclusive_keys: false, rate_limit: { requests: 1_000, windowMs: 60_000 } };
const own = { ...minute, exclusive_keys: true };

describe('the least useful budget', () => {
  it('of a study of limits is a window, and the rest before it where keys may have been used', () => {
    expect(leastBudgetOf(studyLimits(), own)?.ms).toBe(60_000);
    expect(leastBudgetOf(studyLimits(), minute)?.ms).toBe(138_000);
  });

  it('of a study of the quota there is none: it counts sessions, not time', () => {
    expect(leastBudgetOf(studyQuota(), own)).toBeUndefined();
  });

  it('of a study of capacity is that of the lowest knee: a load to wake the target, four steps up, three back, five repeats on either side', () => {
    const study = studyCapacity({ under: '50ms', percentile: 50, from: '100/s', each: '2s' });
    const shortest = shortestSearch(study);
    expect(shortest?.steps).toBe(1 + 4 + 3 + 2 * 5);
    // 18 steps and 17 rests of 250 ms, in 65 % of the budget.
    expect(shortest?.budgetMs).toBe(Math.ceil((18 * 2_000 + 16 * 250) / 0.65));
  });

  it('of a study of capacity grows with its steps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }), (a, b) => {
        const leastMs = (each: number): number =>
          shortestSearch(studyCapacity({ under: '50ms', each: `${each}s` }))?.budgetMs ?? 0;
        expect(Math.sign(leastMs(a) - leastMs(b))).toBe(Math.sign(a - b));
      }),
    );
  });

  it('is none where too few rates or repeats are allowed for any certainty', () => {
    for (const few of [{ from: '10/s', most: '10/s' }, { repeats: 3 }] as const)
      expect(shortestSearch(studyCapacity({ under: '50ms', ...few }))).toBeUndefined();
  });
});

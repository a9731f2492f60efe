import { describe, expect, it } from 'vitest';
import { LimitFromAdmissions, LimitFromRefusals, LimitRange } from '../../src/limits/kinds/kind.ts';

describe('the limits that explain some answers', () => {
  it('are all at first', () => {
    const range = new LimitRange();
    expect([range.min, range.max, range.minSetBy, range.maxSetBy]).toEqual([
      0,
      Number.POSITIVE_INFINITY,
      -1,
      -1,
    ]);
    expect([range.isEmpty, range.includes(0), range.includes(1e9)]).toEqual([false, true, true]);
  });

  it('are bounded by the request that says most, the first of several that say it', () => {
    const range = new LimitRange();
    range.atLeast(3, 1);
    range.atLeast(3, 2);
    range.atLeast(2, 3);
    range.atMost(5, 4);
    range.atMost(5, 5);
    range.atMost(6, 6);
    expect([range.min, range.minSetBy, range.max, range.maxSetBy]).toEqual([3, 1, 5, 4]);
    expect([2, 3, 5, 6].map((limit) => range.includes(limit))).toEqual([false, true, true, false]);
  });

  it('are one where both bounds meet, and none where they cross', () => {
    const range = new LimitRange();
    range.atLeast(4, 0);
    range.atMost(4, 1);
    expect(range.isEmpty).toBe(false);
    range.atLeast(5, 2);
    expect(range.isEmpty).toBe(true);
  });

  it('count requests from where the current trace begins', () => {
    const range = new LimitRange();
    range.base = 100;
    range.atLeast(1, 7);
    range.atMost(9, 8);
    expect([range.minSetBy, range.maxSetBy]).toEqual([107, 108]);
  });

  it('are none once one request is impossible, which is then named for both', () => {
    const range = new LimitRange();
    range.atLeast(2, 1);
    range.refute(6);
    expect([range.isEmpty, range.minSetBy, range.maxSetBy]).toEqual([true, 6, 6]);
  });

  it('can be asked of admissions alone, or of rejections alone', () => {
    const [passed, refused] = [new LimitFromAdmissions(), new LimitFromRefusals()];
    for (const range of [passed, refused]) {
      range.atLeast(3, 0);
      range.atMost(2, 1);
    }
    expect([passed.min, passed.max]).toEqual([3, Number.POSITIVE_INFINITY]);
    expect([refused.min, refused.max]).toEqual([0, 2]);
  });
});

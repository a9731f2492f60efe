import { describe, expect, test } from 'vitest';
import { KeyedLimiter, limiterAlgorithms, limiterNames } from '../../src/service/limiters.ts';

const limit = { requests: 3, windowMs: 1_000 };

describe.each(limiterNames)('%s, kept for many subjects', (name) => {
  test('one subject spends nothing of another', () => {
    const limiter = new KeyedLimiter(limiterAlgorithms[name], limit);
    for (let i = 0; i < 3; i++) limiter.take('a', 0);
    expect(limiter.take('a', 0).admitted).toBe(false);
    expect(limiter.take('b', 0).admitted).toBe(true);
  });

  test('a flood of other subjects does not give a used-up one its limit back', () => {
    const limiter = new KeyedLimiter(limiterAlgorithms[name], limit);
    for (let i = 0; i < 3; i++) limiter.take('a', 0);
    for (let i = 0; i < 10_000; i++) limiter.take(`other-${i}`, 0);
    expect(limiter.take('a', 0).admitted).toBe(false);
  });

  test('subjects that have gone quiet are forgotten, so a stream of new ones takes bounded memory', () => {
    const limiter = new KeyedLimiter(limiterAlgorithms[name], limit);
    let most = 0;
    for (let i = 0; i < 50_000; i++) {
      limiter.take(`subject-${i}`, i);
      most = Math.max(most, limiter.size);
    }
    // Some 1,000 are active in any window, 2,000 in any two.
    expect(most).toBeLessThanOrEqual(4_096);
  });
});

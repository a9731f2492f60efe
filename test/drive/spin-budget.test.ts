import { describe, expect, it } from 'vitest';
import { SpinBudget } from '../../src/drive/clock/alarm.ts';

describe('a spin budget', () => {
  it('allows what it has saved', () => {
    const budget = new SpinBudget(0, 20);
    expect(budget.allows(20, 0)).toBe(true);
    expect(budget.allows(20.1, 0)).toBe(false);
  });

  it('saves a twentieth of the time, up to its bound', () => {
    const budget = new SpinBudget(0, 20);
    budget.spent(20);
    expect(budget.allows(1, 19)).toBe(false);
    expect(budget.allows(1, 20)).toBe(true);
    expect(budget.allows(20.1, 10_000)).toBe(false);
  });

  it.each([
    ['spun in time for 0.3 ms a wait at 60 a second', 0.018, 0.3, 0, true],
    ['spun in time for 0.3 ms a wait at 500 a second', 0.15, 0.3, 0, false],
    ['was late at every other of 60 waits a second', 0.018, 0.3, 0.5, false],
  ])('of a thread that %s is or is not left after ten seconds', (_how, shareOfTime, spinMs, late, isLeft) => {
    const budget = new SpinBudget(0, 20);
    const waits = Math.round((10_000 * shareOfTime) / spinMs);
    let refused = 0;
    for (let wait = 1; wait <= waits; wait++) {
      if (!budget.allows(spinMs, (wait / waits) * 10_000)) refused++;
      else if (wait * late === Math.round(wait * late) && late > 0) budget.cameLate();
      else budget.spent(spinMs);
    }
    expect(refused / waits > 0.1).toBe(!isLeft);
  });
});

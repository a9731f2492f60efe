import { describe, expect, it } from 'vitest';
import { epochMs, systemClock } from '../../src/drive/clock.ts';

describe('the clock of a run', () => {
  it('starts at zero, and never goes back', () => {
    const clock = systemClock();
    let last = clock.nowNs();
    expect(last).toBeGreaterThanOrEqual(0);
    for (let n = 0; n < 10_000; n++) {
      const now = clock.nowNs();
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });

  it.each([0, 1, 5, 40])('does not wake before an instant that is %d ms away', async (ms) => {
    const clock = systemClock();
    const dueNs = clock.nowNs() + ms * 1e6;
    await clock.until(dueNs);
    expect(clock.nowNs()).toBeGreaterThanOrEqual(dueNs);
  });

  it('resolves at once for an instant that has passed', async () => {
    const clock = systemClock();
    await clock.until(-5e9);
    expect(clock.nowNs()).toBeLessThan(1e9);
  });

  it('knows which wall-clock time its instants were at', () => {
    expect(epochMs({ zeroEpochMs: 1_000 }, 2.5e9)).toBe(3_500);
    expect(Math.abs(epochMs(systemClock(), 0) - Date.now())).toBeLessThan(5_000);
  });
});

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { epochMs, isoTimes, systemClock, zeroOf } from '../../src/drive/clock/clock.ts';

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

  it('shows the same in another thread: what is read there is between what is read here before and after', async () => {
    const clock = systemClock();
    const reader = new URL('./fixtures/clock-reader.ts', import.meta.url);
    const thread = new Worker(reader, { workerData: zeroOf(clock) });
    // Two clocks are matched by reading both, one after the other; a read takes a fraction of this.
    const matchedNs = 20_000;
    for (let n = 0; n < 20; n++) {
      const beforeNs = clock.nowNs();
      thread.postMessage('');
      const [thereNs] = (await once(thread, 'message')) as [number];
      expect(thereNs).toBeGreaterThanOrEqual(beforeNs - matchedNs);
      expect(thereNs).toBeLessThanOrEqual(clock.nowNs() + matchedNs);
    }
    await thread.terminate();
    expect(systemClock(zeroOf(clock)).zeroEpochMs).toBe(clock.zeroEpochMs);
  });

  it('knows which wall-clock time its instants were at', () => {
    expect(epochMs({ zeroEpochMs: 1_000 }, 2.5e9)).toBe(3_500);
    expect(Math.abs(epochMs(systemClock(), 0) - Date.now())).toBeLessThan(5_000);
  });
});

it('the time in a body is written as everybody writes it, whatever was written before', () => {
  const isoTime = isoTimes();
  const instant = fc.double({ min: 0, max: Date.UTC(2100, 0), noNaN: true });
  fc.assert(
    fc.property(instant, fc.array(fc.integer({ min: -2_000, max: 2_000 })), (epochMs, steps) => {
      for (const step of [0, ...steps]) {
        const at = Math.max(0, epochMs + step);
        expect(isoTime(at)).toBe(new Date(at).toISOString());
      }
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fastestPerSecond, Governor } from '../../src/drive/ask/governor.ts';
import { VirtualClock } from './virtual.ts';

const second = 1e9;

describe('requests outside the load', () => {
  it('is never more than 70 % of the limit within any window, the load included', () => {
    const limits = fc.record({
      requests: fc.integer({ min: 2, max: 60 }),
      windowMs: fc.integer({ min: 100, max: 5_000 }),
    });
    fc.assert(
      fc.property(limits, fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 20 }), (limit, load) => {
        const governor = new Governor(new VirtualClock(), limit);
        // A load that keeps to the same share itself.
        const most = Math.max(1, Math.floor(limit.requests * 0.7));
        const sent = load.slice(0, most).sort((a, b) => a - b);
        for (const atMs of sent) governor.note(atMs * 1e6);
        const asked = Array.from({ length: 40 }, () => governor.take() / 1e6);
        const all = [...sent, ...asked].sort((a, b) => a - b);
        for (const [index, atMs] of all.entries()) {
          // The next after `most` others comes a whole window later; but for rounding of nanoseconds.
          const later = all[index + most];
          if (asked.includes(later ?? -1)) expect((later ?? 0) - atMs).toBeGreaterThan(limit.windowMs - 1e-3);
        }
      }),
    );
  });

  it('is that part of the limit where each may be delivered, and counted, several times', () => {
    const governor = new Governor(new VirtualClock(), { requests: 20, windowMs: 10_000 }, 2);
    const slots = Array.from({ length: 8 }, () => governor.take());
    expect(slots.filter((slot) => slot < 10 * second)).toHaveLength(7);
  });

  it('comes no faster than 80 a second, whatever the limit allows', () => {
    const governor = new Governor(new VirtualClock(), { requests: 1e6, windowMs: 1_000 });
    const slots = Array.from({ length: 100 }, () => governor.take());
    for (const [index, slot] of slots.entries())
      expect(slot).toBeCloseTo((index * second) / fastestPerSecond, -1);
  });

  it('leaves room for interactions that may spend the limit, unless the request may be rejected', () => {
    const governor = new Governor(new VirtualClock(), { requests: 100, windowMs: 60_000 });
    for (let n = 0; n < 100; n++) governor.note(n * 1e6, 'possible');
    expect(governor.nextSlotNs(1 * second)).toBeGreaterThanOrEqual(60 * second);
    expect(governor.hasRoom(1 * second)).toBe(true);
    for (let n = 0; n < 100; n++) governor.note(n * 1e6, 'certain');
    expect(governor.hasRoom(1 * second)).toBe(false);
  });

  it('comes at once after a pause longer than a window', () => {
    const governor = new Governor(new VirtualClock(), { requests: 10, windowMs: 1_000 });
    for (let n = 0; n < 10; n++) governor.note(0);
    expect(governor.nextSlotNs(5 * second)).toBe(5 * second);
  });

  it('is slower after a 429, becomes faster again window by window, and stays below what is rejected again', () => {
    const clock = new VirtualClock();
    const governor = new Governor(clock, { requests: 1e6, windowMs: 1_000 });
    const perSecond = (): number => {
      const slots = Array.from({ length: 10 }, () => governor.take());
      clock.stall((slots.at(-1) ?? 0) - clock.nowNs());
      return Math.round((9 * second) / ((slots.at(-1) ?? 0) - (slots[0] ?? 0)));
    };
    const afterAWhile = (): number => Array.from({ length: 60 }, perSecond).at(-1) ?? 0;
    expect(afterAWhile()).toBe(80);
    governor.rejected();
    expect(perSecond()).toBe(57);
    expect(afterAWhile()).toBe(80);
    governor.rejected();
    expect(perSecond()).toBe(57);
    expect(afterAWhile()).toBe(57);
  });

  it('comes once a window where the limit is a single request', () => {
    const governor = new Governor(new VirtualClock(), { requests: 1, windowMs: 1_000 });
    expect([governor.take(), governor.take(), governor.take()]).toEqual([0, second, 2 * second]);
  });
});

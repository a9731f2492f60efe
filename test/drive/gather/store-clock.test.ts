import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClockReading, clockErrorNs, zeroBoundsOf } from '../../../src/drive/gather/store.ts';

const gap = fc.double({ min: 0, max: 20, noNaN: true });
const readingsOf = fc.record({
  /** What the store's clock really shows at this program's zero. */
  zeroMs: fc.double({ min: 1.7e12 - 2e5, max: 1.7e12 + 2e5, noNaN: true }),
  tickMs: fc.double({ min: 0.001, max: 10, noNaN: true }),
  gaps: fc.array(fc.record({ before: gap, within: gap, after: gap }), { minLength: 2, maxLength: 60 }),
});

/** Readings of a clock that is `zeroMs` ahead and shows its last tick. */
function readings({
  gaps,
  tickMs,
  zeroMs,
}: typeof readingsOf extends fc.Arbitrary<infer T> ? T : never): ClockReading[] {
  let nowMs = 0;
  return gaps.map(({ after, before, within }) => {
    nowMs += before;
    const beforeMs = nowMs;
    nowMs += within;
    const storeMs = Math.floor((zeroMs + nowMs) / tickMs) * tickMs;
    nowMs += after;
    return { beforeMs, afterMs: nowMs, storeMs };
  });
}

/** Doubles of epoch milliseconds are this coarse. */
const coarseMs = 0.001;

describe('what is known of the store’s clock', () => {
  it('always has the truth in it, however coarse the clock, slow the store and far apart the clocks', () => {
    fc.assert(
      fc.property(readingsOf, (made) => {
        const bounds = zeroBoundsOf(readings(made), { resolutionMs: 10 });
        expect(bounds?.minMs).toBeLessThanOrEqual(made.zeroMs + coarseMs);
        expect(bounds?.maxMs).toBeGreaterThanOrEqual(made.zeroMs - coarseMs);
      }),
    );
  });

  it('is bounded by the last reading before a tick, if ticks show in time, however far apart they are', () => {
    const lateMs = fc.double({ min: 0, max: 50, noNaN: true });
    fc.assert(
      fc.property(readingsOf, lateMs, (made, late) => {
        const second = readings({ ...made, zeroMs: made.zeroMs - late, tickMs: 1_000 });
        const bounds = zeroBoundsOf(second, { resolutionMs: 1_000, tickLateMs: 50 });
        expect(bounds?.minMs).toBeLessThanOrEqual(made.zeroMs + coarseMs);
        expect(bounds?.maxMs).toBeGreaterThanOrEqual(made.zeroMs - coarseMs);
      }),
    );
    const around = [
      { beforeMs: 0, afterMs: 10, storeMs: 5_000 },
      { beforeMs: 20, afterMs: 30, storeMs: 6_000 },
    ];
    expect(zeroBoundsOf(around, { resolutionMs: 1_000, tickLateMs: 50 })).toEqual({
      minMs: 5_970,
      maxMs: 6_050,
    });
    expect(zeroBoundsOf(around, { resolutionMs: 1_000 })).toEqual({ minMs: 5_970, maxMs: 6_980 });
  });

  it('is nothing where the clock went back meanwhile', () => {
    const reading = (atMs: number, storeMs: number): ClockReading => ({
      beforeMs: atMs,
      afterMs: atMs,
      storeMs,
    });
    expect(zeroBoundsOf([reading(0, 1_000), reading(10, 500)], { resolutionMs: 10 })).toBeUndefined();
    const coarse = { resolutionMs: 1_000, tickLateMs: 50 };
    expect(zeroBoundsOf([reading(0, 5_000), reading(500, 4_000)], coarse)).toBeUndefined();
  });

  it('bounds the error of every instant by the widest of what was seen before and after', () => {
    const bounds = [
      { minMs: 100, maxMs: 110 },
      { minMs: 97, maxMs: 108 },
    ];
    expect(clockErrorNs(100, bounds)).toBe(10e6);
    expect(clockErrorNs(109, bounds)).toBe(12e6);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyedLimiter, limiterAlgorithms } from '../../src/service/limiters.ts';
import { limiterNames } from '../../src/service/options.ts';
import { references } from './limiter-references.ts';

const limits = fc.record({
  requests: fc.integer({ min: 1, max: 40 }),
  windowMs: fc.integer({ min: 1, max: 500 }),
});
/** Gaps between requests: bursts, drips, silences, and gaps on a grid that tends to meet boundaries. */
const gapsMs = fc.array(
  fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 20 }),
    fc.integer({ min: 0, max: 1_200 }),
    fc.constantFrom(50, 100, 250, 500),
  ),
  { maxLength: 200 },
);
const startMs = fc.integer({ min: 0, max: 100_000 });

describe.each(limiterNames)('%s', (name) => {
  const algorithm = limiterAlgorithms[name];

  test('decides as its definition does, request by request', () => {
    fc.assert(
      fc.property(limits, startMs, gapsMs, (limit, start, gaps) => {
        const limiter = algorithm(limit);
        const admittedMs: number[] = [];
        let nowMs = start;
        for (const gap of gaps) {
          nowMs += gap;
          const expected = references[name](limit, admittedMs, nowMs);
          expect(limiter.take(nowMs).admitted).toBe(expected);
          if (expected) admittedMs.push(nowMs);
        }
      }),
    );
  });

  test('admits exactly as many at once as it says remain, one more after the wait it names, and none sooner', () => {
    fc.assert(
      fc.property(limits, startMs, gapsMs, (limit, start, gaps) => {
        const pastMs = [start];
        for (const gap of gaps) pastMs.push((pastMs.at(-1) ?? start) + gap);
        const nowMs = pastMs.at(-1) ?? start;
        const decisionNow = () => {
          const limiter = algorithm(limit);
          const decisions = pastMs.map((atMs) => limiter.take(atMs));
          return { limiter, last: decisions.at(-1) };
        };
        /** How many requests are admitted at once at `atMs`, with nothing in between. */
        const admittedAt = (atMs: number): number => {
          const { limiter } = decisionNow();
          let count = 0;
          while (limiter.take(atMs).admitted) count++;
          return count;
        };
        const { last } = decisionNow();
        const remaining = last?.remaining ?? Number.NaN;
        const waitMs = Math.ceil(last?.moreInMs ?? Number.NaN);
        if (last?.admitted === false) expect(remaining).toBe(0);
        expect(waitMs).toBeGreaterThan(0);
        expect(admittedAt(nowMs)).toBe(remaining);
        expect(admittedAt(nowMs + waitMs - 1)).toBe(remaining);
        expect(admittedAt(nowMs + waitMs)).toBeGreaterThan(remaining);
      }),
    );
  });

  test('once idle, decides everything that follows as a new one would', () => {
    fc.assert(
      fc.property(limits, startMs, gapsMs, gapsMs, (limit, start, gapsBefore, gapsAfter) => {
        const used = algorithm(limit);
        let nowMs = start;
        for (const gap of gapsBefore) {
          nowMs += gap;
          used.take(nowMs);
        }
        while (!used.isIdle(nowMs)) nowMs += Math.ceil(limit.windowMs / 3);
        const fresh = algorithm(limit);
        for (const gap of gapsAfter) {
          nowMs += gap;
          expect(used.take(nowMs)).toEqual(fresh.take(nowMs));
        }
      }),
    );
  });
});

const limit = { requests: 3, windowMs: 1_000 };

describe.each(limiterNames)('%s, kept for many subjects', (name) => {
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

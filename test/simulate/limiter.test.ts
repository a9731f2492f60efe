import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLimiter, limiterNames } from '../../src/simulate/service.ts';
import { references } from '../service/limiter-references.ts';

const limits = fc.record({
  requests: fc.integer({ min: 1, max: 40 }),
  windowMs: fc.integer({ min: 1, max: 500 }),
});
/** Gaps between requests in ns: bursts, drips, silences, and gaps on a grid that tends to meet boundaries. */
const gapsNs = fc.array(
  fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 20e6 }),
    fc.integer({ min: 0, max: 1_200e6 }),
    fc.constantFrom(50e6, 100e6, 250e6, 500e6),
  ),
  { maxLength: 200 },
);

describe.each(limiterNames)('a modelled %s', (name) => {
  test('decides to the nanosecond as its definition in exact fractions does', () => {
    fc.assert(
      fc.property(
        limits,
        fc.integer({ min: 0, max: 1e12 }),
        gapsNs,
        ({ requests, windowMs }, start, gaps) => {
          const limiter = createLimiter(name, { requests, windowMs });
          const admittedNs: number[] = [];
          let nowNs = start;
          for (const gap of gaps) {
            nowNs += gap;
            const expected = references[name]({ requests, windowMs: windowMs * 1e6 }, admittedNs, nowNs);
            expect(limiter(nowNs)).toBe(expected);
            if (expected) admittedNs.push(nowNs);
          }
        },
      ),
    );
  });

  test('admits a limit of 5,000 at once, rejects the next, and has fully recovered two windows later', () => {
    const limiter = createLimiter(name, { requests: 5_000, windowMs: 60_000 });
    const admitted = (atNs: number): number =>
      Array.from({ length: 5_001 }, () => limiter(atNs)).filter((each) => each).length;
    expect([admitted(0), admitted(120e9), admitted(240e9)]).toEqual([5_000, 5_000, 5_000]);
  });
});

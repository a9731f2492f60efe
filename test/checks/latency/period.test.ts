import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPeriod } from '../../../src/checks/latency/regular.ts';
import { randomStream } from '../../../src/random.ts';
import { times } from '../../effort.ts';

/** Every so manieth of so many, each off its place by no more than `off`. */
function regular(every: number, count: number, off: (n: number) => number = () => 0): number[] {
  return Array.from({ length: count }, (_, n) => (n + 1) * every + off(n));
}

describe('events in a sequence', () => {
  it.each<[string, readonly number[], number | undefined]>([
    ['of which some are missing recur all the same', regular(50, 30).filter((_, n) => n % 4 !== 1), 50],
    ['with one elsewhere recur all the same', [...regular(100, 10), 1_037].toSorted((a, b) => a - b), 100],
    ['that come in pairs are one event each', regular(100, 10).flatMap((rank) => [rank, rank + 1]), 100],
    [
      'of which half stand elsewhere do not recur',
      [...regular(100, 8), ...regular(77, 8)].toSorted((a, b) => a - b),
      undefined,
    ],
    ['in one heap do not recur', Array.from({ length: 50 }, (_, n) => 1_000 + n), undefined],
    ['that follow each other for long do not recur', Array.from({ length: 400 }, (_, n) => 3 * n), undefined],
    ['of which there are five recur in no way that shows', regular(100, 5), undefined],
    ['of which there are none do not recur', [], undefined],
  ])('%s', (_, ranks, every) => {
    const found = findPeriod(ranks);
    expect(found === undefined || found.log10Chance > -5 ? undefined : found.every).toBe(every);
  });

  it('are told to recur by accident about as seldom as is said', () => {
    // Of sets of places drawn at random, a hundredth at most may look like a chance under one in a hundred.
    const sets = times(5_000, 20_000);
    const random = randomStream(7, 'places');
    let surprising = 0;
    let unbelievable = 0;
    for (let set = 0; set < sets; set++) {
      const places = Array.from({ length: 6 + Math.floor(random() * 10) }, () =>
        Math.floor(random() * 1_000),
      );
      const chance = findPeriod(places.toSorted((a, b) => a - b))?.log10Chance ?? 0;
      if (chance < -2) surprising++;
      if (chance < -7) unbelievable++;
    }
    expect(surprising).toBeLessThan(sets / 100);
    expect(unbelievable).toBe(0);
  });

  it('recur at whatever step there is, from wherever it begins, in whatever order they arrive', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 60, max: 2_000 }),
        fc.nat(5_000),
        fc.integer({ min: 12, max: 60 }),
        fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 60, maxLength: 60 }),
        (every, from, count, offs) => {
          const found = findPeriod(regular(every, count, (n) => from + (offs[n] ?? 0)));
          expect(found?.log10Chance).toBeLessThan(-7);
          // The step itself, or one next to it that over this length cannot be told from it.
          expect(Math.abs((found?.every ?? 0) - every)).toBeLessThanOrEqual(1);
        },
      ),
      { seed: 11, numRuns: 200 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { agreedMismatches, arrivalsOf, guessesOf, mismatches } from '../../src/limits/arrivals.ts';
import { written } from './written.ts';

const s = 1e9;
const inSeconds = (instants: Float64Array): number[] => Array.from(instants, (ns) => ns / s);

describe('a request is taken to have arrived', () => {
  it('halfway through its round trip, or when it was sent if it has no answer', () => {
    // The first trip is so slow that the others overtake it.
    const { atNs, index, outcome } = arrivalsOf(written('0~10+ 1~2- 3~9? 4~6+'));
    expect([inSeconds(atNs), [...index], [...outcome]]).toEqual([
      [1.5, 3, 5, 5],
      [1, 2, 0, 3],
      [1, 2, 0, 0],
    ]);
  });

  it.each([
    ['with a rejection: by the usual trip of rejections', '0~10+ 11~12- 13~15- 16~17-', [5, 0.5, 9.5]],
    ['without one: by the usual trip of admissions', '0~10+ 11~12+ 13~14+', [5, 0.5, 9.5]],
    ['with two trips: by the longer', '0~10- 11~13-', [5, 5, 5]],
  ])('both ways, at once, or at last, %s', (_, requests, first) => {
    const guesses = guessesOf([written(requests)]);
    expect(guesses.map(([arrivals]) => (arrivals?.atNs[arrivals.index.indexOf(0)] ?? 0) / s)).toEqual(first);
  });

  it('in each of several traces by itself', () => {
    const guesses = guessesOf([written('0~2+'), written('0~4+ 5~9+')]);
    expect(guesses.map((traces) => traces.map(({ atNs }) => inSeconds(atNs)))).toEqual([
      [[1], [2, 7]],
      [[1], [2, 7]],
      [[1], [2, 7]],
    ]);
  });

  it('does not move one that took no longer than usual', () => {
    const moved = guessesOf([written('0~1- 2~4- 5~11-')]).map(([each]) =>
      inSeconds(each?.atNs ?? new Float64Array()),
    );
    expect(moved).toEqual([
      [0.5, 3, 8],
      [0.5, 3, 6],
      [0.5, 3, 10],
    ]);
  });
});

describe('answers that differ from a limiter', () => {
  const arrivals = arrivalsOf(written('0+ 1- 2? 3+ 4-'));

  it('are those that it would have given otherwise; an unclear answer never differs', () => {
    expect(mismatches(arrivals, () => true)).toBe(2);
    expect(mismatches(arrivals, () => false)).toBe(2);
    expect(mismatches(arrivals, (atNs) => atNs === 0 || atNs === 3 * s)).toBe(0);
  });

  it('are counted no further than is enough', () => {
    const asked: number[] = [];
    const decide = (atNs: number): boolean => {
      asked.push(atNs / s);
      return false;
    };
    expect(mismatches(arrivals, decide, 1)).toBe(1);
    expect(asked).toEqual([0]);
  });

  it('tell the limiter what really happened, and nothing where that is unclear', () => {
    const told: (boolean | undefined)[] = [];
    mismatches(arrivals, (_, passed) => {
      told.push(passed);
      return true;
    });
    expect(told).toEqual([true, false, undefined, true, false]);
  });

  it('are agreed where they differ for every guess of the arrivals', () => {
    // The first two swap between the guesses. The third is wrong in both.
    const swapped = [
      {
        atNs: Float64Array.of(0, 1, 2, 3),
        outcome: Uint8Array.of(0, 1, 1, 2),
        index: Int32Array.of(0, 1, 2, 3),
      },
      {
        atNs: Float64Array.of(0, 1, 2, 3),
        outcome: Uint8Array.of(1, 0, 1, 2),
        index: Int32Array.of(1, 0, 2, 3),
      },
    ];
    const decisions = [true, true, true, true];
    expect(agreedMismatches(swapped, () => (atNs) => decisions[atNs] as boolean)).toBe(2);
    expect(agreedMismatches(swapped, () => (atNs) => atNs === 0)).toBe(0);
    expect(agreedMismatches([], () => () => true)).toBe(0);
  });
});

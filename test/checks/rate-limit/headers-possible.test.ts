import { describe, expect, it } from 'vitest';
import { compareKnown } from '../../../src/checks/rate-limit/headers/envelope.ts';
import {
  type KnownState,
  type PossibleLimiter,
  stillPossible,
} from '../../../src/checks/rate-limit/headers/limiter.ts';
import type { Survivor } from '../../../src/limits/inference.ts';
import { anyTime } from '../../../src/limits/kinds/kind.ts';

const promised = { requests: 1_000, windowNs: 60e9 };

function survivor(
  name: string,
  confidence: number,
  limit: [number, number],
  windowMs: [number, number],
): Survivor {
  return {
    algorithm: name,
    name,
    confidence,
    limit: limit[1],
    windowMs: windowMs[1],
    burst: null,
    refillPerS: null,
    phase: null,
    rejectsCount: null,
    limitBounds: { min: limit[0], max: limit[1] },
    windowMsBounds: { min: windowMs[0], max: windowMs[1] },
    mismatches: 0,
    settled: { kind: 'fixed-window', limit: 1, scaleNs: 1, boundaryNs: 0 },
  };
}

describe('kinds that headers are held against', () => {
  const likely = survivor('likely', 0.49, [841, 962], [29_098, 33_971]);

  it.each<[string, Survivor, boolean]>([
    ['explains the promise', survivor('other', 0.0085, [903, 1_000], [59_873, 82_166]), true],
    ['has another limit', survivor('other', 0.0085, [903, 999], [59_873, 82_166]), false],
    ['has another window', survivor('other', 0.0085, [903, 1_000], [70_000, 82_166]), false],
    ['is not unlikely', survivor('other', 0.01, [1, 2], [1, 2]), true],
  ])('include an unlikely kind that %s: %o', (_, other, isPossible) => {
    const names = stillPossible([likely, other], promised).map(({ name }) => name);
    expect(names).toEqual(isPossible ? ['likely', 'other'] : ['likely']);
  });
});

describe('of several limiters that the target may have', () => {
  const rows = Array.from({ length: 100 }, (_, row) => row);
  const said = { rows, seq: rows, sentNs: rows, least: rows.map(() => 10), most: rows.map(() => 10) };
  /** A limiter that had so many left: fewer than is said at first, and more at the end, of the hundred answers. */
  const leaving =
    (above: number, below: number): PossibleLimiter =>
    (row) => {
      const left = row < above ? 5 : row >= 100 - below ? 11 : 10;
      return { left: { least: left, most: left }, free: anyTime, reset: anyTime };
    };
  const known = (possible: readonly PossibleLimiter[]): KnownState => ({
    fitted: { kinds: ['one', 'other'], requests: 60, windowMs: 2_000 },
    ...{ remembersWindows: 1, seesAll: true, hasWindows: true, knownFromNs: 0, possible, apart: () => [] },
  });

  it.each<[string, readonly (readonly [above: number, below: number])[], readonly [number, number]]>([
    [
      'that has one more value wrong on one side, and none on the other',
      [
        [65, 6],
        [0, 7],
      ],
      [0, 7],
    ],
    [
      'in whichever order',
      [
        [0, 7],
        [65, 6],
      ],
      [0, 7],
    ],
    [
      'with none wrong',
      [
        [3, 0],
        [0, 3],
        [0, 0],
      ],
      [0, 0],
    ],
  ])('values are held against the one with fewest wrong: the one %s', (_, each, [above, below]) => {
    const possible = each.map((wrong) => leaving(...wrong));
    const found = compareKnown(said, known(possible), ({ left }) => left);
    expect([found?.above.at.length, found?.below.at.length]).toEqual([above, below]);
  });
});

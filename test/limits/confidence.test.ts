import { describe, expect, it } from 'vitest';
import type { Cell } from '../../src/limits/cells.ts';
import {
  type Contender,
  isNear,
  isPlausible,
  refutationOf,
  seqOf,
  withConfidence,
} from '../../src/limits/inference.ts';
import { LimitRange } from '../../src/limits/kinds/kind.ts';
import { kindOf } from '../../src/limits/kinds/table.ts';
import { survivorOf } from '../../src/limits/settle.ts';
import { viewsOf } from '../../src/limits/view.ts';
import { ns, written } from './written.ts';

function contender(name: string, mismatches: number, degreesOfFreedom = 2, isOutside = false): Contender {
  return {
    algorithm: name,
    name,
    limit: 1,
    windowMs: 1,
    burst: 1,
    refillPerS: null,
    phase: null,
    rejectsCount: null,
    limitBounds: null,
    windowMsBounds: null,
    mismatches,
    confidence: 0,
    degreesOfFreedom,
    ...(isOutside ? {} : { settled: { kind: 'sliding-log', limit: 1, scaleNs: 1, boundaryNs: 0 } }),
  };
}

/** Confidences by name, the likeliest first. */
function ranked(contenders: readonly Contender[], requests = 1_000, crowd = 0): [string, number][] {
  return withConfidence(contenders, requests, crowd).map(({ name, confidence }) => [name, confidence]);
}

/** How many times likelier the first is than the second, as a logarithm. */
function advantage(contenders: readonly Contender[], requests = 1_000, crowd = 0): number {
  const [first, second] = ranked(contenders, requests, crowd);
  return Number(Math.log((first?.[1] ?? 0) / (second?.[1] ?? 0)).toFixed(6));
}

describe('a number of wrong answers', () => {
  it('is plausible for the truth up to ten and 15 %, and near it up to five and 1 %', () => {
    expect([isPlausible(160, 1_000), isPlausible(160.5, 1_000)]).toEqual([true, false]);
    expect([isNear(15, 1_000), isNear(15.5, 1_000)]).toEqual([true, false]);
  });
});

describe('of two kinds', () => {
  it.each([
    ['two wrong answers more make one less likely by e', [contender('a', 0), contender('b', 2)], 0, 1],
    [
      'a wrong answer weighs as much while two others are under way',
      [contender('a', 0), contender('b', 2)],
      2,
      1,
    ],
    [
      'a wrong answer weighs a quarter while eight others are',
      [contender('a', 0), contender('b', 2)],
      8,
      0.25,
    ],
    [
      'a parameter more makes one less likely by e to the 4',
      [contender('a', 0, 2), contender('b', 0, 3)],
      0,
      4,
    ],
    ['eight wrong answers weigh as much as a parameter', [contender('b', 8, 2), contender('a', 0, 3)], 0, 0],
  ])('%s', (_, contenders, crowd, expected) => {
    expect(advantage(contenders, 1_000, crowd)).toBeCloseTo(expected, 5);
  });

  it('the likelier comes first, whatever the order', () => {
    expect(ranked([contender('worse', 9), contender('better', 0)]).map(([name]) => name)).toEqual([
      'better',
      'worse',
    ]);
  });

  it('the simpler has no advantage in a crowd if it gets much wrong, and the other next to nothing', () => {
    // With six others under way a wrong answer counts for a sixth: 20 of them less than a parameter.
    const contenders = [contender('simple', 20, 2), contender('exact', 0, 3)];
    expect(ranked(contenders, 1_000, 6)[0]?.[0]).toBe('exact');
    expect(ranked([contender('simple', 15, 2), contender('exact', 0, 3)], 1_000, 6)[0]?.[0]).toBe('simple');
    expect(ranked(contenders, 1_000, 5.9)[0]?.[0]).toBe('simple');
  });
});

describe('an unknown kind takes part', () => {
  /** At what number of wrong answers one kind alone is as likely as the unknown. */
  const even = (requests: number, crowd: number, isOutside = false): number => {
    for (let wrong = 0; wrong < 2_000; wrong++)
      if ((ranked([contender('a', wrong, 5, isOutside)], requests, crowd)[0]?.[1] ?? 1) <= 0.5) return wrong;
    return Number.NaN;
  };

  it.each([
    ['ten and 4 % of the answers, where none is under way', 1_000, 0, false, 50],
    ['1 % more for each other under way', 1_000, 3, false, 80],
    ['10 % at the most', 1_000, 50, false, 110],
    ['15 % for what is no limiter on one counter', 1_000, 0, true, 160],
  ])('as if it got so many wrong: %s', (_, requests, crowd, isOutside, expected) => {
    expect(even(requests, crowd, isOutside)).toBe(expected);
  });

  it('and leaves next to nothing for itself where a kind gets nothing wrong', () => {
    expect(ranked([contender('a', 0)])[0]?.[1]).toBeGreaterThan(0.999);
    expect(ranked([])).toEqual([]);
  });

  it('leaves nothing to a kind that gets all wrong', () => {
    expect(ranked([contender('a', 900)])[0]?.[1]).toBeLessThan(1e-9);
  });
});

const log = kindOf({ kind: 'sliding-log', limit: 1, scaleNs: 1, boundaryNs: 0 });
const bucket = kindOf({ kind: 'token-bucket', limit: 1, scaleNs: 1, boundaryNs: 0 });

function cell([lo, hi]: readonly [number, number], range: Partial<LimitRange>): Cell {
  return {
    scale: { loNs: ns(lo), hiNs: ns(hi) },
    boundary: undefined,
    range: Object.assign(new LimitRange(), range),
  };
}

describe('why a kind cannot have given the answers', () => {
  const views = () => viewsOf([written('0+ 1+ 2+'), written('0+ 1-')]);
  const because = (nearest: Cell | undefined, kind = log) =>
    refutationOf(views(), kind, { cells: [], nearest, isCutShort: false });

  it('names the two requests that contradict each other, by their numbers in the history', () => {
    expect(because(cell([9, 11], { min: 3, minSetBy: 2, max: 1, maxSetBy: 4 }))).toEqual({
      algorithm: 'sliding-log',
      because:
        'A sliding window fits best with a window of 10 s. Admitting request 3 then needs a limit of at least 3, and rejecting request 2 one of at most 1.',
      evidence: [3, 2],
    });
  });

  it('names one request that no limit explains', () => {
    expect(because(cell([0.04, 0.06], { minSetBy: 1, maxSetBy: 1 }), bucket)).toEqual({
      algorithm: 'token-bucket',
      because:
        'A token bucket fits best with 20 tokens a second. No limit then explains the answer to request 2.',
      evidence: [2, 2],
    });
  });

  it('names none where none is known', () => {
    expect(because(cell([9, 11], { minSetBy: 1 }))).toEqual({
      algorithm: 'sliding-log',
      because: 'A sliding window does not explain the answers, with a window of 10 s.',
      evidence: [2],
    });
    expect(because(undefined)).toEqual({
      algorithm: 'sliding-log',
      because: 'No hypothesis was tested.',
      evidence: [],
    });
  });

  it('numbers requests through all traces', () => {
    expect([-1, 0, 2, 3, 4].map((index) => seqOf(views(), index))).toEqual([[], [1], [3], [1], [2]]);
    expect(seqOf([], 0)).toEqual([]);
  });
});

describe('a kind that survives', () => {
  const block = { loNs: ns(3), hiNs: ns(5) };
  const of = (
    kind = log,
    isAligned = false,
    blockNs?: number,
    range: Partial<LimitRange> = { min: 10, max: 12 },
  ) =>
    survivorOf(
      kind,
      [cell([1, 2], range), cell([1.5, 3], { min: 8, max: 11 })],
      {
        mismatches: 7,
        settled: {
          kind: 'any',
          limit: 10,
          scaleNs: ns(2),
          boundaryNs: 0,
          ...(blockNs === undefined ? {} : { blockNs }),
        },
      },
      { block, isAligned },
    );

  it('has bounds that hold all cells', () => {
    expect(of()).toMatchObject({
      algorithm: 'sliding-log',
      limit: 10,
      burst: 10,
      windowMs: 2_000,
      refillPerS: null,
      limitBounds: { min: 8, max: 12 },
      windowMsBounds: { min: 1_000, max: 3_000 },
      mismatches: 7,
      confidence: 0,
      phase: null,
      degreesOfFreedom: 2,
    });
    expect(of()).not.toHaveProperty('blockMs');
  });

  it('has no upper bound where a cell has none', () => {
    expect(of(log, false, undefined, { min: 10 }).limitBounds).toEqual({ min: 8 });
  });

  it('of a bucket has a window for all its tokens, and a rate', () => {
    expect(of(bucket)).toMatchObject({
      windowMs: 20_000,
      refillPerS: 0.5,
      windowMsBounds: { min: 10_000, max: 33_000 },
    });
  });

  it('has one parameter less if its windows begin by the clock', () => {
    expect(of(log, true)).toMatchObject({ phase: 'clock-aligned', degreesOfFreedom: 1 });
  });

  it('has the length of its block', () => {
    expect(of(log, false, ns(4))).toMatchObject({
      blockMs: 4_000,
      blockMsBounds: { min: 3_000, max: 5_000 },
    });
  });
});

import { describe, expect, it } from 'vitest';
import { guessesOf } from '../../src/limits/arrivals.ts';
import type { Cell } from '../../src/limits/cells.ts';
import { LimitRange } from '../../src/limits/kinds/kind.ts';
import { kindOf } from '../../src/limits/kinds/table.ts';
import { settle } from '../../src/limits/settle.ts';
import type { Trace } from '../../src/limits/trace.ts';
import { ns, written } from './written.ts';

const kindCalled = (kind: string) => kindOf({ kind, limit: 1, scaleNs: 1, boundaryNs: 0 });

/** A cell of windows (or tokens) in seconds, and of limits. */
function cell(
  [lo, hi]: readonly [number, number],
  [min, max]: readonly [number, number],
  boundaryS?: readonly [number, number],
): Cell {
  return {
    scale: { loNs: ns(lo), hiNs: ns(hi) },
    boundary: boundaryS && { loNs: ns(boundaryS[0]), hiNs: ns(boundaryS[1]) },
    range: Object.assign(new LimitRange(), { min, max }),
  };
}

const anyBlock = { loNs: ns(0.2), hiNs: Number.POSITIVE_INFINITY };

function settled(
  kind: string,
  cells: readonly Cell[],
  traces: readonly Trace[],
  block = anyBlock,
  cellsTried?: number,
) {
  const { mismatches, settled } = settle(kindCalled(kind), {
    guesses: guessesOf(traces),
    cells,
    block,
    cellsTried,
  });
  return { ...settled, mismatches };
}

/** A sliding window of 3 per 10 s. */
const ofThree = written('0+ 4+ 8+ 9- 10.5+ 13- 14.5+ 17- 18.5+ 19-');

describe('the parameters of a kind', () => {
  it('are the roundest that explain the answers, in the middle of a cell without a round one', () => {
    expect(settled('sliding-log', [cell([9.7, 10.4], [3, 3])], [ofThree])).toEqual({
      kind: 'sliding-log',
      limit: 3,
      scaleNs: ns(10),
      boundaryNs: 0,
      mismatches: 0,
    });
    expect(settled('sliding-log', [cell([9.9912, 9.9916], [3, 3])], [ofThree]).scaleNs).toBeCloseTo(
      ns(9.9914),
      -3,
    );
  });

  it('are those with the fewest wrong answers, of several cells', () => {
    const cells = [cell([5, 5.1], [2, 2]), cell([9.9, 10.1], [3, 3]), cell([20, 20.1], [7, 7])];
    expect(settled('sliding-log', cells, [ofThree])).toMatchObject({
      limit: 3,
      scaleNs: ns(10),
      mismatches: 0,
    });
  });

  it('have a limit of at least one', () => {
    expect(
      settled('sliding-log', [cell([10, 10], [0, Number.POSITIVE_INFINITY])], [written('0- 1-')]).limit,
    ).toBe(1);
  });

  it('have the roundest limit, as long as hardly more answers are wrong', () => {
    // 40 a minute and 38 to 43 explain a trace without rejections alike.
    expect(settled('sliding-log', [cell([60, 60], [38, 43])], [written('0+ 1+ 2+')])).toMatchObject({
      limit: 40,
      mismatches: 0,
    });
    // A limit of 10 gets two more answers wrong than 12.
    const twelve = written(`${Array.from({ length: 12 }, (_, n) => `${n / 10}+`).join(' ')} 2- 3- 4-`);
    expect(
      settled('sliding-log', [cell([60, 60], [12, 12]), cell([60, 60], [10, 10])], [twelve]),
    ).toMatchObject({ limit: 12, mismatches: 0 });
    // A limit of 10 gets one more wrong than 11, which a round number is worth.
    const eleven = written(`${Array.from({ length: 11 }, (_, n) => `${n / 10}+`).join(' ')} 2- 3- 4-`);
    expect(
      settled('sliding-log', [cell([60, 60], [11, 11]), cell([60, 60], [10, 10])], [eleven]),
    ).toMatchObject({ limit: 10, mismatches: 1 });
  });

  it('of windows on a grid have the middle of the boundary', () => {
    const trace = written('0+ 3+ 4- 6+ 15.5+ 16-');
    expect(settled('fixed-window', [cell([10, 10], [2, 2], [4, 6])], [trace])).toMatchObject({
      boundaryNs: ns(5),
      mismatches: 1,
    });
  });

  it('of a bucket have a round window, not a round time for a token', () => {
    const bucket = settled('token-bucket', [cell([0.32, 0.34], [30, 30])], [written('0+ 1+')]);
    expect([bucket.limit, Math.round(bucket.scaleNs * 30)]).toEqual([30, ns(10)]);
  });

  it('of a sliding counter say whether it is strict', () => {
    // Two in the first window weigh 1.5 in the second: 2.5 is below 3, and 1.5 + 1 + 1 is above it.
    const loose = '0+ 1+ 12.5+ 12.5+ 12.5-';
    const strict = '0+ 1+ 12.5+ 12.5- 12.5-';
    const found = [loose, strict].map((requests) =>
      settled('sliding-counter', [cell([10, 10], [3, 3], [0, 0])], [written(requests)]),
    );
    expect(found.map(({ isStrict = false, mismatches }) => [isStrict, mismatches])).toEqual([
      [false, 0],
      [true, 0],
    ]);
  });

  it('of a block are as long as the window where they may be, else as round as they may be', () => {
    const trace = written('0+ 1- 20+');
    const cells = [cell([10, 10], [1, 1])];
    const blockS = (lo: number, hi: number): number =>
      (settled('block-after-refusal', cells, [trace], { loNs: ns(lo), hiNs: ns(hi) }).blockNs ?? 0) / 1e9;
    expect([blockS(5, 15), blockS(10, 10), blockS(13.7, 16.2), blockS(3.00012, 3.00018)]).toEqual([
      10, 10, 15, 3.00012,
    ]);
  });

  it('of other kinds have no block', () => {
    expect(settled('extended-by-refusals', [cell([10, 10], [1, 1])], [written('0+ 1-')])).not.toHaveProperty(
      'blockNs',
    );
  });
});

describe('answers that are wrong', () => {
  it('count over all keys', () => {
    const wrong = written('0+ 1- 2-');
    expect(settled('sliding-log', [cell([10, 10], [2, 2])], [wrong, wrong]).mismatches).toBe(4);
  });

  it('do not count if a slow round trip alone may have turned them around', () => {
    // The rejection took 3 s: it may have come before or after the window was over.
    const swapped = written('0+ 8.5~11.5- 10.2+ 20- 30+');
    expect(settled('sliding-log', [cell([10, 10], [1, 1])], [swapped]).mismatches).toBe(1);
  });
});

describe('many cells', () => {
  /** Windows from 5 to 15 s, a hundredth apart. */
  const many = Array.from({ length: 1_000 }, (_, n) => cell([5 + n / 100, 5 + (n + 1) / 100], [3, 3]));

  it('are tried ever closer to the best of them, where they differ in the window alone', () => {
    // The window is over between 9.99 and 10.01 s after a request: rejected before, admitted after.
    const sharp = written(
      '0+ 0+ 0+ 9.6- 9.7- 9.8- 9.9- 10.1+ 10.1+ 10.1+ 19.6- 19.7- 19.9- 19.99- 20.11+ 30.2+ 30.2+',
    );
    const { scaleNs, mismatches } = settled('sliding-log', many, [sharp], anyBlock, 6);
    expect(mismatches).toBe(0);
    expect(Math.abs(scaleNs - ns(10))).toBeLessThan(ns(0.11));
  });

  it('begin with the roundest window of all', () => {
    expect(settled('sliding-log', many, [written('0+ 1+')], anyBlock, 3)).toMatchObject({
      scaleNs: ns(15),
      mismatches: 0,
    });
  });
});

it('a kind without cells cannot be settled', () => {
  expect(() => settled('sliding-log', [], [ofThree])).toThrow('without cells');
});

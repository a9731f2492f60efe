import { describe, expect, it } from 'vitest';
import { randomStream } from '../../../src/random.ts';
import { changeBetween, leastEach, rankInterval } from '../../../src/report/compare/answer.ts';
import { leastRequests, sampleOf } from '../../../src/report/compare/facts.ts';
import { shiftFunction } from '../../../src/report/compare/metrics.ts';
import { changePoints } from '../../../src/report/compare/trend.ts';
import { times } from '../../effort.ts';
import { factsOf, normal, responseTimes, side, steadyTarget } from './simulated.ts';

/** Every choice of `size` of these places. */
function choices(places: readonly number[], size: number): number[][] {
  const [first, ...rest] = places;
  if (size === 0) return [[]];
  if (first === undefined) return [];
  return [...choices(rest, size - 1).map((each) => [first, ...each]), ...choices(rest, size)];
}

describe('the interval of a rank test', () => {
  it('excludes 0 exactly where the Mann–Whitney test over all arrangements rejects', () => {
    for (const [a, b] of [
      [3, 3],
      [4, 5],
      [5, 5],
      [3, 7],
    ] as const) {
      const ranks = Array.from({ length: a + b }, (_, k) => k + 1);
      const all = choices(ranks, a).map((before) => ({
        before,
        after: ranks.filter((each) => !before.includes(each)),
      }));
      const statistic = ({ before, after }: (typeof all)[number]): number =>
        before.reduce((sum, x) => sum + after.filter((y) => y < x).length, 0);
      const statistics = all.map(statistic);
      for (const level of [0.01, 0.05, 0.1]) {
        for (const [place, { after, before }] of all.entries()) {
          const u = statistics[place] ?? 0;
          const extreme = Math.min(u, a * b - u);
          const p = (2 * statistics.filter((each) => each <= extreme).length) / all.length;
          const { interval } = rankInterval(before, after, level);
          const excludes = interval !== undefined && (interval.min > 0 || interval.max < 0);
          expect(excludes, `${before.join()} against ${after.join()}, level ${level}`).toBe(
            p <= level + 1e-9,
          );
        }
      }
    }
  });

  it.each([
    [0.1, 3],
    [0.05, 4],
    [0.01, 5],
  ])('reaches a level of %d from %d runs each', (level, least) => {
    expect(leastEach(level)).toBe(least);
  });
});

describe('the requests that a percentile needs', () => {
  it.each([
    [90, 36],
    [99, 368],
    [99.9, 3_688],
  ])('p%d: %d', (percentile, least) => {
    expect(leastRequests(percentile)).toBe(least);
  });

  it('are missing for a p99 of 367 requests', () => {
    const values = (n: number): (number | undefined)[] =>
      sampleOf('*', new Float64Array(n).fill(5)).figures.map(({ value }) => value);
    expect(values(367)).toEqual([5, 5, undefined]);
    expect(values(368)).toEqual([5, 5, 5]);
  });
});

describe('blocks of a run', () => {
  it('are at least as long as requests in a row are alike', () => {
    const target = { ...steadyTarget, correlation: 0.95 };
    const { figures } = sampleOf('*', responseTimes(target, randomStream(1, 'blocks')));
    const alone = sampleOf('*', responseTimes(steadyTarget, randomStream(1, 'blocks'))).figures;
    // Of an AR(1) process itself it is (1 + 0.95) / (1 − 0.95) = 39; of what is above its median a little less.
    expect(figures[0]?.autocorrelation).toBeGreaterThan(20);
    expect(figures[0]?.autocorrelation).toBeLessThan(50);
    expect(alone[0]?.autocorrelation).toBeLessThan(2);
    expect(figures[2]?.blocks).toHaveLength(10);
  });

  it('are as long in a run whose autocorrelation is summed up in groups', () => {
    const target = { ...steadyTarget, correlation: 0.95, requests: 50_000 };
    const { figures } = sampleOf('*', responseTimes(target, randomStream(2, 'blocks')));
    expect(figures[0]?.autocorrelation).toBeGreaterThan(20);
    expect(figures[0]?.autocorrelation).toBeLessThan(50);
  });
});

describe('the three answers', () => {
  const rule = { level: 0.01, margin: 0.05 };
  const units = (...runs: number[]): { runs: number[]; blocks: number[] } => ({ runs, blocks: [] });
  const before = units(100, 101, 102, 103, 104);

  it('differs by at least the gap, in either direction', () => {
    const { answer } = changeBetween(before, units(120, 121, 122, 123, 124), rule);
    expect(answer).toMatchObject({ kind: 'differs', by: 'runs', atLeast: expect.closeTo(120 / 104 - 1, 9) });
    expect(changeBetween(before, units(80, 81, 82, 83, 84), rule).answer).toMatchObject({
      atLeast: expect.closeTo(84 / 100 - 1, 9),
    });
  });

  it('is the same within the margin, from 3 runs each', () => {
    const answer = { kind: 'same', within: 0.05 };
    expect(changeBetween(before, units(100, 101, 102, 103, 105), rule).answer).toEqual(answer);
    expect(changeBetween(units(100, 101, 102), units(100, 102, 103), rule).answer).toEqual(answer);
  });

  it('cannot be told with 4 runs each, however far apart, and one more run would do', () => {
    const { answer } = changeBetween(units(1, 2, 3, 4), units(50, 60, 70, 80), rule);
    expect(answer).toEqual({ kind: 'unknown', why: { code: 'runs', more: 1 } });
  });

  it('cannot be told where runs scatter, and more runs would do', () => {
    const { answer } = changeBetween(units(80, 90, 100, 110, 120), units(85, 95, 100, 112, 130), rule);
    expect(answer).toMatchObject({ kind: 'unknown', why: { code: 'runs' } });
    expect(answer.kind === 'unknown' && answer.why.code === 'runs' && answer.why.more).toBeGreaterThan(5);
  });

  it('of one run each differs only if all blocks are separate by more than the margin', () => {
    const one = (...blocks: number[]): { runs: number[]; blocks: number[] } => ({
      runs: [blocks[2] ?? 0],
      blocks,
    });
    const a = one(100, 101, 102, 103, 104);
    expect(changeBetween(a, one(112, 113, 114, 115, 116), rule).answer).toMatchObject({
      kind: 'differs',
      by: 'blocks',
    });
    for (const b of [one(105, 106, 107, 108, 109), one(103, 113, 114, 115, 116), one(112, 113, 114, 115)])
      expect(changeBetween(a, b, rule).answer).toEqual({ kind: 'unknown', why: { code: 'runs', more: 4 } });
  });
});

describe('the shift function', () => {
  it('shows a slower tail where it is, and bands that hold the truth', () => {
    const slow = side({ ...steadyTarget, tail: 1.5 }, 3, 'b', 1);
    const shift = shiftFunction(side(steadyTarget, 3, 'a', 1), slow);
    const at = (share: number) => shift.find((each) => each.share === share);
    expect(Math.abs(at(0.5)?.change ?? 1)).toBeLessThan(0.03);
    expect(at(0.99)?.change).toBeGreaterThan(0.4);
    expect(at(0.5)?.least).toBeLessThan(0);
    expect(at(0.5)?.most).toBeGreaterThan(0);
  });

  it('is empty without a request', () => {
    const none = { name: 'none', runs: [factsOf(new Float64Array())] };
    expect(shiftFunction(none, none)).toEqual([]);
  });
});

describe('change points', () => {
  const count = times(30, 100);
  const seed = 19;
  /** Logarithms of a p99 that scatters by 1.5 % from run to run. */
  const series = (k: number, step: number): number[] => {
    const random = randomStream(seed, 'series', k);
    return Array.from({ length: 40 }, (_, run) => 0.015 * normal(random) + (run < 20 ? 0 : Math.log1p(step)));
  };

  it('place a step of 5 % within one run in at least 90 of 100 series', () => {
    const found = Array.from({ length: count }, (_, k) => changePoints(series(k, 0.05)));
    const placed = found.filter(([at = 0, ...more]) => Math.abs(at - 20) <= 1 && more.length === 0).length;
    console.info(`a step of 5 %: placed in ${placed} of ${count} series of 40 runs, seed ${seed}`);
    expect(placed).toBeGreaterThanOrEqual(0.9 * count);
  });

  it('are at most one in 100 steady series', () => {
    const points = Array.from({ length: count }, (_, k) => changePoints(series(k, 0)).length);
    const all = points.reduce((sum, each) => sum + each, 0);
    console.info(`steady: ${all} false points in ${count} series of 40 runs, seed ${seed}`);
    expect(all).toBeLessThanOrEqual(1);
  });

  it('are none in a short or empty series, and the same each time', () => {
    expect([[], [1], [1, 2, 3, 4, 5]].map((values) => changePoints(values))).toEqual([[], [], []]);
    expect(changePoints(series(1, 0.2))).toEqual(changePoints(series(1, 0.2)));
  });
});

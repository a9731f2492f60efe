import type { Bounds } from '../../vocabulary/bounds.ts';

/** One figure of both sides. The unit is the run, never the request. Figures are positive. */
export interface Units {
  /** One value for each run. */
  readonly runs: readonly number[];
  /** Values of parts of runs; only for sides with too few runs. */
  readonly blocks: readonly number[];
}

export interface Rule {
  /** Two-sided level of the rank test. */
  readonly level: number;
  /** A change that is shown to be below this share is *same*. */
  readonly margin: number;
}

/** Shares: 0.1 is 10 % more. */
export interface Change {
  /** The Hodges–Lehmann estimate of b against a; undefined where a side has no value. */
  readonly estimate: number | undefined;
  readonly answer: TestResult;
}

type TestResult =
  /** `atLeast`: signed like the change. `by` blocks: too few runs for a test, and their blocks are fully separate. */
  | { readonly kind: 'differs'; readonly atLeast: number; readonly by: 'runs' | 'blocks' }
  /** The requests of these runs differ; how much runs of the same target differ is unknown. `more`: runs each that would tell. */
  | { readonly kind: 'differs'; readonly atLeast: number; readonly by: 'requests'; readonly more: number }
  | { readonly kind: 'same'; readonly within: number }
  | { readonly kind: 'unknown'; readonly why: Unknown };

type Unknown =
  /** `more`: about how many more runs each would do. */
  | { readonly code: 'runs'; readonly more: number }
  | { readonly code: 'requests' }
  /** The halves of A differ from each other as well. */
  | { readonly code: 'unsteady' };

/** Each of the two one-sided tests for sameness has 5 %. */
const samenessLevel = 0.1;
/** A larger estimate is no advice. */
export const mostMore = 100;

/** Whether b differs from a, is the same, or cannot be told. */
export function changeBetween(a: Units, b: Units, rule: Rule): Change {
  if (a.runs.length === 0 || b.runs.length === 0)
    return { estimate: undefined, answer: { kind: 'unknown', why: { code: 'requests' } } };
  const before = a.runs.map(Math.log);
  const after = b.runs.map(Math.log);
  const test = rankInterval(before, after, rule.level);
  const sameness = rankInterval(before, after, samenessLevel).interval;
  const margin = Math.log1p(rule.margin);
  const differs =
    test.interval === undefined
      ? // How much runs differ by themselves is not known, so the blocks have to be further apart than the margin.
        { by: 'blocks' as const, least: gapBetween(a.blocks, b.blocks, rule.level), over: margin }
      : { by: 'runs' as const, least: nearestToZero(test.interval), over: 0 };
  const answer: TestResult =
    sameness !== undefined && Math.max(-sameness.min, sameness.max) <= margin
      ? { kind: 'same', within: rule.margin }
      : Math.abs(differs.least) > differs.over
        ? { kind: 'differs', atLeast: Math.expm1(differs.least), by: differs.by }
        : { kind: 'unknown', why: { code: 'runs', more: moreRuns(Math.min(a.runs.length, b.runs.length)) } };
  return { estimate: Math.expm1(test.estimate), answer };

  function moreRuns(each: number): number {
    const size = Math.max(Number.MIN_VALUE, Math.abs(test.estimate));
    // The width of an interval shrinks with the root of the number of runs.
    const toDiffer = each * (halfWidth(test.interval ?? test.range) / size) ** 2;
    const toBeSame =
      sameness === undefined || size >= margin
        ? Number.POSITIVE_INFINITY
        : each * (halfWidth(sameness) / (margin - size)) ** 2;
    const needed = Math.max(leastEach(rule.level), Math.min(toDiffer, toBeSame));
    return Math.min(mostMore, Math.max(1, Math.ceil(needed) - each));
  }
}

function halfWidth({ max, min }: Bounds): number {
  return (max - min) / 2;
}

/** The least change that the interval leaves possible, with its sign; 0 where it holds 0. */
function nearestToZero({ max, min }: Bounds): number {
  return min > 0 ? min : Math.min(0, max);
}

/** The logarithm of the ratio between the closest blocks; 0 unless all are separate and enough to tell. */
function gapBetween(a: readonly number[], b: readonly number[], level: number): number {
  if (a.length === 0 || b.length === 0 || rankInterval(a, b, level).interval === undefined) return 0;
  return nearestToZero({
    min: Math.log(Math.min(...b) / Math.max(...a)),
    max: Math.log(Math.max(...b) / Math.min(...a)),
  });
}

/** The median of the runs, for the eye; undefined without any. */
export function typical(runs: readonly number[]): number | undefined {
  return runs.length === 0 ? undefined : median(runs.toSorted((x, y) => x - y));
}

/** Exact two-sample inference by ranks: the Hodges–Lehmann estimate and the interval that inverts the Mann–Whitney test. */

interface RankInterval {
  /** The median of all pairwise differences. */
  readonly estimate: number;
  /** The confidence interval; undefined where these counts can never reach the level. */
  readonly interval: Bounds | undefined;
  /** Of all pairwise differences. */
  readonly range: Bounds;
}

/** By how much values of `b` exceed values of `a`. `level`: two-sided. Neither may be empty. */
export function rankInterval(a: readonly number[], b: readonly number[], level: number): RankInterval {
  const differences = Float64Array.from(a.flatMap((x) => b.map((y) => y - x))).sort();
  const outside = pairsOutside(a.length, b.length, level);
  const min = differences[outside - 1];
  const max = differences[differences.length - outside];
  return {
    estimate: median(differences),
    range: { min: differences[0] ?? Number.NaN, max: differences.at(-1) ?? Number.NaN },
    interval: min === undefined || max === undefined ? undefined : { min, max },
  };
}

/** The fewest runs each with which a full separation reaches the level. */
export function leastEach(level: number): number {
  let each = 1;
  while (pairsOutside(each, each, level) === 0) each++;
  return each;
}

export function median(sorted: ArrayLike<number>): number {
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2;
}

/** How many of the ordered pairwise differences are outside the interval at each end, plus one; 0 where none may be. */
function pairsOutside(a: number, b: number, level: number): number {
  let tail = 0;
  let outside = 0;
  for (const probability of statisticProbabilities(a, b)) {
    tail += probability;
    if (tail > level / 2 + 1e-12) return outside;
    outside++;
  }
  return outside;
}

/** The lower half of the null distribution of the Mann–Whitney statistic: the coefficients of a Gaussian binomial. */
function statisticProbabilities(a: number, b: number): Float64Array {
  const chances = new Float64Array(Math.floor((a * b) / 2) + 1);
  chances[0] = 1;
  for (let i = 1; i <= a; i++) {
    // Times (1 − x^(b+i)) / (1 − x^i), scaled so that all coefficients keep the sum 1.
    for (let u = chances.length - 1; u >= b + i; u--)
      chances[u] = (chances[u] ?? 0) - (chances[u - b - i] ?? 0);
    for (let u = i; u < chances.length; u++) chances[u] = (chances[u] ?? 0) + (chances[u - i] ?? 0);
    for (let u = 0; u < chances.length; u++) chances[u] = ((chances[u] ?? 0) * i) / (b + i);
  }
  return chances;
}

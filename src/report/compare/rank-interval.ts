import type { Bounds } from '../../vocabulary/bounds.ts';

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

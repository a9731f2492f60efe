import { type Measure, measureKinds, type Prior } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import type { CountedCell } from './crossings.ts';

type SumName = Exclude<keyof CountedCell['cell'], 'n'>;

const sums = {
  distinct: ['d_min', 'd_max'],
  selections: ['r_min', 'r_max'],
  cart: ['cart_min', 'cart_max'],
  'cart-last': ['late_min', 'late_max'],
} as const satisfies Record<string, readonly [low: SumName, high: SumName]>;

/**
 * The interval of one mean; null where the account's earlier sessions make it unknowable. In a mean over sessions with a
 * shade, a session counts only in the worlds where it has one, and then contributes at least 1.
 */
export function meanOf(measure: Measure, prior: Prior, counted: readonly CountedCell[]): Bounds | null {
  const { of, over } = measureKinds[measure];
  const isRate = of === 'cart' || of === 'cart-last';
  const isShaded = over === 'with-shades';
  const before = isRate ? prior.rate : prior.average;
  if (prior.sessions > 0 && (before === null || isShaded)) return null;
  const [lowest, highest] = sums[of];
  const optional: [low: number, high: number, n: number][] = [];
  let n = prior.sessions;
  let low = prior.sessions * (before?.min ?? 0);
  let high = prior.sessions * (before?.max ?? 0);
  for (const { cell, isSure } of counted)
    if (isSure) {
      n += cell.n;
      low += cell[lowest];
      high += cell[highest];
    } else {
      const least = cell[lowest] / cell.n;
      optional.push([isShaded && !isRate ? Math.max(least, 1) : least, cell[highest] / cell.n, cell.n]);
    }
  // No session, no mean: the empty period's zero.
  let min = n > 0 ? low / n : 0;
  let max = n > 0 ? high / n : 0;
  for (const [more, added] of stepsOf(optional, 0))
    if (n + more > 0) min = Math.min(min, (low + added) / (n + more));
  for (const [more, added] of stepsOf(optional, 1))
    if (n + more > 0) max = Math.max(max, (high + added) / (n + more));
  return { min, max };
}

/**
 * The extreme of (S + Σ chosen) / (n + chosen) over all subsets of optional sessions is reached by taking them in order
 * of their contribution up to some point, since adding a value above the mean raises it and one below lowers it. Cells
 * of equal contribution are all in or all out at the extreme. Returns `[n, sum]` after each value: of the least values (0)
 * in ascending order, or of the highest (1) in descending order.
 */
function stepsOf(
  optional: readonly (readonly [low: number, high: number, n: number])[],
  end: 0 | 1,
): (readonly [n: number, sum: number])[] {
  const byValue = new Map<number, number>();
  for (const each of optional) byValue.set(each[end], (byValue.get(each[end]) ?? 0) + each[2]);
  const steps: [n: number, sum: number][] = [];
  let [count, sum] = [0, 0];
  for (const [value, n] of [...byValue].toSorted(([a], [b]) => (end === 0 ? a - b : b - a))) {
    if (n === 0) continue;
    count += n;
    sum += n * value;
    steps.push([count, sum]);
  }
  return steps;
}

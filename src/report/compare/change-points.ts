import { randomStream } from '../../random.ts';

/**
 * Change points of a series by E-divisive (Matteson and James, 2014): the split with the largest energy distance, kept
 * if hardly any shuffle has a larger one, then both parts again. The shuffles are the same each time.
 */

/** The fewest runs on each side of a change. */
const leastRuns = 3;
const shuffles = 999;
/** Shuffles that may reach the split: 1 of 999 is p = 0.002, so 1 in 500 steady series gets a false point. */
const mostReaching = 1;

/** Places at which a new level begins, ascending. */
export function changePoints(values: readonly number[], from = 0): number[] {
  const found = bestSplit(values);
  if (found.at === 0) return [];
  const random = randomStream(values.length, 'change points', from);
  for (let k = 0, reaching = 0; k < shuffles; k++) {
    if (bestSplit(shuffled(values, random)).distance >= found.distance && ++reaching > mostReaching)
      return [];
  }
  return [
    ...changePoints(values.slice(0, found.at), from),
    from + found.at,
    ...changePoints(values.slice(found.at), from + found.at),
  ];
}

interface Split {
  /** 0 where the series is too short. */
  readonly at: number;
  readonly distance: number;
}

function bestSplit(values: readonly number[]): Split {
  const n = values.length;
  const all = sumOfDistances(values, values) / 2;
  let best: Split = { at: 0, distance: Number.NEGATIVE_INFINITY };
  // Sums of distances within the left part, within the right part, and between them, as one value after another moves.
  let left = 0;
  let right = all;
  for (let at = 1; at <= n - leastRuns; at++) {
    const moved = values[at - 1] ?? 0;
    left += sumOfDistances([moved], values.slice(0, at - 1));
    right -= sumOfDistances([moved], values.slice(at));
    if (at < leastRuns) continue;
    const [a, b] = [at, n - at];
    const between = (2 * (all - left - right)) / (a * b);
    const within = (2 * left) / (a * (a - 1)) + (2 * right) / (b * (b - 1));
    const distance = ((a * b) / n) * (between - within);
    if (distance > best.distance) best = { at, distance };
  }
  return best;
}

function sumOfDistances(some: readonly number[], others: readonly number[]): number {
  let sum = 0;
  for (const x of some) for (const y of others) sum += Math.abs(x - y);
  return sum;
}

/** Fisher–Yates. */
function shuffled(values: readonly number[], random: () => number): number[] {
  const copy = [...values];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] ?? 0, copy[i] ?? 0];
  }
  return copy;
}

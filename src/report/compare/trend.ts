import { randomStream } from '../../random.ts';
import { median } from './answer.ts';
import { type VerdictChange, verdictChanges } from './changes.ts';
import { type Obstacle, obstaclesTo } from './comparable.ts';
import type { RunFacts } from './facts.ts';

/** Runs in order of time, and where their figures changed. */
export interface Trend {
  readonly runs: readonly RunFacts[];
  /** Runs that cannot be compared with the latest one. */
  readonly leftOut: readonly { readonly run: RunFacts; readonly why: Obstacle }[];
  readonly series: readonly FigureSeries[];
  /** Verdicts of a run that differ from those of the run before. */
  readonly verdicts: readonly { readonly run: RunFacts; readonly changes: readonly VerdictChange[] }[];
}

export interface FigureSeries {
  readonly of: 50 | 99 | 'capacity';
  /** Milliseconds, or requests per second. */
  readonly levels: readonly Level[];
  /** Those that have the figure, in order of time. */
  readonly runs: readonly { readonly run: RunFacts; readonly value: number }[];
}

/** Runs in a row between two change points. */
export interface Level {
  readonly first: RunFacts;
  readonly runs: number;
  readonly median: number;
}

/** The trend of all runs that can be compared with the latest one; `runs` may be in any order. */
export function trendOf(runs: readonly RunFacts[]): Trend {
  const ordered = runs.toSorted((x, y) => x.run.zero_epoch_ms - y.run.zero_epoch_ms);
  const fit = ordered.filter((run) => obstaclesTo(run, []).length === 0);
  const latest = fit.at(-1);
  const judged = ordered.map((run) => ({ run, why: obstaclesTo(latest ?? run, [run])[0] }));
  const kept = judged.filter(({ why }) => why === undefined).map(({ run }) => run);
  return {
    runs: kept,
    leftOut: judged.flatMap(({ run, why }) => (why === undefined ? [] : [{ run, why }])),
    series: ([50, 99, 'capacity'] as const).map((of) => seriesOf(of, kept)),
    verdicts: kept.slice(1).flatMap((run, place) => {
      const before = kept[place];
      if (before === undefined) return [];
      const changes = verdictChanges({ name: '', runs: [before] }, { name: '', runs: [run] });
      return changes.length === 0 ? [] : [{ run, changes }];
    }),
  };
}

function seriesOf(of: FigureSeries['of'], runs: readonly RunFacts[]): FigureSeries {
  const measured = runs.flatMap((run) => {
    const value = figureOf(of, run);
    return value === undefined ? [] : [{ run, value }];
  });
  // On the logarithm, a change is a share of the level.
  const starts = [0, ...changePoints(measured.map(({ value }) => Math.log(value)))];
  const levels = starts.flatMap((from, place) => {
    const own = measured.slice(from, starts[place + 1]);
    const [first] = own;
    const values = own.map(({ value }) => value).toSorted((x, y) => x - y);
    return first === undefined ? [] : [{ first: first.run, runs: own.length, median: median(values) }];
  });
  return { of, levels, runs: measured };
}

function figureOf(of: FigureSeries['of'], { figures: { capacity, samples } }: RunFacts): number | undefined {
  if (of === 'capacity') return capacity;
  return samples[0]?.figures.find(({ percentile }) => percentile === of)?.value;
}

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

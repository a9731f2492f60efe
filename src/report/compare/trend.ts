import { changePoints } from './change-points.ts';
import { type Obstacle, obstaclesTo } from './comparable.ts';
import type { RunFacts } from './facts.ts';
import { median } from './rank-interval.ts';
import { type VerdictChange, verdictChanges } from './verdict-changes.ts';

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

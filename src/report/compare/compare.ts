import { type ParameterChange, parameterChanges, type VerdictChange, verdictChanges } from './changes.ts';
import { type Obstacle, obstaclesTo } from './comparable.ts';
import type { Side } from './facts.ts';
import { type ComparedMetric, metricsOf, type QuantileShift, shiftFunction } from './metrics.ts';

/** Side B against side A, as data. */
export interface Comparison {
  readonly a: Side;
  readonly b: Side;
  /** A change that is shown to be below this share is *same*. */
  readonly margin: number;
  /** Why they cannot be compared; then the rest is shown and decides nothing. */
  readonly obstacles: readonly Obstacle[];
  readonly verdicts: readonly VerdictChange[];
  readonly parameters: readonly ParameterChange[];
  readonly metrics: readonly ComparedMetric[];
  readonly shift: readonly QuantileShift[];
  /** All runs of one side came before all of the other, so a change of the machine looks like a difference. */
  readonly isOneAfterOther: boolean;
  readonly outcome: ComparisonOutcome;
}

/** `open`: no regression is shown, and a primary figure cannot be told. */
type ComparisonOutcome = 'incomparable' | 'regression' | 'open' | 'none';

/** `worseFrom`: a change that these runs alone show is a regression from this share on; none is by default. */
export function compare(a: Side, b: Side, margin: number, worseFrom = Number.POSITIVE_INFINITY): Comparison {
  const obstacles = obstaclesOf(a, b);
  const verdicts = verdictChanges(a, b);
  const shift = shiftFunction(a, b);
  const metrics = metricsOf(a, b, margin, shift);
  return {
    a,
    b,
    margin,
    obstacles,
    verdicts,
    parameters: parameterChanges(a, b),
    metrics,
    shift,
    isOneAfterOther: a.runs.length + b.runs.length > 2 && (isBefore(a, b) || isBefore(b, a)),
    outcome: obstacles.length > 0 ? 'incomparable' : outcomeOf(verdicts, metrics, worseFrom),
  };
}

/** Why the runs of both sides cannot be compared with each other. */
export function obstaclesOf(a: Side, b: Side): Obstacle[] {
  const [base, ...others] = [...a.runs, ...b.runs];
  return base === undefined ? [] : obstaclesTo(base, others);
}

function outcomeOf(
  verdicts: readonly VerdictChange[],
  metrics: readonly ComparedMetric[],
  worseFrom: number,
): ComparisonOutcome {
  const primary = metrics.filter(({ isPrimary }) => isPrimary);
  const isRegression =
    verdicts.some(({ kind }) => kind === 'regression') ||
    primary.some(({ change: { answer }, turn }) => turn === 'worse' && isByRuns(answer)) ||
    metrics.some((metric) => isFarWorse(metric, worseFrom));
  if (isRegression) return 'regression';
  return primary.some(({ change: { answer }, turn }) => answer.kind === 'unknown' || turn === 'worse')
    ? 'open'
    : 'none';
}

/** Blocks and requests say nothing about how much runs of the same target differ, so they prove no regression by themselves. */
const isByRuns = (answer: ComparedMetric['change']['answer']): boolean =>
  answer.kind === 'differs' && answer.by === 'runs';

/** Worse within these runs by at least such a share; as a share of what it is now, for a capacity. */
function isFarWorse({ change: { answer }, of, turn }: ComparedMetric, worseFrom: number): boolean {
  if (turn !== 'worse' || answer.kind !== 'differs') return false;
  return of === 'capacity' ? 1 / (1 + answer.atLeast) - 1 >= worseFrom : answer.atLeast >= worseFrom;
}

function isBefore(x: Side, y: Side): boolean {
  return (
    Math.max(...x.runs.map(({ run }) => run.zero_epoch_ms)) <
    Math.min(...y.runs.map(({ run }) => run.zero_epoch_ms))
  );
}

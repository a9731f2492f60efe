import type { Verdict } from '../../checks/core/verdict.ts';
import type { RunInfo } from '../../history/run.ts';
import type { Interval } from '../../vocabulary/bounds.ts';
import type { FiguresFile } from './figures.ts';

/** What the comparison knows of a run. */
export interface RunFacts {
  /** Its folder. */
  readonly name: string;
  readonly run: RunInfo;
  readonly isGeneratorBound: boolean;
  readonly verdicts: readonly CheckVerdict[];
  readonly parameters: readonly Parameter[];
  readonly figures: FiguresFile;
}

export interface CheckVerdict {
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
}

/** What a run found out about limiter or quota. */
export interface Parameter {
  readonly name: string;
  /** An interval is compared by whether it overlaps, a text by equality. */
  readonly value: ParameterValue;
}
export type ParameterValue = Interval | string;

/** One side of the comparison: a run, or repetitions of it. */
export interface Side {
  readonly name: string;
  readonly runs: readonly RunFacts[];
}

import type { Verdict } from '../checks/core/verdict.ts';
import type { RunInfo } from '../history/run.ts';
import type { Interval } from '../vocabulary/bounds.ts';
import type { Sample } from './sample.ts';

/** What the comparison knows of a run. */
export interface RunFacts {
  /** Its folder. */
  readonly name: string;
  readonly run: RunInfo;
  readonly isGeneratorBound: boolean;
  readonly verdicts: readonly CheckVerdict[];
  readonly parameters: readonly Parameter[];
  /** Of the planned load; all endpoints together come first. */
  readonly samples: readonly Sample[];
  /** The highest rate that kept the promise of a capacity study, requests per second. */
  readonly capacity?: number | undefined;
  /** Response times of the planned load in milliseconds, ascending. */
  readonly sortedMs: Float64Array;
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

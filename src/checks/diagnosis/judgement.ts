import type { CheckResult, Verdict } from '../core/verdict.ts';
import type { Diagnosis } from './diagnosis.ts';

/** What a run comes to. */
export interface Judgement {
  readonly verdict: Verdict;
  /** In the order of `checkGroups`. */
  readonly checks: readonly CheckResult[];
  /** Probable causes of what did not pass. */
  readonly diagnosis: Diagnosis;
  /** The harness itself did not keep up, so nothing is concluded from latencies. */
  readonly generatorBound: boolean;
}

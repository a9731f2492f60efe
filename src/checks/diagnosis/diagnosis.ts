import type { CheckId } from '../../vocabulary/check-ids.ts';
import type { Cause, Certainty } from '../causes/cause.ts';
import type { CheckResult, Verdict } from '../core/verdict.ts';

/** The fewest requests that show a cause. */
export interface Reproduction {
  /** Lines for a shell: assignments, `curl` commands, and what each command got in the run as a comment. */
  readonly lines: readonly string[];
  /** The requests of the run that they repeat. */
  readonly seqs: readonly number[];
}

/** A probable cause, with what it explains. */
export interface Diagnosed {
  readonly cause: Cause;
  /** Others of the same code that are part of it: of another field, say. */
  readonly also: readonly Cause[];
  /** The cause in a sentence, and one for each of the others. */
  readonly text: string;
  /** What usually lies behind it. */
  readonly behind: string;
  /** The checks that it explains: those that name it first. */
  readonly checks: readonly CheckId[];
  /** The worst verdict that it explains. A check that only the generator's lateness leaves in doubt has not failed. */
  readonly explains: 'fail' | 'inconclusive';
  /** Whether a check knew no other explanation of what it saw. */
  readonly certainty: Certainty;
  /** Where it only fits: what else explains as much, in sentences. */
  readonly alternatives: readonly string[];
  /** Checks that passed, and would not have if this were the cause. */
  readonly contradictedBy: readonly CheckId[];
  /** `seq`s of requests that show it. */
  readonly seqs: readonly number[];
  /** How to see it with `curl`; absent where no requests of the run show it. */
  readonly reproduction?: Reproduction;
}

/** Probable causes, the likeliest first, and the failed checks that none of them explains. */
export interface Diagnosis {
  readonly causes: readonly Diagnosed[];
  readonly unexplained: readonly CheckId[];
}

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

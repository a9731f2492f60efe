import { counted } from '../../amounts.ts';
import type { CheckResult, Verdict } from '../../checks/core/verdict.ts';
import { exitCode } from '../../exit.ts';
import type { Case } from './cases.ts';

/** The fields of a check's result that are compared with the expectation. */
export type ComparedCheck = Pick<CheckResult, 'title' | 'verdict' | 'explanation'> & { readonly id: string };

/** A probable cause, as `verdicts.json` has it. */
export interface NamedCause {
  readonly cause: string;
  readonly text: string;
  /** The failed checks that it explains. */
  readonly checks: readonly string[];
}

/** How a run of a case ended. */
export interface RunEnd {
  /** Null when it could not be started, or was killed for taking too long. */
  readonly code: number | null;
  /** Undefined when it wrote no verdicts that can be read. */
  readonly checks: readonly ComparedCheck[] | undefined;
  /** Probable causes, the likeliest first. */
  readonly diagnosis: readonly NamedCause[];
  /** The end of its output. */
  readonly output: string;
}

/** The outcome of a case. */
export type CaseOutcome =
  /** The run names the right cause first. */
  | { readonly kind: 'detected'; readonly by: NamedCause }
  | { readonly kind: 'missed'; readonly why: string }
  | { readonly kind: 'no-alarm' }
  | { readonly kind: 'inconclusive'; readonly checks: readonly ComparedCheck[] }
  | { readonly kind: 'false-alarm'; readonly checks: readonly ComparedCheck[] }
  /** The run itself failed, so it says nothing about the checks. */
  | { readonly kind: 'broken'; readonly why: string };

/** Compares a run's outcome with its expectation. `isApart`: its service was started apart. */
export function assess(tried: Case, end: RunEnd, isApart = false): CaseOutcome {
  const { code, checks } = end;
  const judged = code === exitCode.pass || code === exitCode.checkFailed || code === exitCode.inconclusive;
  if (!judged || checks === undefined) return { kind: 'broken', why: howItEnded(end) };
  const failed = checks.filter(({ verdict }) => verdict === 'fail');
  // A program that crashes ends with 1 as well.
  if ((code === exitCode.checkFailed) !== failed.length > 0)
    return {
      kind: 'broken',
      why: `${howItEnded(end)}, with ${counted(failed.length, 'failed check')} in its verdicts`,
    };
  const unsure = checks.filter(({ verdict }) => verdict === 'inconclusive');
  if (tried.kind === 'defect') {
    const cause = isApart ? tried.expected.causeApart : tried.expected.cause;
    const [first] = end.diagnosis;
    if (first?.cause === cause) return { kind: 'detected', by: first };
    return { kind: 'missed', why: whyMissed(cause, end.diagnosis, failed, unsure) };
  }
  if (failed.length > 0) return { kind: 'false-alarm', checks: failed };
  return unsure.length > 0 ? { kind: 'inconclusive', checks: unsure } : { kind: 'no-alarm' };
}

/** What an outcome says about the harness; `inconclusive` is a harmless run that could not judge everything. */
export function verdictOn({ kind }: CaseOutcome): Verdict {
  if (kind === 'detected' || kind === 'no-alarm') return 'pass';
  return kind === 'inconclusive' ? 'inconclusive' : 'fail';
}

/** An outcome as text: the evidence, or why there is none. */
export function inWords(outcome: CaseOutcome): string {
  switch (outcome.kind) {
    case 'detected':
      return outcome.by.text;
    case 'missed':
    case 'broken':
      return outcome.why;
    case 'no-alarm':
      return 'nothing failed';
    case 'inconclusive':
      return `nothing failed; inconclusive: ${ids(outcome.checks)}`;
    case 'false-alarm':
      return outcome.checks.map(({ explanation, id }) => `${id}: ${explanation}`).join(' ');
  }
}

function whyMissed(
  cause: string,
  diagnosis: readonly NamedCause[],
  failed: readonly ComparedCheck[],
  unsure: readonly ComparedCheck[],
): string {
  const place = diagnosis.findIndex((each) => each.cause === cause);
  const named = diagnosis.map((each) => each.cause).join(', ');
  if (place > 0) return `${cause} is only probable cause ${place + 1}: ${named}`;
  if (named !== '') return `the probable cause is ${named}, not ${cause}`;
  if (failed.length > 0) return `${ids(failed)} failed, without a probable cause`;
  return inWords(unsure.length > 0 ? { kind: 'inconclusive', checks: unsure } : { kind: 'no-alarm' });
}

function ids(checks: readonly ComparedCheck[]): string {
  return checks.map(({ id }) => id).join(', ');
}

function howItEnded({ code, output }: RunEnd): string {
  const how =
    code === null
      ? 'the run did not start, or was killed after a time-out'
      : `the run ended with exit code ${code}`;
  const last = output.trim().split('\n').at(-1) ?? '';
  return last === '' ? how : `${how}: ${last}`;
}

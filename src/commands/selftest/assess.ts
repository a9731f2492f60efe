import { counted } from '../../amounts.ts';
import type { CheckResult, Verdict } from '../../checks/core/verdict.ts';
import { exitCode } from '../../exit.ts';
import type { Case } from './expectations.ts';

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

/** What each outcome says about the harness; `broken`: the run itself failed, so it says nothing about the checks. */
export const verdictOn = {
  detected: 'pass',
  'no-alarm': 'pass',
  inconclusive: 'inconclusive',
  missed: 'fail',
  'false-alarm': 'fail',
  broken: 'fail',
} as const satisfies Readonly<Record<string, Verdict>>;

/** The outcome of a case. */
export interface CaseOutcome {
  readonly kind: keyof typeof verdictOn;
  /** The evidence, or why there is none. */
  readonly words: string;
  /** The cause that a detected defect has. */
  readonly by?: NamedCause;
}

/** Compares a run's outcome with its expectation. `isApart`: its service was started apart. */
export function assess({ expected }: Case, end: RunEnd, isApart = false): CaseOutcome {
  const { checks, code, diagnosis } = end;
  const judged = code === exitCode.pass || code === exitCode.checkFailed || code === exitCode.inconclusive;
  if (!judged || checks === undefined) return { kind: 'broken', words: howItEnded(end) };
  const [failed, unsure] = (['fail', 'inconclusive'] as const).map((verdict) =>
    checks.filter((check) => check.verdict === verdict),
  ) as [ComparedCheck[], ComparedCheck[]];
  // A program that crashes ends with 1 as well.
  if ((code === exitCode.checkFailed) !== failed.length > 0)
    return {
      kind: 'broken',
      words: `${howItEnded(end)}, with ${counted(failed.length, 'failed check')} in its verdicts`,
    };
  const doubts = unsure.length === 0 ? '' : `; inconclusive: ${ids(unsure)}`;
  if (expected !== undefined) {
    const cause = isApart ? expected.causeApart : expected.cause;
    const [first] = diagnosis;
    if (first?.cause === cause) return { kind: 'detected', words: first.text, by: first };
    const place = diagnosis.findIndex((each) => each.cause === cause);
    const named = diagnosis.map((each) => each.cause).join(', ');
    const words =
      place > 0
        ? `${cause} is only probable cause ${place + 1}: ${named}`
        : named !== ''
          ? `the probable cause is ${named}, not ${cause}`
          : failed.length > 0
            ? `${ids(failed)} failed, without a probable cause`
            : `nothing failed${doubts}`;
    return { kind: 'missed', words };
  }
  if (failed.length > 0)
    return {
      kind: 'false-alarm',
      words: failed.map(({ explanation, id }) => `${id}: ${explanation}`).join(' '),
    };
  return { kind: unsure.length > 0 ? 'inconclusive' : 'no-alarm', words: `nothing failed${doubts}` };
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

import { counted } from '../amounts.ts';
import type { CheckResult } from '../checks/verdict.ts';
import { exitCode } from '../exit.ts';
import type { Case, DefectCase } from './cases.ts';

/** Of a check's result, what is held against what was to come of the run. */
export type Judged = Pick<CheckResult, 'title' | 'verdict' | 'explanation'> & { readonly id: string };

/** How a run of a case ended. */
export interface RunEnd {
  /** Null when it could not be started, or was killed for taking too long. */
  readonly code: number | null;
  /** Undefined when it wrote no verdicts that can be read. */
  readonly checks: readonly Judged[] | undefined;
  /** The end of what it printed. */
  readonly output: string;
}

/** What a case came to. */
export type Outcome =
  /** `by`: the check that failed in the right group and says what is wrong, `sentence` where it does. */
  | { readonly kind: 'detected'; readonly by: Judged; readonly sentence: string }
  | { readonly kind: 'missed'; readonly why: string }
  | { readonly kind: 'no-alarm' }
  | { readonly kind: 'inconclusive'; readonly checks: readonly Judged[] }
  | { readonly kind: 'false-alarm'; readonly checks: readonly Judged[] }
  /** The run itself came to nothing, so it says nothing about the checks. */
  | { readonly kind: 'broken'; readonly why: string };

/** Holds what a run came to against what was to come of it. */
export function assess(tried: Case, end: RunEnd): Outcome {
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
  if (tried.kind === 'defect') return assessDefect(tried, failed, unsure);
  if (failed.length > 0) return { kind: 'false-alarm', checks: failed };
  return unsure.length > 0 ? { kind: 'inconclusive', checks: unsure } : { kind: 'no-alarm' };
}

function assessDefect(
  { expected }: DefectCase,
  failed: readonly Judged[],
  unsure: readonly Judged[],
): Outcome {
  const inGroup = failed.filter(({ id }) => expected.groups.some((group) => id.startsWith(`${group}.`)));
  const by = inGroup.find(({ explanation }) => expected.says.test(explanation));
  if (by !== undefined)
    return { kind: 'detected', by, sentence: sentenceWith(expected.says, by.explanation) };
  const [first] = inGroup;
  if (first !== undefined) {
    return {
      kind: 'missed',
      why: `${first.id} failed, but does not say ${expected.says.source}: ${first.explanation}`,
    };
  }
  if (failed.length > 0) {
    return {
      kind: 'missed',
      why: `failed in ${ids(failed)}, and nothing in ${expected.groups.join(' or ')}`,
    };
  }
  return {
    kind: 'missed',
    why: `nothing failed${unsure.length === 0 ? '' : `; inconclusive: ${ids(unsure)}`}`,
  };
}

/** The sentence that is looked for, or where no single one is it, all of them. */
function sentenceWith(says: RegExp, explanation: string): string {
  return explanation.split(/(?<=[.;]) (?=[A-Z])/).find((sentence) => says.test(sentence)) ?? explanation;
}

function ids(checks: readonly Judged[]): string {
  return checks.map(({ id }) => id).join(', ');
}

function howItEnded({ code, output }: RunEnd): string {
  const how =
    code === null
      ? 'the run could not be started, or took too long and was killed'
      : `the run ended with exit code ${code}`;
  const last = output.trim().split('\n').at(-1) ?? '';
  return last === '' ? how : `${how}: ${last}`;
}

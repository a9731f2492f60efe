import pc from 'picocolors';
import { counted, number, span, verb } from '../../amounts.ts';
import type { CheckResult, Verdict } from '../../checks/core/verdict.ts';
import { exitCode } from '../../exit.ts';
import { foreign, heading, type ReportFigure, table } from '../../report/figure.ts';
import { figureLines } from '../../report/figure-terminal.ts';
import { verdictWords } from '../../report/words.ts';
import type { Case } from './expectations.ts';

/** How a run of a case ended. */
export interface RunEnd {
  /** Null when a signal ended it, as after a time-out. */
  readonly code: number | null;
  /** Undefined when it wrote no verdicts that can be read. */
  readonly checks:
    | readonly (Pick<CheckResult, 'verdict' | 'explanation'> & { readonly id: string })[]
    | undefined;
  /** Probable causes, the likeliest first, each with the checks that it explains. */
  readonly diagnosis: readonly {
    readonly cause: string;
    readonly text: string;
    readonly checks: readonly string[];
  }[];
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
  readonly cause?: string;
}

/** Compares a run's outcome with its expectation. `isApart`: its service was started apart. */
export function assess({ expected }: Case, end: RunEnd, isApart = false): CaseOutcome {
  const { checks, code, diagnosis } = end;
  const judged = code === exitCode.pass || code === exitCode.checkFailed || code === exitCode.inconclusive;
  if (!judged || checks === undefined) return { kind: 'broken', words: howItEnded(end) };
  const failed = checks.filter(({ verdict }) => verdict === 'fail');
  const unsure = checks.filter(({ verdict }) => verdict === 'inconclusive');
  const ids = (of: typeof checks): string => of.map(({ id }) => id).join(', ');
  // A program that crashes ends with 1 as well.
  if ((code === exitCode.checkFailed) !== failed.length > 0)
    return {
      kind: 'broken',
      words: `${howItEnded(end)}, with ${counted(failed.length, 'failed check')} in its verdicts`,
    };
  const nothing = `nothing failed${unsure.length === 0 ? '' : `; inconclusive: ${ids(unsure)}`}`;
  if (expected === undefined) {
    if (failed.length === 0) return { kind: unsure.length > 0 ? 'inconclusive' : 'no-alarm', words: nothing };
    const words = failed.map(({ explanation, id }) => `${id}: ${explanation}`).join(' ');
    return { kind: 'false-alarm', words };
  }
  const cause = isApart ? expected.causeApart : expected.cause;
  const [first] = diagnosis;
  if (first?.cause === cause) return { kind: 'detected', words: first.text, cause };
  const place = diagnosis.findIndex((each) => each.cause === cause);
  const named = diagnosis.map((each) => each.cause).join(', ');
  if (place > 0) return { kind: 'missed', words: `${cause} is only probable cause ${place + 1}: ${named}` };
  if (named !== '') return { kind: 'missed', words: `the probable cause is ${named}, not ${cause}` };
  const words = failed.length > 0 ? `${ids(failed)} failed, without a probable cause` : nothing;
  return { kind: 'missed', words };
}

function howItEnded({ code, output }: RunEnd): string {
  const how =
    code === null
      ? 'the run did not start, or was killed after a time-out'
      : `the run ended with exit code ${code}`;
  const last = output.trim().split('\n').at(-1) ?? '';
  return last === '' ? how : `${how}: ${last}`;
}

/** A case and its outcome. */
export interface Tried {
  readonly tried: Case;
  readonly outcome: CaseOutcome;
  readonly tookMs: number;
  /** The run's folder, below that of the selftest, where it was kept. */
  readonly folder?: string;
}

/** A selftest, over: the content of `selftest.json`. */
export interface SelftestResult {
  /** Epoch milliseconds. */
  readonly beganMs: number;
  readonly tookMs: number;
  readonly jobs: number;
  /** Whether the services were started apart from the runs. */
  readonly foreign: boolean;
  /** How many cases there were to try; fewer were tried when it was interrupted. */
  readonly planned: number;
  /** Defects and then harmless services, as the reference service lists them. */
  readonly tries: readonly Tried[];
}

/** Every tried defect was detected, there was no false alarm, and every run had a result. */
export function isProven({ tries }: SelftestResult): boolean {
  return tries.every(({ outcome }) => verdictOn[outcome.kind] !== 'fail');
}

/** A selftest as text for a terminal of 80 columns: a row for each defect and variant, and where to look for what went wrong. */
export function renderSelftest(result: SelftestResult, colour = pc.isColorSupported): string {
  const { foreign: isForeign, jobs, planned, tookMs, tries } = result;
  const defects = tries.filter(({ tried }) => tried.expected !== undefined);
  const harmless = tries.filter(({ tried }) => tried.expected === undefined);
  const wrong = tries.filter(({ outcome }) => verdictOn[outcome.kind] === 'fail');
  const count = (kind: CaseOutcome['kind']): number =>
    tries.filter(({ outcome }) => outcome.kind === kind).length;
  const figures: readonly ReportFigure[] = [
    ...(defects.length === 0 ? [] : [heading('Defects'), tryTable(defects)]),
    ...(harmless.length === 0 ? [] : [heading('Harmless'), tryTable(harmless)]),
    ...(wrong.length === 0
      ? []
      : [
          heading('Not as expected'),
          {
            kind: 'list',
            items: wrong.map(({ folder, outcome, tried }) =>
              foreign(
                `${tried.id} (${tried.title}), run ${tried.run}, seed ${tried.seed}: ${outcome.kind}${folder === undefined ? '' : `, ${folder}`}`,
              ),
            ),
          } satisfies ReportFigure,
        ]),
  ];
  const colours = pc.createColors(colour);
  const isComplete = tries.length === planned;
  const paint = !isProven(result) ? colours.red : isComplete ? colours.green : colours.yellow;
  const unsure = count('inconclusive');
  const share = Math.floor((count('detected') / defects.length) * 1_000) / 10;
  const sentences = [
    !isComplete && `Interrupted after ${number(tries.length)} of ${number(planned)} runs.`,
    defects.length > 0 &&
      `Detected ${number(count('detected'))} of ${number(defects.length)} defects (${number(share)} %).`,
    harmless.length > 0 &&
      `False alarms in ${number(count('false-alarm'))} of ${number(harmless.length)} harmless runs; ${number(unsure)} of them ${verb(unsure, 'was', 'were')} inconclusive.`,
    count('broken') > 0 && `Runs without a result: ${number(count('broken'))}.`,
  ].filter((each) => each !== false);
  return [
    ...figureLines(figures, 80),
    '',
    ...sentences.map((each) => paint(each)),
    `${counted(tries.length, 'run')}${isForeign ? ' of services started apart' : ''}, ${number(jobs)} at once, in ${span(tookMs)}.\n`,
  ].join('\n');
}

function tryTable(tries: readonly Tried[]): ReportFigure {
  return table('Runs', tries, [
    ['', ({ outcome }) => verdictWords[verdictOn[outcome.kind]].mark],
    ['id', ({ tried }) => tried.id],
    ['run', ({ tried }) => `${tried.run} ${tried.seed}`],
    ['outcome', ({ outcome }) => outcome.cause ?? outcome.kind],
    ['in words', ({ outcome }) => foreign(outcome.words)],
    ['s', ({ tookMs }) => number(Math.round(tookMs / 1_000)), 'number'],
  ]);
}

import pc from 'picocolors';
import { counted, number, span, verb } from '../../amounts.ts';
import { foreign, heading, type ReportFigure, table } from '../../report/figure.ts';
import { figureLines } from '../../report/figure-terminal.ts';
import { verdictWords } from '../../report/words.ts';
import { type CaseOutcome, verdictOn } from './assess.ts';
import type { Tried } from './conduct.ts';

/** A selftest, over. */
export interface SelftestResult {
  /** Epoch milliseconds. */
  readonly beganMs: number;
  readonly tookMs: number;
  readonly jobs: number;
  /** Whether the services were started apart from the runs. */
  readonly foreign: boolean;
  /** How many cases there were to try; fewer were tried when it was interrupted. */
  readonly planned: number;
  /** Defects in the order of the reference service's own list, then the harmless by name, run and seed. */
  readonly tries: readonly Tried[];
}

/** Orders the outcomes: as `order` lists them, then by run and seed. */
export function resultOf(
  all: readonly Tried[],
  about: Omit<SelftestResult, 'tries'>,
  order: readonly string[],
): SelftestResult {
  const place = ({ tried }: Tried): number => order.indexOf(tried.id);
  const tries = all.toSorted(
    (a, b) => place(a) - place(b) || a.tried.run.localeCompare(b.tried.run) || a.tried.seed - b.tried.seed,
  );
  return { ...about, tries };
}

const ofDefects = ({ tries }: SelftestResult): Tried[] => tries.filter(({ tried }) => tried.expected);
const ofHarmless = ({ tries }: SelftestResult): Tried[] => tries.filter(({ tried }) => !tried.expected);

/** Every tried defect was detected, there was no false alarm, and every run had a result. */
export function isProven({ tries }: SelftestResult): boolean {
  return tries.every(({ outcome }) => verdictOn[outcome.kind] !== 'fail');
}

/** The published `selftest.json`. */
export function selftestJson(result: SelftestResult): object {
  const { beganMs, foreign: isForeign, jobs, planned, tookMs, tries } = result;
  const [defects, harmless] = [ofDefects(result), ofHarmless(result)];
  const row = ({ folder, outcome, tookMs: ms, tried }: Tried): object => ({
    run: tried.run,
    seed: tried.seed,
    outcome: outcome.kind,
    words: outcome.words,
    seconds: Math.round(ms / 100) / 10,
    ...(folder === undefined ? {} : { folder }),
  });
  return {
    schema_version: 2,
    began_at: new Date(beganMs).toISOString(),
    seconds: Math.round(tookMs / 100) / 10,
    jobs,
    target: isForeign ? 'foreign' : 'embedded',
    complete: tries.length === planned,
    detection: { defects: defects.length, detected: count(defects, 'detected') },
    alarms: {
      runs: harmless.length,
      false_alarms: count(harmless, 'false-alarm'),
      inconclusive: count(harmless, 'inconclusive'),
    },
    broken: count(tries, 'broken'),
    defects: defects.map((each) => ({
      id: each.tried.id,
      grade: each.tried.grade,
      title: each.tried.title,
      ...(each.outcome.by && { cause: each.outcome.by.cause, checks: each.outcome.by.checks }),
      ...row(each),
    })),
    harmless: harmless.map((each) => ({ name: each.tried.id, title: each.tried.title, ...row(each) })),
  };
}

function count(tries: readonly Tried[], kind: CaseOutcome['kind']): number {
  return tries.filter(({ outcome }) => outcome.kind === kind).length;
}

/** A selftest as text for a terminal of 80 columns: a row for each defect and variant, and where to look for what went wrong. */
export function renderSelftest(
  result: SelftestResult,
  { colour }: { readonly colour?: boolean } = {},
): string {
  const { foreign: isForeign, jobs, planned, tookMs, tries } = result;
  const [defects, harmless] = [ofDefects(result), ofHarmless(result)];
  const wrong = tries.filter(({ outcome }) => verdictOn[outcome.kind] === 'fail');
  const figures: readonly ReportFigure[] = [
    ...(defects.length === 0 ? [] : [heading('Defects'), tryTable(defects)]),
    ...(harmless.length === 0 ? [] : [heading('Harmless'), tryTable(harmless)]),
    ...(wrong.length === 0
      ? []
      : [
          heading('Not as expected'),
          { kind: 'list', items: wrong.map(whereToLook).map(foreign) } satisfies ReportFigure,
        ]),
  ];
  const colours = pc.createColors(colour ?? pc.isColorSupported);
  const isComplete = tries.length === planned;
  const paint = !isProven(result) ? colours.red : isComplete ? colours.green : colours.yellow;
  const unsure = count(harmless, 'inconclusive');
  const broken = count(tries, 'broken');
  const share = Math.floor((count(defects, 'detected') / defects.length) * 1_000) / 10;
  const sentences = [
    !isComplete && `Interrupted after ${number(tries.length)} of ${number(planned)} runs.`,
    defects.length > 0 &&
      `Detected ${number(count(defects, 'detected'))} of ${number(defects.length)} defects (${number(share)} %).`,
    harmless.length > 0 &&
      `False alarms in ${number(count(harmless, 'false-alarm'))} of ${number(harmless.length)} harmless runs; ${number(unsure)} of them ${verb(unsure, 'was', 'were')} inconclusive.`,
    broken > 0 && `Runs without a result: ${number(broken)}.`,
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
    ['outcome', ({ outcome }) => outcome.by?.cause ?? outcome.kind],
    ['in words', ({ outcome }) => foreign(outcome.words)],
    ['s', ({ tookMs }) => number(Math.round(tookMs / 1_000)), 'number'],
  ]);
}

function whereToLook({ folder, outcome, tried }: Tried): string {
  return `${tried.id} (${tried.title}), run ${tried.run}, seed ${tried.seed}: ${outcome.kind}${folder === undefined ? '' : `, ${folder}`}`;
}

/** One case that is over, for a line of progress. */
export function progressLine({ outcome, tookMs, tried }: Tried): string {
  return `${tried.id} (${tried.run}, seed ${tried.seed}): ${outcome.kind}, ${span(tookMs)}`;
}

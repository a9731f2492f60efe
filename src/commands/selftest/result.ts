import { number } from '../../amounts.ts';
import type { Verdict } from '../../checks/core/verdict.ts';
import { type CaseOutcome, inWords, verdictOn } from './assess.ts';
import type { DefectCase, HarmlessCase } from './cases.ts';
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
  /** In the order of the reference service's own list. */
  readonly defects: readonly Tried<DefectCase>[];
  readonly harmless: readonly Tried<HarmlessCase>[];
}

/** The two numbers that a selftest is for. */
export interface SelftestFigures {
  readonly defects: number;
  readonly detected: number;
  readonly harmless: number;
  readonly falseAlarms: number;
  /** Harmless runs without a fail in which not everything could be judged. */
  readonly inconclusive: number;
  /** Runs that came to nothing. */
  readonly broken: number;
}

/** Orders the outcomes: defects as `order` lists them, then the harmless by name, run and seed. */
export function resultOf(
  all: readonly Tried[],
  about: Pick<SelftestResult, 'beganMs' | 'tookMs' | 'jobs' | 'foreign' | 'planned'>,
  order: readonly string[],
): SelftestResult {
  const place = ({ tried }: Tried): number => order.indexOf(tried.id);
  const sorted = all.toSorted(
    (a, b) => place(a) - place(b) || a.tried.run.localeCompare(b.tried.run) || a.tried.seed - b.tried.seed,
  );
  return {
    ...about,
    defects: sorted.filter((each): each is Tried<DefectCase> => each.tried.kind === 'defect'),
    harmless: sorted.filter((each): each is Tried<HarmlessCase> => each.tried.kind === 'harmless'),
  };
}

export function figuresOf({ defects, harmless }: SelftestResult): SelftestFigures {
  const count = (some: readonly Tried[], kind: CaseOutcome['kind']): number =>
    some.filter(({ outcome }) => outcome.kind === kind).length;
  return {
    defects: defects.length,
    detected: count(defects, 'detected'),
    harmless: harmless.length,
    falseAlarms: count(harmless, 'false-alarm'),
    inconclusive: count(harmless, 'inconclusive'),
    broken: count([...defects, ...harmless], 'broken'),
  };
}

/** Whether everything was tried that was to be. */
export function isComplete({ defects, harmless, planned }: SelftestResult): boolean {
  return defects.length + harmless.length === planned;
}

/** `inconclusive` where something was not tried, and all that was is as it should be. */
export function verdictOf(result: SelftestResult): Verdict {
  if (!isProven(result)) return 'fail';
  return isComplete(result) ? 'pass' : 'inconclusive';
}

/** Every tried defect was detected, there was no false alarm, and every run had a result. */
export function isProven(result: SelftestResult): boolean {
  const { broken, defects, detected, falseAlarms } = figuresOf(result);
  return detected === defects && falseAlarms === 0 && broken === 0;
}

/** The published `selftest.json`. */
export function selftestJson(result: SelftestResult): object {
  const row = ({ folder, outcome, tookMs, tried }: Tried): object => ({
    run: tried.run,
    seed: tried.seed,
    outcome: outcome.kind,
    words: inWords(outcome),
    seconds: Math.round(tookMs / 100) / 10,
    ...(folder === undefined ? {} : { folder }),
  });
  const { broken, defects, detected, falseAlarms, harmless, inconclusive } = figuresOf(result);
  return {
    schema_version: 2,
    began_at: new Date(result.beganMs).toISOString(),
    seconds: Math.round(result.tookMs / 100) / 10,
    jobs: result.jobs,
    target: result.foreign ? 'foreign' : 'embedded',
    complete: isComplete(result),
    detection: { defects, detected },
    alarms: { runs: harmless, false_alarms: falseAlarms, inconclusive },
    broken,
    defects: result.defects.map((each) => ({
      id: each.tried.id,
      grade: each.tried.grade,
      title: each.tried.title,
      ...(each.outcome.kind === 'detected'
        ? { cause: each.outcome.by.cause, checks: each.outcome.by.checks }
        : {}),
      ...row(each),
    })),
    harmless: result.harmless.map((each) => ({ name: each.tried.id, title: each.tried.title, ...row(each) })),
  };
}

/** The harmless runs of each variant, all seeds and kinds together, with the one that went worst. */
export function byVariant({ harmless }: SelftestResult): TriedVariant[] {
  return [...Map.groupBy(harmless, ({ tried }) => tried.id)].map(([name, tries]) => ({
    name,
    tries,
    worst: tries.reduce((worst, each) => (badness(each) > badness(worst) ? each : worst)),
  }));
}

interface TriedVariant {
  readonly name: string;
  readonly tries: readonly Tried[];
  readonly worst: Tried;
}

function badness({ outcome }: Tried): number {
  const order: readonly Verdict[] = ['pass', 'inconclusive', 'fail'];
  return order.indexOf(verdictOn(outcome));
}

/** The time that runs took, in whole seconds. */
export function secondsOf(tries: readonly Tried[]): string {
  return number(Math.round(tries.reduce((sum, { tookMs }) => sum + tookMs, 0) / 1_000));
}

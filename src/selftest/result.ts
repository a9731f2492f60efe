import type { Outcome } from './assess.ts';
import type { DefectCase, HarmlessCase } from './cases.ts';
import { isAsItShould, type Tried } from './conduct.ts';

/** A selftest, over. */
export interface SelftestResult {
  /** Epoch milliseconds. */
  readonly beganMs: number;
  readonly tookMs: number;
  readonly jobs: number;
  /** How many cases there were to try; fewer were tried when it was interrupted. */
  readonly planned: number;
  /** In the order of the reference service's own list. */
  readonly defects: readonly TriedCase<DefectCase>[];
  readonly harmless: readonly TriedCase<HarmlessCase>[];
}

export interface TriedCase<Kind extends Tried['tried']> extends Tried {
  readonly tried: Kind;
}

/** The two numbers that a selftest is for. */
export interface Figures {
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
  about: Pick<SelftestResult, 'beganMs' | 'tookMs' | 'jobs' | 'planned'>,
  order: readonly string[],
): SelftestResult {
  const place = ({ tried }: Tried): number => order.indexOf(tried.id);
  const sorted = all.toSorted(
    (a, b) => place(a) - place(b) || compare(a.tried.run, b.tried.run) || a.tried.seed - b.tried.seed,
  );
  return { ...about, defects: sorted.filter(isDefect), harmless: sorted.filter(isHarmless) };
}

export function figuresOf({ defects, harmless }: SelftestResult): Figures {
  const count = (some: readonly Tried[], kind: Outcome['kind']): number =>
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

/** Every tried defect was detected, there was no false alarm, and every run had a result. */
export function isProven(result: SelftestResult): boolean {
  const { broken, defects, detected, falseAlarms } = figuresOf(result);
  return detected === defects && falseAlarms === 0 && broken === 0;
}

/** The outcome of a case as text: the evidence, or why there is none. */
export function inWords(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'detected':
      return outcome.by.text;
    case 'missed':
    case 'broken':
      return outcome.why;
    case 'no-alarm':
      return 'nothing failed';
    case 'inconclusive':
      return `nothing failed; inconclusive: ${outcome.checks.map(({ id }) => id).join(', ')}`;
    case 'false-alarm':
      return outcome.checks.map(({ explanation, id }) => `${id}: ${explanation}`).join(' ');
  }
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

/** The harmless runs of each variant, all seeds and kinds together. */
export function byVariant(result: SelftestResult): ReadonlyMap<string, readonly TriedCase<HarmlessCase>[]> {
  return Map.groupBy(result.harmless, ({ tried }) => tried.id);
}

/** The worst outcome of a variant's runs. */
export function worstOf(tries: readonly Tried[]): Tried | undefined {
  return (
    tries.find(({ outcome }) => outcome.kind === 'false-alarm' || outcome.kind === 'broken') ??
    tries.find(({ outcome }) => !isAsItShould(outcome)) ??
    tries[0]
  );
}

function isDefect(tried: Tried): tried is TriedCase<DefectCase> {
  return tried.tried.kind === 'defect';
}

function isHarmless(tried: Tried): tried is TriedCase<HarmlessCase> {
  return tried.tried.kind === 'harmless';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

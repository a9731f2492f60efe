import { counted, number, verb } from '../../../amounts.ts';
import type { DialectData } from '../../check-data.ts';
import type { CheckId } from '../../check-ids.ts';
import { fits, type Suspect, shown } from '../../diagnosis/cause.ts';
import { type CheckResult, evidence, type Shown } from '../../verdict.ts';
import { capital } from '../words.ts';
import type { Dialect, LimitReading } from './dialects.ts';
import { type Fault, type Finding, type HeldValues, mergeFindings } from './finding.ts';
import { excludedText } from './held.ts';
import { judgeRemaining } from './remaining.ts';
import { judgeReset } from './reset.ts';
import type { HeaderContext, Series, Told } from './series.ts';

/** One policy of one dialect, with what all keys and endpoints together show of it. */
export interface Speaker {
  readonly dialect: Dialect;
  readonly policy: string;
  readonly series: readonly Series[];
  readonly remaining: Finding;
  readonly reset: Finding;
}

export function speakersOf(series: readonly Series[], context: HeaderContext): Speaker[] {
  const groups = Map.groupBy(series, ({ dialect, policy }) => `${dialect} ${policy}`);
  return [...groups.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    return [
      {
        dialect: first.dialect,
        policy: first.policy,
        series: own,
        remaining: mergeFindings(own.map((each) => judgeRemaining(each, context))),
        reset: mergeFindings(own.map((each) => judgeReset(each, context))),
      },
    ];
  });
}

interface Head {
  readonly id: CheckId;
  readonly title: string;
  readonly expected: string;
  readonly of: 'remaining' | 'reset';
  /** "12 answers ⟨say what remains⟩". */
  readonly say: string;
  /** A value. */
  readonly word: string;
}

export const remainingHead: Head = {
  id: 'rate-limit.headers-remaining',
  title: 'Remaining values in headers are consistent with the limiter',
  expected: 'a count that some limiter can have had',
  of: 'remaining',
  say: 'say what remains',
  word: 'counts',
};

export const resetHead: Head = {
  id: 'rate-limit.headers-reset',
  title: 'Reset times in headers are consistent with the limiter',
  expected: 'an instant within two windows that comes',
  of: 'reset',
  say: 'name a reset',
  word: 'resets',
};

/** One result for all dialects and policies; none where none says anything of the kind. */
export function judgeSpoken(
  speakers: readonly Speaker[],
  { id, title, expected, of, say, word }: Head,
): CheckResult[] {
  const telling = speakers.filter((each) => each[of].compared > 0);
  if (telling.length === 0) return [];
  const faults = telling.flatMap((each) => each[of].faults.map((fault) => said(each, fault)));
  const remarks = telling.flatMap((each) =>
    remarksOf(each[of]).map((remark) => `${labelOf(each)}: ${remark}`),
  );
  const compared = telling.reduce((sum, each) => sum + each[of].compared, 0);
  return [
    {
      id,
      title,
      verdict: faults.length > 0 ? 'fail' : 'pass',
      expected,
      observed: Object.fromEntries(
        telling.map((each) => {
          const contradicting = new Set(each[of].faults.flatMap(({ seqs }) => seqs));
          return [
            labelOf(each),
            {
              values: each[of].compared,
              contradicted: contradicting.size,
              with_fitted_limiter: observedHeld(each[of].held),
            },
          ];
        }),
      ),
      explanation: [
        ...(faults.length > 0
          ? sentencesOf(faults)
          : [`${number(compared)} answers ${say}, and some limiter could have said it all.`]),
        // Where values are wrong by themselves, that none is wrong by the fitted limiter would contradict it.
        ...telling.flatMap((each) =>
          each[of].faults.length > 0 && !isHeldWrong(each[of].held)
            ? []
            : explainHeld(each, each[of].held, word),
        ),
        ...remarks.map((remark) => `${capital(remark)}.`),
      ].join(' '),
      evidence: faults.map(({ what, seqs }) => evidence(what, seqs)),
      causes: faults.length === 0 ? [] : [whyWrong(telling, of, compared)],
    },
  ];
}

/** So many answers that all say the same are no accident. */
const frozenLeast = 20;

function whyWrong(telling: readonly Speaker[], of: Head['of'], compared: number): Suspect {
  const seqs = [...new Set(telling.flatMap((each) => each[of].faults.flatMap((fault) => fault.seqs)))];
  const wrong = seqs.length;
  if (of === 'reset') return fits('reset-wrong', { wrong, of: compared }, seqs);
  const said = telling.flatMap(({ series }) =>
    series.flatMap(({ told }) => told.sayings.flatMap(({ said: { remaining } }) => remaining ?? [])),
  );
  const [remaining, ...others] = new Set(said);
  return remaining !== undefined && others.length === 0 && said.length >= frozenLeast
    ? shown('limit-headers-frozen', { remaining, answers: said.length }, seqs)
    : fits('remaining-wrong', { wrong, of: compared }, seqs);
}

/** What the comparison with the fitted limiter shows, faults apart. */
function explainHeld(speaker: Speaker, held: HeldValues | undefined, word: string): string[] {
  if (held === undefined) return [];
  const { above, below, compared, labels } = held;
  const against = `held against ${labels.join(', or ')}`;
  if (above.length + below.length === 0)
    return [`${labelOf(speaker)}: ${excludedText(compared, `${word} are wrong`)}, ${against}.`].map(capital);
  return [
    capital(
      `${labelOf(speaker)}: of ${number(compared)} ${word}, ${number(above.length)} ${are(above)} too high and ${number(below.length)} ${are(below)} too low, ${against}.`,
    ),
  ];
}

function isHeldWrong(held: HeldValues | undefined): boolean {
  return held !== undefined && held.above.length + held.below.length > 0;
}

function are({ length }: readonly number[]): string {
  return length === 1 ? 'is' : 'are';
}

function observedHeld(held: HeldValues | undefined): Shown {
  return held === undefined
    ? 'not known'
    : { values: held.compared, too_high: held.above.length, too_low: held.below.length };
}

function remarksOf({ remarks, unexplained = 0 }: Finding): readonly string[] {
  if (unexplained === 0) return remarks;
  return [
    ...remarks,
    `${number(unexplained)} more than this run sent were counted: somebody else used the key, or requests count more than once`,
  ];
}

/** A fault with who said it. */
export function said(speaker: { readonly dialect: string; readonly policy?: string }, fault: Fault): Fault {
  return { ...fault, what: `${labelOf(speaker)}: ${fault.what}` };
}

/** What is wrong, with how many requests show it. */
export function sentencesOf(faults: readonly Fault[]): string[] {
  return faults.map(
    ({ what, seqs }) =>
      `${capital(what)} (${counted(seqs.length, 'request')} ${verb(seqs.length, 'shows', 'show')} it).`,
  );
}

function labelOf({ dialect, policy = '' }: { readonly dialect: string; readonly policy?: string }): string {
  return policy === '' ? dialect : `${dialect} "${policy}"`;
}

/** A row for each dialect and policy, for whoever makes a page of it. `stated`: what is wrong with the limits of a dialect. */
export function summaryOf(
  speakers: readonly Speaker[],
  stated: ReadonlyMap<string, Finding>,
  { promised }: HeaderContext,
): DialectData[] {
  return speakers.map(({ dialect, policy, series, remaining, reset }) => {
    const said = [...new Set(series.flatMap(({ told }) => told.sayings))].map((each) => each.said);
    const sum = (of: (told: Told) => number): number => series.reduce((all, { told }) => all + of(told), 0);
    const limits = values(said.map(({ limit }) => limit));
    const isWrong = (stated.get(dialect)?.faults.length ?? 0) > 0;
    const isPromised = limits.every((limit) => limit === promised.requests);
    return {
      dialect,
      policy,
      answers: sum(({ length }) => length),
      of_them_429: sum(({ limited }) => limited.reduce((all, one) => all + one, 0)),
      limits,
      windows_s: values(said.map(({ windowMs }) => windowMs)).map((ms) => ms / 1e3),
      reset_as: values(said.map(resetForm)),
      limit:
        limits.length === 0
          ? 'not said'
          : isPromised
            ? 'as promised'
            : isWrong
              ? 'contradicted'
              : 'another policy',
      remaining: honesty(remaining),
      unexplained: remaining.unexplained ?? 0,
      reset: honesty(reset),
    };
  });
}

/** The first few of the different values there are. */
function values<Value>(all: readonly (Value | undefined)[]): Value[] {
  return [...new Set(all.flatMap((value) => value ?? []))].slice(0, 5) as Value[];
}

function resetForm({ reset }: LimitReading): string | undefined {
  if (reset === undefined) return undefined;
  return 'inMs' in reset ? 'time from now' : 'instant';
}

function honesty({ compared, faults }: Finding): string {
  return compared === 0 ? 'not said' : faults.length === 0 ? 'honest' : 'contradicted';
}

import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { DialectData, HeaderTruth } from '../../core/check-data.ts';
import type { CheckFinding, Shown } from '../../core/verdict.ts';
import { type Expects, expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { type HeaderFinding, type HeldValues, mergeFindings } from './finding.ts';
import type { Dialect, LimitReading } from './reading.ts';
import { judgeRemaining } from './remaining.ts';
import { judgeReset } from './reset.ts';
import { faultEvidence, faultReason, labelOf, remarkReason } from './said.ts';
import type { HeaderContext, Series, Told } from './series.ts';
import { countersIn } from './several-counters.ts';

/** One policy of one dialect, with what all keys and endpoints together show of it. */
export interface Speaker {
  readonly dialect: Dialect;
  readonly policy: string;
  readonly series: readonly Series[];
  readonly remaining: HeaderFinding;
  readonly reset: HeaderFinding;
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

interface CheckHead {
  readonly id: CheckId;
  readonly expected: Expects;
  readonly of: 'remaining' | 'reset';
  /** What a pass says. */
  readonly possible: 'headers-remaining-possible' | 'headers-reset-possible';
}

export const remainingHead: CheckHead = {
  id: 'rate-limit.headers-remaining',
  expected: expects('rate-limit.headers-remaining'),
  of: 'remaining',
  possible: 'headers-remaining-possible',
};

export const resetHead: CheckHead = {
  id: 'rate-limit.headers-reset',
  expected: expects('rate-limit.headers-reset'),
  of: 'reset',
  possible: 'headers-reset-possible',
};

/** One result for all dialects and policies; none where none says anything of the kind. */
export function judgeSpoken(
  speakers: readonly Speaker[],
  { expected, id, of, possible }: CheckHead,
): CheckFinding[] {
  const telling = speakers.filter((each) => each[of].compared > 0);
  if (telling.length === 0) return [];
  const faults = telling.flatMap((who) => who[of].faults.map((fault) => ({ who, fault })));
  const values = telling.reduce((sum, each) => sum + each[of].compared, 0);
  return [
    {
      id,
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
      reasons: [
        ...(faults.length > 0
          ? faults.map(({ fault, who }) => faultReason(who, fault))
          : [reason(possible, { values })]),
        // Where values are wrong by themselves, that none is wrong by the fitted limiter would contradict it.
        ...telling.flatMap((each) =>
          each[of].faults.length > 0 && !isHeldWrong(each[of].held) ? [] : heldReasons(each, of),
        ),
        ...telling.flatMap((each) => remarksOf(each, each[of])),
      ],
      evidence: faults.map(({ fault, who }) => faultEvidence(who, fault)),
      causes: faults.length === 0 ? [] : [whyWrong(telling, of, values)],
    },
  ];
}

/** This many answers that all say the same are no accident. */
const frozenLeast = 20;

function whyWrong(telling: readonly Speaker[], of: CheckHead['of'], compared: number): Suspect {
  const seqs = [...new Set(telling.flatMap((each) => each[of].faults.flatMap((fault) => fault.seqs)))];
  const wrong = seqs.length;
  if (of === 'reset') return fits('reset-wrong', { wrong, of: compared }, seqs);
  const said = telling.flatMap(({ series }) =>
    series.flatMap(({ told }) => told.sayings.flatMap(({ said: { remaining } }) => remaining ?? [])),
  );
  const nodes = telling.map(({ series }) => countersIn(series)).find((each) => each !== undefined);
  if (nodes !== undefined) return fits('counters-per-node', { nodes }, seqs);
  const [remaining, ...others] = new Set(said);
  return remaining !== undefined && others.length === 0 && said.length >= frozenLeast
    ? shown('limit-headers-frozen', { remaining, answers: said.length }, seqs)
    : fits('remaining-wrong', { wrong, of: compared }, seqs);
}

/** What the comparison with the fitted limiter shows, faults apart. */
function heldReasons(speaker: Speaker, of: CheckHead['of']): Reason[] {
  const { held } = speaker[of];
  if (held === undefined) return [];
  const { above, aboveBy, below, belowBy, compared, fitted } = held;
  const params = { dialect: speaker.dialect, policy: speaker.policy, of, compared, fitted };
  const counts = { above: above.length, aboveBy, below: below.length, belowBy };
  return isHeldWrong(held)
    ? [reason('headers-values-wrong', { ...params, ...counts })]
    : [reason('headers-values-right', params)];
}

function isHeldWrong(held: HeldValues | undefined): boolean {
  return held !== undefined && held.above.length + held.below.length > 0;
}

function observedHeld(held: HeldValues | undefined): Shown {
  return held === undefined
    ? 'not known'
    : {
        values: held.compared,
        too_high: held.above.length,
        too_high_by: Math.round(held.aboveBy),
        too_low: held.below.length,
        too_low_by: Math.round(held.belowBy),
      };
}

function remarksOf(speaker: Speaker, { remarks, unexplained = 0 }: HeaderFinding): Reason[] {
  const { dialect, policy } = speaker;
  return [
    ...remarks.map((remark) => remarkReason(speaker, remark)),
    ...(unexplained === 0 ? [] : [reason('headers-count-more', { dialect, policy, unexplained })]),
  ];
}

/** A row for each dialect and policy. `stated`: what is wrong with the limits of a dialect. */
export function summaryOf(
  speakers: readonly Speaker[],
  stated: ReadonlyMap<string, HeaderFinding>,
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
          ? 'not-said'
          : isPromised
            ? 'as-promised'
            : isWrong
              ? 'contradicted'
              : 'other-policy',
      remaining: truthOf(remaining),
      unexplained: remaining.unexplained ?? 0,
      reset: truthOf(reset),
    };
  });
}

/** The first few of the different values there are. */
function values<Value>(all: readonly (Value | undefined)[]): Value[] {
  return [...new Set(all.flatMap((value) => value ?? []))].slice(0, 5) as Value[];
}

function resetForm({ reset }: LimitReading): DialectData['reset_as'][number] | undefined {
  if (reset === undefined) return undefined;
  return 'inMs' in reset ? 'time-from-now' : 'point-in-time';
}

function truthOf({ compared, faults }: HeaderFinding): HeaderTruth {
  return compared === 0 ? 'not-said' : faults.length === 0 ? 'consistent' : 'contradicted';
}

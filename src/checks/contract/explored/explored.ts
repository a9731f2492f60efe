import { isDeepStrictEqual } from 'node:util';
import type { History } from '../../../history/history.ts';
import { type ApiCall, isLimited, isLost, keyOf } from '../../../model/call.ts';
import type { ExplainingRow } from '../../../model/faults/explain.ts';
import { sentenceOf } from '../../../model/faults/fault.ts';
import type { NotShown } from '../../../model/faults/power.ts';
import { modelFaults } from '../../../model/faults/table.ts';
import type { Divergence } from '../../../model/judge.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { caused, explainedBy, type Suspect } from '../../causes/cause.ts';
import { isChannelUnknown } from '../../core/no-data.ts';
import { type CheckFinding, evidenceIfAny } from '../../core/verdict.ts';
import { answerName, type WrongAnswer, wrongSides } from '../../reasons/contract/explored.ts';
import { firstReasons, reason } from '../../reasons/reason.ts';
import { apart, partOf } from '../../reasons/words/apart.ts';
import { type ExploredFindings, exploredFindings } from './findings.ts';
import { checkOf, ExploredContext, exploredChecks } from './relation.ts';
import { seenWrong } from './seen.ts';

/** What the explorer's calls say of the contract: each of its checks once, and others that its wrong answers fail. */
export async function checkExplored(history: History): Promise<CheckFinding[]> {
  const findings = await exploredFindings(history);
  if (findings === undefined)
    return history.run.explored === undefined ? [] : exploredChecks.map(({ id }) => notShown(id, 0));
  const { calls, explanation } = findings;
  const context = new ExploredContext(calls);
  const wrong = Map.groupBy(explanation.divergences, (each) => checkOf(each, context));
  const judged = calls.filter((call) => !isLost(call) && !isLimited(call));
  const suspects = suspectsOf(findings);
  const excluded = excludedBy(findings, context);
  const isUnknown = await isChannelUnknown(history);
  const listed = exploredChecks.flatMap(({ id, isAbout }): CheckFinding[] => {
    if (!isPromised(id, history) || !isAsked(id, calls, history)) return [];
    const answers = judged.filter((call) => isAbout(call, context)).map(({ n }) => n);
    const own = wrong.get(id) ?? [];
    if (own.length > 0) return [failed(id, own, answers, findings, suspects)];
    const isShared = id === 'contract.tenancy' && findings.sharesCatalogs;
    if (answers.length === 0 || isShared || (isOfChannel(id) && isUnknown)) {
      const why = isShared ? 'explored-catalogs-shared' : 'explored-no-events';
      return [{ ...notShown(id, calls.length), ...(answers.length > 0 && { reasons: [reason(why)] }) }];
    }
    // A pass names what might have turned it.
    const left = calls.filter((call) => findings.leftOut.has(call.n) && isAbout(call, context));
    return [
      {
        id,
        verdict: 'pass',
        observed: { answers: answers.length },
        reasons: [
          reason('explored-agrees', {
            answers: answers.length,
            faults: excluded.get(id) ?? 0,
          }),
          ...(left.length > 0 ? [reason('explored-left-out', { answers: left.length })] : []),
        ],
        evidence: evidenceIfAny('answered as promised', answers),
      },
    ];
  });
  const known = new Set<CheckId>(exploredChecks.map(({ id }) => id));
  const others = [...wrong].filter(([id]) => !known.has(id));
  // Any answer could be a 5xx.
  const all = judged.map(({ n }) => n);
  return [
    ...listed,
    ...others.map(([id, own]) => failed(id, own, id === 'contract.errors' ? all : [], findings, suspects)),
  ];
}

/** How many of the known faults would have failed each check. */
function excludedBy({ power }: ExploredFindings, context: ExploredContext): ReadonlyMap<CheckId, number> {
  const counts = new Map<CheckId, number>();
  for (const { shownBy } of power())
    for (const id of new Set(shownBy.map((each) => checkOf(each, context))))
      counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** What the explorer's calls exclude, where no answer was wrong. */
export interface ExploredPower {
  /** Known faults that were planted into the model, and those of them that these very calls would have shown. */
  readonly faults: number;
  readonly shown: number;
  readonly missed: readonly MissedFault[];
}

/** How many known faults the first half of the calls would have shown. What the second half adds says what more calls are worth. */
export function shownByHalf({ calls, power }: ExploredFindings): number {
  const half = new Set(calls.slice(0, calls.length / 2).map(({ n }) => n));
  return power().filter(({ shownBy: [by] }) => by !== undefined && half.has(by.call)).length;
}

/** A known fault that the calls would not have shown. */
export interface MissedFault {
  readonly cause: string;
  readonly text: string;
  /** No call could show it, no answer would differ, or it may leave no trace in these calls. */
  readonly why: NotShown;
}

/** The power of a run without a wrong answer: each known fault planted into the model, and the run's calls replayed. */
export async function exploredPower(history: History): Promise<ExploredPower | undefined> {
  const power = (await exploredFindings(history))?.power() ?? [];
  if (power.length === 0) return undefined;
  const missed = power.filter(({ isShown }) => !isShown);
  return {
    faults: power.length,
    shown: power.length - missed.length,
    missed: missed.map(({ fault, params, why = 'untouched' }) => ({
      cause: fault.cause,
      text: sentenceOf(fault, params),
      why,
    })),
  };
}

/** Conventions of this project are judged where the profile promises them. */
function isPromised(id: CheckId, { profile: { channel, data_scope } }: History): boolean {
  const told = typeof channel === 'string' ? undefined : channel;
  if (id === 'contract.acts-unknown-sku') return told?.unknown_sku === 'refused';
  if (id === 'contract.acts-other-token' || id === 'contract.acts-altered-token')
    return told?.other_token === 'refused';
  if (id === 'contract.acts-again') return told?.repeated_id === 'once';
  return id !== 'contract.tenancy' || data_scope !== 'shared';
}

const isOfChannel = (id: CheckId): boolean =>
  id === 'contract.history' || id === 'contract.acts-at-once' || id === 'contract.reads-agree';

/** Without a second key, a channel or a second connection there is nothing to ask: the run says so elsewhere. */
function isAsked(id: CheckId, calls: readonly ApiCall[], { profile: { connections } }: History): boolean {
  if (id.endsWith('-at-once') && connections === 1) return false;
  if (id === 'contract.tenancy') return new Set(calls.flatMap((call) => keyOf(call) ?? [])).size > 1;
  return !isOfChannel(id) || calls.some(({ op }) => op === 'interact');
}

function notShown(id: CheckId, calls: number): CheckFinding {
  return {
    id,
    verdict: 'inconclusive',
    observed: { answers: 0 },
    reasons: [reason('explored-none', { calls })],
  };
}

function failed(
  id: CheckId,
  wrong: readonly Divergence[],
  answers: readonly number[],
  { leftBy }: ExploredFindings,
  suspects: readonly Suspect[],
): CheckFinding {
  const seqs = [...new Set(wrong.map(({ call }) => call))];
  const own = suspects.filter((_, place) => !seqs.every((seq) => leftBy(place).has(seq)));
  const inAll = Math.max(answers.length, seqs.length);
  const answered = wrong.map(wrongAnswer);
  const [first] = answered;
  return {
    id,
    verdict: 'fail',
    expected: { ...(first !== undefined && { [answerName(first)]: wrongSides(first)[0] }), wrong: 0 },
    observed: {
      ...(first !== undefined && { [answerName(first)]: wrongSides(first)[1] }),
      ...{ answers: inAll, wrong: seqs.length },
    },
    reasons: [
      ...firstReasons(answered.map((each) => reason('explored-differs', each))),
      ...(answers.length === 0 ? [] : [reason('explored-share', { wrong: seqs.length, answers: inAll })]),
    ],
    evidence: evidenceIfAny('answered otherwise', seqs),
    ...caused(own),
  };
}

/** So many wrong answers with one feature, and no right ones, are no chance. Ours. */
const leastByFeature = 3;

/** The rows that explain most, as causes. What explains everything alone is shown; with others beside it, or loosely, it only fits. */
export function suspectsOf({ calls, explanation, shrunk }: ExploredFindings): readonly Suspect[] {
  const { causes, second } = explanation;
  const seqs = shrunk?.calls.map(({ n }) => n) ?? [];
  const rows: readonly ExplainingRow[] = [...causes, ...(second === undefined ? [] : [second])];
  const seen = rows.length === 0 ? seenWrong(calls, explanation.divergences) : undefined;
  if (seen !== undefined) {
    const { expected, got } = wrongAnswer(seen.first);
    return [
      {
        cause: { code: 'answers-unexplained', params: { ...seen.params, expected, got } },
        strength: 'loose',
      },
    ];
  }
  const isAlone = rows.length === 1 && rows[0]?.left === 0;
  return rows.flatMap(({ fault, isLoose, of, params }) => {
    const row = modelFaults.find((each) => each === fault);
    if (row === undefined) return [];
    // Of so many features, one often is that of a few wrong answers by chance.
    const isSure = isAlone && (of >= leastByFeature || params.feature === undefined);
    const strength = isLoose ? 'loose' : isSure ? 'shown' : 'fits';
    return explainedBy(row, params, strength, seqs);
  });
}

/** What is wrong with an answer, as data that can be read. */
export function wrongAnswer(divergence: Divergence): WrongAnswer {
  const { call, expected, got, kind, of, op } = divergence;
  const [wanted, came] =
    kind === 'status'
      ? [of === 'failed' ? 'no 5xx' : statusesText(expected), String(got)]
      : kind === 'number' && instants.has(of)
        ? [rangeText(expected, got, instantText), instantText(Number(got))]
        : valuesApart(...differing(divergence));
  const name = kind === 'value' ? `${of}${elementOf(got)}` : of;
  return { ...{ seq: call, endpoint: op, kind, of: name }, expected: wanted, got: came };
}

/** Of which shade or event a field is. */
function elementOf(element: unknown): string {
  const { id, sku } = isPlainObject(element) ? element : {};
  const name = id === undefined ? sku : id;
  return name === undefined ? '' : ` of ${partOf(String(name))}`;
}

const statuses: Readonly<Record<string, string>> = {
  ok: '2xx',
  unauthorized: '401',
  missing: '404',
  refused: '4xx',
  failed: '5xx',
};

const statusesText = (outcomes: unknown): string =>
  Array.isArray(outcomes) ? outcomes.map((each) => statuses[String(each)] ?? String(each)).join(' or ') : '';

/** Fields whose value is an instant: milliseconds since 1970. */
const instants: ReadonlySet<string> = new Set(['expires_at']);

/** The last instant that a date can be. */
const endOfTimeMs = 8.64e15;

const instantText = (epochMs: number): string =>
  Math.abs(epochMs) < endOfTimeMs ? new Date(epochMs).toISOString() : '';

/** `36`, `36 to 40`, `at least 36`. An end that earlier wrong answers have moved past the other one is left out. */
function rangeText(ends: unknown, got: unknown, text: (end: number) => string = String): string {
  const [least = 0, most = 0] = Array.isArray(ends) ? ends.map(Number) : [];
  const [from, to] = [text(least), text(most)];
  if (from === to) return from;
  if (to === '' || least > most) return Number(got) < least ? `at least ${from}` : `at most ${to}`;
  return `${from} to ${to}`;
}

type ValuePair = readonly [expected: unknown, got: unknown];

/** Of two objects, the fields in which they differ. */
function differing({ expected, got, of }: Divergence): ValuePair {
  if (!isPlainObject(expected) || !isPlainObject(got)) return [expected, got];
  if (of in got) return [expected[of], got[of]];
  const names = Object.keys(got).filter((name) => !isDeepStrictEqual(expected[name], got[name]));
  const part = (value: typeof got): object => Object.fromEntries(names.map((name) => [name, value[name]]));
  return [part(expected), part(got)];
}

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const valuesApart = (expected: unknown, got: unknown): readonly [string, string] =>
  apart(valueText(expected, got), valueText(got));

function valueText(value: unknown, got?: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'number'))
    return rangeText(value, got);
  return JSON.stringify(Array.isArray(value) && value.length === 1 ? value[0] : value) ?? '';
}

import type { History } from '../../../history/history.ts';
import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type AnswerRow, cellNames } from '../compare/answer-row.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import { conventionRows } from './convention-rows.ts';
import { countRows } from './count-rows.ts';
import { creationRows } from './creation-rows.ts';
import { knownAnswers } from './known-answers.ts';
import { listRows } from './list-rows.ts';
import { otherAnswerRows } from './other-answers.ts';
import { partRows } from './part-rows.ts';
import { type AnswerEvidence, evidenceOf, explanationsBy, type FieldExplanation } from './row.ts';
import { kindRows, valueRows } from './value-rows.ts';

/** What explains the wrong values of each field. */
export type CausesByField = Readonly<Record<AnswerField, readonly Suspect[]>>;

/**
 * Holds every row of causes against all answers. The explanation that explains most fields is named for each of them, the
 * cheapest of several: as shown where it is the only one. Where none does, a total or a list names what is seen. `changing`: fields
 * that the same question got differently.
 */
export async function causesByField(
  history: History,
  table: AnalyticsTable,
  changing: readonly AnswerField[],
): Promise<CausesByField> {
  const nothing = { total_sessions: [], avg_shades_per_session: [], cart_intent_rate: [], top_shades: [] };
  const bare = evidenceOf(history, table, []);
  if (answerFields.every((field) => bare.wrong[field].length === 0)) return nothing;
  const evidence = evidenceOf(history, table, await knownAnswers(history, table));
  const explanations = [
    ...explanationsBy(rowsFrom(evidence), evidence),
    ...explanationsBy(
      [...(await creationRows(history, evidence)), ...(await otherAnswerRows(history, evidence))],
      evidence,
    ),
    ...varying(evidence, changing),
  ];
  const of = (field: AnswerField): readonly Suspect[] => namedFor(field, explanations, evidence);
  return {
    total_sessions: of('total_sessions'),
    avg_shades_per_session: of('avg_shades_per_session'),
    cart_intent_rate: of('cart_intent_rate'),
    top_shades: of('top_shades'),
  };
}

/** Every row that needs nothing but the table and the sessions that are known. */
export function rowsFrom(evidence: AnswerEvidence): Parameters<typeof explanationsBy>[0] {
  return [
    ...conventionRows(evidence),
    ...valueRows(evidence),
    ...countRows(evidence),
    ...listRows(evidence),
    ...partRows(evidence),
    ...kindRows(evidence),
  ];
}

/** The cheapest explanations of a field, or what is seen. */
export function namedFor(
  field: AnswerField,
  explanations: readonly FieldExplanation[],
  evidence: AnswerEvidence,
): readonly Suspect[] {
  const own = explanations.filter(({ fields }) => fields.includes(field));
  if (own.length === 0) return symptomsOf(field, evidence);
  const ordered = own.toSorted((a, b) => costOf(a) - costOf(b));
  const best = ordered.filter((each) => costOf(each) === costOf(ordered[0] ?? each));
  return best.map(({ isByChosenConvention = false, suspect }) => ({
    ...suspect,
    strength: best.length === 1 && !isByChosenConvention ? 'shown' : 'fits',
  }));
}

/** What nothing else can have shown comes first, then what explains more. */
function costOf({ fields, price }: FieldExplanation): number {
  return price === 0 ? 0 : price >= 9 ? 100 : 10 * (answerFields.length - fields.length) + price;
}

function varying({ wrong }: AnswerEvidence, changing: readonly AnswerField[]): FieldExplanation[] {
  const fields = changing.filter((field) => wrong[field].length > 0);
  const seqs = fields.flatMap((field) => wrong[field]).map(({ seq }) => seq);
  return fields.length === 0
    ? []
    : [{ suspect: fits('answers-vary', { fields: changing }, seqs), fields, seqs, price: 1 }];
}

/** What is seen, where nothing is known to explain it. A wrong total or list makes wrong means, too. */
function symptomsOf(field: AnswerField, { wrong }: AnswerEvidence): Suspect[] {
  const seqs = wrong[field].map(({ seq }) => seq);
  const [first] = wrong[field];
  if (first === undefined) return [];
  if (field === 'top_shades') {
    const found = wrong.top_shades.flatMap(miscountIn)[0];
    return found === undefined ? [] : [fits('selections-counted-wrong', found, seqs)];
  }
  const { expected, returned } = first[cellNames[field]];
  if (expected === null || returned === null) return [];
  const due = returned < expected.min ? expected.min : expected.max;
  if (field === 'total_sessions')
    return [fits('sessions-counted-wrong', { counted: returned, expected: due }, seqs)];
  const isAlone = wrong.total_sessions.length + wrong.top_shades.length === 0;
  return isAlone ? [fits('mean-wrong', { field, returned, expected: due }, seqs)] : [];
}

/** The first shade of a list that has more or fewer selections than it can have. */
function miscountIn({
  topShades: { expected, returned },
}: AnswerRow): { readonly sku: string; readonly counted: number; readonly expected: number }[] {
  const bounds = new Map(expected?.map((shade) => [shade.sku, shade]));
  const listed = (returned ?? []).flatMap(({ selections, sku }) => {
    const { max, min } = bounds.get(sku) ?? { min: 0, max: 0 };
    if (selections >= min && selections <= max) return [];
    return [{ sku, counted: selections, expected: selections < min ? min : max }];
  });
  const last = returned?.at(-1)?.selections ?? 0;
  const unlisted = (expected ?? []).filter(({ sku }) => !returned?.some((shade) => shade.sku === sku));
  const missing = unlisted.filter(({ min }) => min > last);
  // A list may be too short of shades that have as many selections as its last one.
  const due = listed.length + missing.length > 0 ? missing : unlisted.filter(({ min }) => min > 0);
  return [...listed, ...due.map(({ min, sku }) => ({ sku, counted: 0, expected: min }))];
}

/** Each suspect once, though several fields name it. */
export function eachOnce(suspects: readonly Suspect[]): Suspect[] {
  return [...new Map(suspects.map((each) => [JSON.stringify(each.cause), each])).values()];
}

/** Suspects that say that a convention is otherwise, or that the profile is not true. */
export function ofConventions(causes: CausesByField): Suspect[] {
  return named(causes, conventionCodes);
}

/** What is seen in single values, and causes outside of analytics may explain. */
export function ofValues(causes: CausesByField): Suspect[] {
  return named(causes, valueCodes);
}

function named(causes: CausesByField, codes: ReadonlySet<string>): Suspect[] {
  return eachOnce(
    answerFields.flatMap((field) => causes[field]).filter(({ cause }) => codes.has(cause.code)),
  );
}

const valueCodes: ReadonlySet<string> = new Set([
  'repeats-counted',
  'selections-counted-wrong',
  'sessions-counted-wrong',
]);

const conventionCodes: ReadonlySet<string> = new Set([
  'analytics-pool-accounts',
  'convention-differs',
  'day-boundary-shifted',
  'end-date-exclusive',
  'end-date-inclusive',
  'inactive-sessions-left-out',
  'profile-false',
]);

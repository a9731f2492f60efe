import type { History } from '../../../history/history.ts';
import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type AnswerRow, cellNames, type JudgedAnswers } from '../compare/answer-row.ts';
import type { Search } from '../compare/search.ts';
import { conventionRows } from './convention-rows.ts';
import { countRows } from './count-rows.ts';
import { creationRows, kindRows } from './creation-rows.ts';
import { knownAnswers } from './known-answers.ts';
import { listRows } from './list-rows.ts';
import { otherAnswerRows } from './other-answers.ts';
import { partRows } from './part-rows.ts';
import { type AnswerEvidence, evidenceOf, explanationsBy, type FieldExplanation } from './row.ts';
import { valueRows } from './value-rows.ts';

/** What explains the wrong values of each field. */
export type CausesByField = Readonly<Record<AnswerField, readonly Suspect[]>>;

/**
 * Holds every row of causes against all answers. The explanation that explains most fields is named for each of them, the
 * cheapest of several: as shown where it is the only one. Where none does, a total or a list names what is seen. `changing`: fields
 * that the same question got differently.
 */
export async function causesByField(
  history: History,
  table: JudgedAnswers,
  changing: readonly AnswerField[],
): Promise<CausesByField> {
  const { evidence, explanations } = await explained(history, table);
  const all = [...explanations, ...varying(evidence, changing)];
  const of = (field: AnswerField): readonly Suspect[] => namedFor(field, all, evidence);
  return {
    total_sessions: of('total_sessions'),
    avg_shades_per_session: of('avg_shades_per_session'),
    cart_intent_rate: of('cart_intent_rate'),
    top_shades: of('top_shades'),
  };
}

async function explained(
  history: History,
  table: JudgedAnswers,
): Promise<{ readonly evidence: AnswerEvidence; readonly explanations: readonly FieldExplanation[] }> {
  const bare = evidenceOf(history, table, []);
  if (answerFields.every((field) => bare.wrong[field].length === 0))
    return { evidence: bare, explanations: [] };
  const evidence = evidenceOf(history, table, await knownAnswers(history, table));
  const asked = [...(await creationRows(history, evidence)), ...(await otherAnswerRows(history, evidence))];
  return {
    evidence,
    explanations: [...explanationsBy(rowsFrom(evidence), evidence), ...explanationsBy(asked, evidence)],
  };
}

/** What a field costs that no row explains, in place of the rows that would. */
const unexplained = 100;

/**
 * The conventions by which the answers are judged where no allowed ones fit them all: those under which the wrong answers have the
 * cheapest explanation. So a convention that only wrong answers fit is not taken where another one and one cause explain them.
 */
export async function settled(
  history: History,
  search: Search,
  judgedBy: (search: Search) => JudgedAnswers,
): Promise<Search> {
  if (search.rivals.length < 2) return search;
  const priced = [];
  for (const choice of search.rivals) {
    const { evidence, explanations } = await explained(history, judgedBy({ ...search, chosen: choice }));
    priced.push({ choice, ...cheapest(explanations, evidence) });
  }
  const least = Math.min(...priced.map(({ cost }) => cost));
  const [first, ...others] = priced.filter(({ cost }) => cost === least);
  if (first === undefined) return search;
  const isUnsettled = least < unexplained && others.some(({ codes }) => codes.join() !== first.codes.join());
  return { ...search, chosen: first.choice, isUnsettled };
}

/** The fewest explanations of all wrong fields, and what they cost. */
function cheapest(
  explanations: readonly FieldExplanation[],
  { wrong }: AnswerEvidence,
): { readonly cost: number; readonly codes: readonly string[] } {
  let open = answerFields.filter((field) => wrong[field].length > 0);
  let cost = 0;
  const codes: string[] = [];
  for (;;) {
    const left = ({ fields }: FieldExplanation): number =>
      fields.filter((field) => open.includes(field)).length;
    const [best] = explanations
      .filter((each) => left(each) > 0)
      .toSorted((a, b) => left(b) - left(a) || a.price - b.price);
    if (best === undefined) return { cost: cost + unexplained * open.length, codes };
    cost += 10 + best.price;
    codes.push(best.suspect.cause.code);
    open = open.filter((field) => !best.fields.includes(field));
  }
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
  const isTold = best.some((each) => each.isTold);
  const isSure = best.length === 1 && isTold && evidence.table.search?.isUnsettled !== true;
  return best.map(({ suspect }) => ({ ...suspect, strength: isSure ? 'shown' : 'fits' }));
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
    : [{ suspect: fits('answers-vary', { fields: changing }, seqs), fields, seqs, price: 1, isTold: true }];
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
export function suspectsIn(causes: CausesByField): Suspect[] {
  const all = answerFields.flatMap((field) => causes[field]);
  return [...new Map(all.map((each) => [JSON.stringify(each.cause), each])).values()];
}

/** Suspects that say that a convention is otherwise, or that the profile is not true. */
export function ofConventions(causes: CausesByField): Suspect[] {
  return suspectsIn(causes).filter(({ cause }) => conventionCodes.has(cause.code));
}

const conventionCodes: ReadonlySet<string> = new Set([
  'analytics-pool-accounts',
  'answers-vary',
  'convention-differs',
  'convention-varies',
  'day-boundary-shifted',
  'end-date-exclusive',
  'end-date-inclusive',
  'inactive-sessions-left-out',
  'profile-false',
]);

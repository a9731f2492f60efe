import type { History } from '../../../history/history.ts';
import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import { unfilteredFields } from '../relations/product-filter.ts';
import { conventionHypotheses } from './convention-suspects.ts';
import { ignoredBounds, lastDaysLeftOut } from './ignored-bound.ts';
import { mixedUpHypotheses } from './mixed-up.ts';
import { topHypotheses } from './top-suspects.ts';
import { unusualIdHypotheses } from './unusual-id.ts';
import { valueHypotheses } from './value-suspects.ts';

/** What explains the wrong values of each field. */
export type SuspectsByField = Readonly<Record<AnswerField, readonly Suspect[]>>;

/**
 * Holds each cause that wrong values can have against all of them. One that explains every wrong value of a field is named
 * for it: as shown where it is the only one. Where none does, a total or a list names what is seen.
 * `changing`: fields that the same question got differently; `counted`: what explains values from the requests of the run.
 */
export function suspectsByField(
  history: History,
  table: AnalyticsTable,
  {
    changing,
    counted,
  }: { readonly changing: readonly AnswerField[]; readonly counted: readonly SuspectHypothesis[] },
): SuspectsByField {
  const all = [
    ...counted,
    ...filterHypotheses(table),
    ...changingHypotheses(table, changing),
    ...conventionHypotheses(history, table),
    ...valueHypotheses(history, table),
    ...topHypotheses(history, table),
    ...mixedUpHypotheses(table),
    ...ignoredBounds(table),
    ...lastDaysLeftOut(table),
  ];
  // What goes wrong with such ids, where nothing says how.
  const unusual = unusualIdHypotheses(table);
  const of = (field: AnswerField): readonly Suspect[] => {
    const wrong = wrongRows(table, field);
    if (wrong.length === 0) return [];
    const explaining = all.filter(({ fields }) => fields.includes(field));
    const certain = explaining.filter(({ isCertain }) => isCertain === true);
    const named = certain.length > 0 ? certain : explaining;
    const told = named.length > 0 ? named : unusual.filter(({ fields }) => fields.includes(field));
    if (told.length === 0) return symptomsOf(field, wrong, table);
    return told.map(
      ({ suspect }): Suspect => ({
        ...suspect,
        strength: told.length === 1 ? 'shown' : 'fits',
      }),
    );
  };
  return {
    total_sessions: of('total_sessions'),
    avg_shades_per_session: of('avg_shades_per_session'),
    cart_intent_rate: of('cart_intent_rate'),
    top_shades: of('top_shades'),
  };
}

/** Each suspect once, though several fields name it. */
export function eachOnce(suspects: readonly Suspect[]): Suspect[] {
  const names = new Set<string>();
  return suspects.filter(({ cause }) => {
    const name = JSON.stringify(cause);
    const isNew = !names.has(name);
    names.add(name);
    return isNew;
  });
}

function filterHypotheses(table: AnalyticsTable): SuspectHypothesis[] {
  const { fields: all, seqs } = unfilteredFields(table);
  // A single number may be that of all products by chance.
  const fields = all.filter((field) => wrongRows(table, field).every(({ seq }) => seqs.includes(seq)));
  return fields.length === 0
    ? []
    : [
        {
          suspect: fits('product-filter-ignored', { fields }, seqs),
          fields,
          isCertain: !isFilterApplied(table),
        },
      ];
}

/** Whether some product has its own numbers where all products together have others. */
function isFilterApplied({ rows }: AnalyticsTable): boolean {
  return rows.some(
    ({ query, totalSessions: { returned, verdict } }) =>
      query.productId !== null &&
      verdict === 'pass' &&
      (returned ?? 0) > 0 &&
      rows.some(
        (whole) =>
          whole.query.productId === null &&
          whole.query.credential === query.credential &&
          (whole.totalSessions.expected?.min ?? 0) > (returned ?? 0),
      ),
  );
}

function changingHypotheses(table: AnalyticsTable, changing: readonly AnswerField[]): SuspectHypothesis[] {
  return hypotheses(table, changing, (seqs) => fits('answers-vary', { fields: changing }, seqs));
}

/** What is seen, where nothing is known to explain it. A wrong total or list makes wrong means, too. */
function symptomsOf(field: AnswerField, wrong: readonly AnswerRow[], table: AnalyticsTable): Suspect[] {
  const seqs = wrong.map(({ seq }) => seq);
  const [first] = wrong;
  if (first === undefined) return [];
  if (field === 'total_sessions') {
    const { expected, returned } = first.totalSessions;
    if (expected === null || returned === null) return [];
    const due = returned < expected.min ? expected.min : expected.max;
    return [fits('sessions-counted-wrong', { counted: returned, expected: due }, seqs)];
  }
  if (field === 'top_shades') {
    const found = wrong.flatMap(miscountIn)[0];
    return found === undefined ? [] : [fits('selections-counted-wrong', found, seqs)];
  }
  const isAlone = wrongRows(table, 'total_sessions').length + wrongRows(table, 'top_shades').length === 0;
  const { expected, returned } =
    field === 'cart_intent_rate' ? first.cartIntentRate : first.avgShadesPerSession;
  if (!isAlone || expected === null || returned === null) return [];
  const due = returned < expected.min ? expected.min : expected.max;
  return [fits('mean-wrong', { field, returned, expected: due }, seqs)];
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

/** What is seen in single values, and causes outside of analytics may explain. */
export function ofValues(suspects: SuspectsByField): Suspect[] {
  return eachOnce(
    answerFields.flatMap((field) => suspects[field]).filter(({ cause }) => valueCodes.has(cause.code)),
  );
}

const valueCodes: ReadonlySet<string> = new Set([
  'repeats-counted',
  'selections-counted-wrong',
  'sessions-counted-wrong',
]);

/** Suspects that say that a convention is otherwise, or that the profile is not true. */
export function ofConventions(suspects: SuspectsByField): Suspect[] {
  return eachOnce(
    answerFields.flatMap((field) => suspects[field]).filter(({ cause }) => conventionCodes.has(cause.code)),
  );
}

const conventionCodes: ReadonlySet<string> = new Set([
  'analytics-pool-accounts',
  'convention-differs',
  'day-boundary-shifted',
  'end-date-exclusive',
  'end-date-inclusive',
  'inactive-sessions-left-out',
  'profile-false',
]);

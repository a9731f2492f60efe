import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { AnswerRow } from '../compare/answer-row.ts';
import { inQuery } from '../compare/field-reasons.ts';
import { fitTopShades, within } from '../compare/fit.ts';
import type { Search } from '../compare/search.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import type { Returned } from '../record/questions.ts';

/** Answers that are told one by one. */
const mostTold = 3;

/** Why the total of an answer is not right, or where it is, the list of shades. */
function troubleOf({ query, topShades, totalSessions }: AnswerRow): Reason[] {
  const { reasons } = totalSessions.verdict === 'pass' ? topShades : totalSessions;
  return inQuery(query.label, reasons);
}

/** Every product's answer is about that product: no field of it carries the number of a larger population. */
export function judgeProductFilter(table: AnalyticsTable): Relation {
  const telling: AnswerRow[] = [];
  const unfiltered: { row: AnswerRow; fields: readonly AnswerField[] }[] = [];
  const otherwise: AnswerRow[] = [];
  const doubtful: AnswerRow[] = [];
  for (const { whole, products } of families(table.rows)) {
    for (const row of products) {
      // Of another account's product nothing is expected, filtered or not.
      if (whole === undefined && row.totalSessions.expected?.max === 0) continue;
      const fields = whole === undefined ? [] : carriedOver(table, row, whole);
      const expected = row.totalSessions.expected;
      const outside = whole?.totalSessions.expected?.min ?? Number.POSITIVE_INFINITY;
      if (fields.length > 0) unfiltered.push({ row, fields });
      else if (row.totalSessions.verdict === 'fail' || row.topShades.verdict === 'fail') otherwise.push(row);
      else if (row.totalSessions.verdict === 'inconclusive') doubtful.push(row);
      else if (expected !== null && expected.max < outside) telling.push(row);
    }
  }
  const seqs = (rows: readonly AnswerRow[]): number[] => rows.map((row) => row.seq);
  if (unfiltered.length > 0) {
    const { fields, seqs: shownBy } = unfilteredFields(table);
    return {
      verdict: 'fail',
      reasons: [
        reason('filter-ignored', { answers: unfiltered.length }),
        ...unfiltered
          .slice(0, mostTold)
          .map((each) => reason('filter-ignored-in', { query: each.row.query.label, fields: each.fields })),
      ],
      seqs: seqs(unfiltered.map(({ row }) => row)),
      // Where others are wrong in another way, one may have the number of all products by chance.
      causes: [(otherwise.length > 0 ? fits : shown)('product-filter-ignored', { fields }, shownBy)],
    };
  }
  if (otherwise.length > 0) {
    const wholeIsWrong = table.rows.some(
      (row) =>
        row.query.productId === null &&
        (row.totalSessions.verdict === 'fail' || row.topShades.verdict === 'fail'),
    );
    return {
      verdict: wholeIsWrong ? 'inconclusive' : 'fail',
      reasons: [
        reason('filter-answers-wrong', { answers: otherwise.length, isWholeWrong: wholeIsWrong }),
        ...(wholeIsWrong ? [] : otherwise.slice(0, mostTold).flatMap(troubleOf)),
      ],
      seqs: seqs(otherwise),
    };
  }
  if (doubtful.length > 0)
    return {
      verdict: 'inconclusive',
      reasons: [
        reason('filter-unclear', { answers: doubtful.length }),
        ...doubtful.slice(0, 1).flatMap(troubleOf),
      ],
      seqs: seqs(doubtful),
    };
  if (telling.length === 0)
    return {
      verdict: 'inconclusive',
      reasons: [reason('filter-not-shown')],
    };
  return {
    verdict: 'pass',
    reasons: [reason('filter-applied', { answers: telling.length })],
  };
}

/** The fields to which product_id is not applied; with answers that show it, each followed by that for all products. */
export function unfilteredFields(table: AnalyticsTable): {
  readonly fields: readonly AnswerField[];
  readonly seqs: readonly number[];
} {
  const found = families(table.rows).flatMap(({ products, whole }) =>
    whole === undefined
      ? []
      : products.map((row) => ({ row, whole, fields: carriedOver(table, row, whole) })),
  );
  const telling = found.filter(({ fields }) => fields.length > 0);
  return {
    fields: answerFields.filter((field) => telling.some(({ fields }) => fields.includes(field))),
    seqs: [...new Set(telling.flatMap(({ row, whole }) => [row.seq, whole.seq]))],
  };
}

/**
 * Fields in which an answer for one product is wrong and equals, or fits, what all products have; none unless its counts
 * are more than the product can have.
 */
function carriedOver(table: AnalyticsTable, row: AnswerRow, whole: AnswerRow): AnswerField[] {
  const index = table.rows.indexOf(row);
  const returned = table.questions.judged[index]?.returned;
  if (table.search === undefined || returned === undefined) return [];
  if (!exceedsProduct(table.search, index, returned)) return [];
  const decimals = 9;
  const fields: AnswerField[] = [];
  const same = (own: AnswerRow['avgShadesPerSession'], other: AnswerRow['avgShadesPerSession']): boolean =>
    own.verdict === 'fail' &&
    own.returned !== null &&
    own.returned !== 0 &&
    ((other.returned !== null &&
      other.verdict !== 'fail' &&
      within(own.returned, point(other.returned), decimals)) ||
      (other.verdict === 'pass' &&
        other.expected !== null &&
        within(own.returned, other.expected, decimals)));
  if (same(row.totalSessions, whole.totalSessions)) fields.push('total_sessions');
  if (same(row.avgShadesPerSession, whole.avgShadesPerSession)) fields.push('avg_shades_per_session');
  if (same(row.cartIntentRate, whole.cartIntentRate)) fields.push('cart_intent_rate');
  if (row.topShades.verdict === 'fail' && (row.topShades.returned?.length ?? 0) > 0) {
    const chosen = table.search?.chosen.evaluation;
    const place = table.rows.indexOf(whole);
    const expectation = chosen?.of.expectations[place];
    const around = chosen?.of.circumstances[place];
    const list = row.topShades.returned;
    const identical = JSON.stringify(list) === JSON.stringify(whole.topShades.returned);
    const isOfAll =
      chosen !== undefined &&
      expectation !== undefined &&
      around !== undefined &&
      fitTopShades(list, expectation, chosen.topLengths, around).fit === 'fits';
    if (identical || isOfAll) fields.push('top_shades');
  }
  return fields;
}

function point(value: number): Bounds {
  return { min: value, max: value };
}

/**
 * Whether the counts of an answer for one product can only be those of more than that product. Under no conventions that
 * were tried does the product have that many sessions, or that many selections of some SKU even if repeated ids counted again.
 * Fractions say nothing of the kind: between small numbers they are equal by accident.
 */
function exceedsProduct(
  { evaluations }: Pick<Search, 'evaluations'>,
  index: number,
  { totalSessions, topShades }: Returned,
): boolean {
  const known = evaluations.flatMap(({ of }) => {
    const expectation = of.expectations[index];
    return of.vague || expectation === undefined ? [] : [expectation];
  });
  if (known.length === 0) return false;
  const inTotal = totalSessions !== null && known.every((each) => totalSessions > each.totalSessions.max);
  return (
    inTotal ||
    (topShades ?? []).some(({ sku, selections }) =>
      known.every(({ shades }) => selections > (shades.find((shade) => shade.sku === sku)?.copies ?? 0)),
    )
  );
}

/** Relations between answers, which need no ground truth: what they share. */

/** A judgement on one relation, with the requests that show it. */
export interface Relation {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly seqs?: readonly number[];
  /** Of a failure: what it shows by itself. */
  readonly causes?: readonly Suspect[];
}

/** An unfiltered answer with the filtered ones of the same key and period. */
interface AnswerFamily {
  readonly whole: AnswerRow | undefined;
  readonly products: readonly AnswerRow[];
}

/** Families of the last answers to each query, so that re-reads are not counted twice. */
export function families(rows: readonly AnswerRow[]): AnswerFamily[] {
  const last = new Map(rows.map((row) => [row.query.index, row]));
  const groups = Map.groupBy(last.values(), ({ query }) =>
    JSON.stringify([query.credential, query.startDate, query.endDate]),
  );
  return [...groups.values()].map((group) => ({
    whole: group.find((row) => row.query.productId === null),
    products: group.filter((row) => row.query.productId !== null),
  }));
}

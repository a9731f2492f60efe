import {
  answerFields,
  type MeanField,
  type Measure,
  meanFields,
  measureKinds,
} from '../../../vocabulary/analytics.ts';
import type { Suspect } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { type CausesByField, suspectsIn } from '../causes/causes.ts';
import { type AnswerRow, cellNames, families } from '../compare/answer-row.ts';
import { Comparisons } from '../compare/comparisons.ts';
import { type Fit, leastCut } from '../compare/fit.ts';
import {
  type AskedPart,
  anyNumber,
  type Cover,
  compareMean,
  compareSum,
  selectionsOf,
  sessions,
  sumBroken,
} from '../compare/sums.ts';
import type { Returned } from '../record/questions.ts';
import { inQuery, noAnswers } from './fields.ts';
import type { AnalyticsTable } from './table.ts';

/** What answers for products and for all products have to do with each other. */
export function relationResults(
  table: AnalyticsTable,
  causes: CausesByField,
  decimals: number,
): CheckFinding[] {
  const [filter, sums] = [new Comparisons(), new Comparisons()];
  compareFilters(table, causes, filter);
  compareFamilies(table, decimals, sums);
  for (const findings of [filter, sums]) {
    if (table.rows.length === 0) findings.nothing = noAnswers(table);
    for (const { query, topShades, totalSessions } of table.rows) {
      const [first] = topShades.returned ?? [];
      const shade = first && { 'first of top_shades': `${first.sku}: ${first.selections}` };
      findings.observed[query.label] = { total_sessions: totalSessions.returned, ...shade };
    }
  }
  const falsePromises = suspectsIn(causes).filter(({ cause }) => cause.code === 'profile-false');
  return [filter.result('analytics.product-filter'), sums.result('analytics.additivity')].map((result) =>
    result.verdict === 'fail' && falsePromises.length > 0 ? { causes: falsePromises, ...result } : result,
  );
}

/**
 * Every product's answer is about that product. `causes`: what explains the wrong fields; where it is that the filter is ignored, each
 * answer that shows it is told.
 */
function compareFilters({ rows }: AnalyticsTable, causes: CausesByField, findings: Comparisons): void {
  const isIgnored = ({ cause }: Suspect): boolean => cause.code === 'product-filter-ignored';
  const ignored = answerFields.filter((field) => causes[field].some(isIgnored));
  const suspects = ignored.flatMap((field) => causes[field].filter(isIgnored)).slice(0, 1);
  const isWrong = ({ topShades, totalSessions }: AnswerRow): boolean =>
    totalSessions.verdict === 'fail' || topShades.verdict === 'fail';
  const isWholeWrong = rows.some((row) => row.query.productId === null && isWrong(row));
  findings.nothing = reason('filter-not-shown');
  for (const { products, whole } of families(rows))
    for (const row of products) {
      const { query, seq, topShades, totalSessions } = row;
      const { expected, verdict } = totalSessions;
      // Of another account's product nothing is expected, filtered or not.
      if (whole === undefined && expected?.max === 0) continue;
      const fields = ignored.filter((field) => row[cellNames[field]].verdict === 'fail');
      // Why the total is not right, or where it is, the list of shades.
      const [trouble] = inQuery(query.label, (verdict === 'pass' ? topShades : totalSessions).reasons);
      const outside = whole?.totalSessions.expected?.min ?? Number.POSITIVE_INFINITY;
      const found = { query: query.label, fields };
      if (fields.length > 0)
        findings.made({ reason: reason('filter-ignored-in', found), seqs: [seq], causes: suspects });
      else if (trouble !== undefined && isWrong(row) && !isWholeWrong)
        findings.made({ reason: trouble, seqs: [seq] });
      else if (trouble !== undefined && (isWrong(row) || verdict === 'inconclusive'))
        findings.doubt({ reason: trouble, seqs: [seq] });
      else if (expected !== null && expected.max < outside) findings.made();
    }
}

/** Products add up to the whole, above what the account held before: totals exactly, means weighted, selections by SKU. */
function compareFamilies(table: AnalyticsTable, decimals: number, findings: Comparisons): void {
  findings.nothing = reason('additivity-not-queried');
  for (const { products, whole } of families(table.rows)) {
    if (whole === undefined || products.length === 0 || whole.totalSessions.returned === null) continue;
    const around = table.search?.chosen.evaluation.of.circumstances[table.rows.indexOf(whole)];
    if (around === undefined) continue;
    const { label } = whole.query;
    const { before, kind, openBecause } = around.population;
    if (![whole, ...products].every((row) => row.timely && row.totalSessions.returned !== null)) {
      findings.doubt({ reason: reason('additivity-not-ready', { query: label }), seqs: [whole.seq] });
      continue;
    }
    const cover: Cover = {
      whole: partOf(whole),
      parts: [
        ...(before === null ? [] : [{ asked: 'before the run', first: before, last: before, seqs: [] }]),
        ...products.map(partOf),
      ],
      rest: notAsked(whole, products, before?.totalSessions ?? 0),
    };
    const total = compareSum(cover, sessions);
    const isWhole = cover.rest.max === 0;
    // What is more than the products may be of others.
    if (total?.isBroken && total.whole.min > total.due.max && kind === 'open') {
      const [most, more] = [total.whole.min, total.whole.min - total.due.max];
      const found = reason('additivity-more', { query: label, sessions: most, more });
      findings.doubt({ reason: found, seqs: [whole.seq] });
      if (openBecause !== null && !findings.also.includes(openBecause)) findings.also.push(openBecause);
    } else findings.compared(sumBroken(cover, sessions));
    if (isWhole && total?.isBroken === false && around.acts !== 'unknown')
      for (const field of meanFields)
        if (isOverAll(table, field)) findings.compared(compareMean(cover, field, decimals)?.broken);
    // A total that is the products' own sum has no session of others in it, even if others may use the account.
    const isOwnSum = isWhole && (before?.totalSessions ?? 0) === 0 && total?.isBroken === false;
    const lists = [whole, ...products].map(({ topShades }) => topShades.returned);
    const skus = new Set(lists.flatMap((list) => list ?? []).map(({ sku }) => sku));
    const shades: Cover = isOwnSum ? cover : { ...cover, rest: anyNumber };
    for (const sku of skus) findings.compared(sumBroken(shades, selectionsOf(sku, leastCut(lists))));
  }
}

function partOf({ query, seq, ...cells }: AnswerRow): AskedPart {
  const returned: Returned = {
    period: cells.period.returned,
    totalSessions: cells.totalSessions.returned,
    avgShadesPerSession: cells.avgShadesPerSession.returned,
    cartIntentRate: cells.cartIntentRate.returned,
    topShades: cells.topShades.returned,
  };
  return { asked: query.label, first: returned, last: returned, seqs: [seq] };
}

/** Sessions of products that were not asked about: what the expectations leave over. */
function notAsked(whole: AnswerRow, products: readonly AnswerRow[], before: number): Cover['rest'] {
  const left = (end: 'min' | 'max'): number =>
    products.reduce(
      (rest, { totalSessions }) => rest - (totalSessions.expected?.[end] ?? 0),
      (whole.totalSessions.expected?.[end] ?? 0) - before,
    );
  const [one, other] = [left('min'), left('max')];
  return { min: Math.max(0, Math.min(one, other)), max: Math.max(0, one, other) };
}

/**
 * Whether a mean is certainly one over all sessions: no allowed one over fewer fits as well. Over sessions with a shade alone the
 * weights are not in the answers.
 */
function isOverAll({ allowed, search }: AnalyticsTable, field: MeanField): boolean {
  if (search === undefined) return false;
  const { average, evaluation, rate } = search.chosen;
  const certain = <M extends Measure>(
    fits: ReadonlyMap<M, readonly Fit[]>,
    chosen: M,
    isAllowed: (measure: M) => boolean,
  ): boolean =>
    measureKinds[chosen].over === 'all' &&
    [...fits].every(
      ([measure, each]) =>
        measureKinds[measure].over === 'all' || !isAllowed(measure) || each.includes('misfits'),
    );
  return field === 'avg_shades_per_session'
    ? certain(evaluation.averages, average, allowed.average)
    : certain(evaluation.rates, rate, allowed.rate);
}

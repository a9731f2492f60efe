import { type AnswerField, answerFields, type MeanField, meanFields } from '../../../vocabulary/analytics.ts';
import type { Suspect } from '../../causes/cause.ts';
import { type CheckFinding, evidenceIfAny, type Shown } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { eachReasonOnce, type Reason, reason } from '../../reasons/reason.ts';
import { type CausesByField, eachOnce } from '../causes/causes.ts';
import { type AnswerRow, cellNames, families } from '../compare/answer-row.ts';
import { type Fit, leastCut } from '../compare/fit.ts';
import {
  type AskedPart,
  anyNumber,
  type Broken,
  type Cover,
  compareMean,
  compareSum,
  selectionsOf,
  sessions,
  sumBroken,
} from '../compare/sums.ts';
import type { Returned } from '../record/questions.ts';
import { inQuery, noAnswers } from './fields.ts';
import type { Relation, Stability } from './stability.ts';
import type { AnalyticsTable } from './table.ts';

/** What answers of a load have to do with each other. */

/** Answers or sums that are told one by one: over a month there may be dozens. */
const mostTold = 3;

const seqsOf = (rows: readonly AnswerRow[]): number[] => rows.map(({ seq }) => seq);

export function relationResults(
  table: AnalyticsTable,
  causes: CausesByField,
  stability: Stability,
  { decimals, exclusive }: { readonly decimals: number; readonly exclusive: boolean },
): CheckFinding[] {
  const all = eachOnce(answerFields.flatMap((field) => causes[field]));
  const falsePromises = all.filter(({ cause }) => cause.code === 'profile-false');
  const result = (
    base: Pick<CheckFinding, 'id' | 'expected' | 'observed'>,
    { causes: own, reasons, seqs = [], verdict }: Relation,
    what: string,
  ): CheckFinding => ({
    ...{ ...base, verdict, reasons: table.rows.length === 0 ? [noAnswers(table)] : reasons },
    evidence: evidenceIfAny(what, seqs),
    ...(verdict === 'fail' && own !== undefined && own.length > 0 ? { causes: own } : {}),
  });
  const ofProducts = (
    id: 'analytics.product-filter' | 'analytics.additivity',
    relation: Relation,
  ): CheckFinding =>
    result(
      { id, expected: expects(id), observed: totalsShown(table, relation) },
      { causes: falsePromises, ...relation },
      'answers that show it',
    );
  const stable = expects('analytics.stable', { exclusive });
  return [
    ofProducts('analytics.product-filter', judgeProductFilter(table, causes)),
    ofProducts('analytics.additivity', judgeAdditivity(table, decimals)),
    result({ id: 'analytics.stable', expected: stable, observed: null }, stability, 'answers that differ'),
  ];
}

/** The totals of answers, with their first shades: of a failure, only what shows it, beside the answers for all products. */
function totalsShown({ rows }: AnalyticsTable, { seqs = [], verdict }: Relation): Shown {
  const told = rows.filter(
    ({ query, seq }) => verdict !== 'fail' || query.productId === null || seqs.includes(seq),
  );
  return Object.fromEntries(
    told.map(({ query, topShades, totalSessions }): [string, Shown] => {
      const [first] = topShades.returned ?? [];
      const shade = first && { 'first of top_shades': `${first.sku}: ${first.selections}` };
      return [query.label, { total_sessions: totalSessions.returned, ...shade }];
    }),
  );
}

/**
 * Every product's answer is about that product. `causes`: what explains the wrong fields; where it is that the filter is ignored, each
 * answer that shows it is told.
 */
function judgeProductFilter({ rows }: AnalyticsTable, causes: CausesByField): Relation {
  const isIgnored = ({ cause }: Suspect): boolean => cause.code === 'product-filter-ignored';
  const ignored = answerFields.filter((field) => causes[field].some(isIgnored));
  const fieldsOf = (row: AnswerRow): AnswerField[] =>
    ignored.filter((field) => row[cellNames[field]].verdict === 'fail');
  const isWrong = ({ topShades, totalSessions }: AnswerRow): boolean =>
    totalSessions.verdict === 'fail' || topShades.verdict === 'fail';
  // Why the total of an answer is not right, or where it is, the list of shades.
  const troubleOf = ({ query, topShades, totalSessions }: AnswerRow): Reason[] =>
    inQuery(query.label, (totalSessions.verdict === 'pass' ? topShades : totalSessions).reasons);
  // Of another account's product nothing is expected, filtered or not.
  const asked = families(rows).flatMap(({ products, whole }) =>
    products.flatMap((row) =>
      whole === undefined && row.totalSessions.expected?.max === 0 ? [] : [{ row, whole }],
    ),
  );
  const answers = asked.map(({ row }) => row);
  const unfiltered = answers.filter((row) => fieldsOf(row).length > 0);
  if (unfiltered.length > 0)
    return {
      verdict: 'fail',
      reasons: [
        reason('filter-ignored', { answers: unfiltered.length }),
        ...unfiltered
          .slice(0, mostTold)
          .map((row) => reason('filter-ignored-in', { query: row.query.label, fields: fieldsOf(row) })),
      ],
      seqs: seqsOf(unfiltered),
      causes: ignored.flatMap((field) => causes[field].filter(isIgnored)).slice(0, 1),
    };
  const wrong = answers.filter(isWrong);
  if (wrong.length > 0) {
    const isWholeWrong = rows.some((row) => row.query.productId === null && isWrong(row));
    return {
      verdict: isWholeWrong ? 'inconclusive' : 'fail',
      reasons: [
        reason('filter-answers-wrong', { answers: wrong.length, isWholeWrong }),
        ...(isWholeWrong ? [] : wrong.slice(0, mostTold).flatMap(troubleOf)),
      ],
      seqs: seqsOf(wrong),
    };
  }
  const doubtful = answers.filter(({ totalSessions }) => totalSessions.verdict === 'inconclusive');
  if (doubtful.length > 0)
    return {
      verdict: 'inconclusive',
      reasons: [
        reason('filter-unclear', { answers: doubtful.length }),
        ...doubtful.slice(0, 1).flatMap(troubleOf),
      ],
      seqs: seqsOf(doubtful),
    };
  const telling = asked.filter(({ row, whole }) => {
    const outside = whole?.totalSessions.expected?.min ?? Number.POSITIVE_INFINITY;
    return (row.totalSessions.expected?.max ?? Number.POSITIVE_INFINITY) < outside;
  }).length;
  return telling === 0
    ? { verdict: 'inconclusive', reasons: [reason('filter-not-shown')] }
    : { verdict: 'pass', reasons: [reason('filter-applied', { answers: telling })] };
}

/** Products add up to the whole, above what the account held before: totals exactly, means weighted, selections by SKU. */
function judgeAdditivity(table: AnalyticsTable, decimals: number): Relation {
  const broken: Reason[][] = [];
  const doubtful: Reason[][] = [];
  const seqs: number[] = [];
  let judged = 0;
  let complete = 0;
  for (const { products, whole } of families(table.rows)) {
    if (whole === undefined || products.length === 0 || whole.totalSessions.returned === null) continue;
    const { query } = whole;
    const around = table.search?.chosen.evaluation.of.circumstances[table.rows.indexOf(whole)];
    if (around === undefined) continue;
    const { before, kind, openBecause } = around.population;
    const isReady = [whole, ...products].every((row) => row.timely && row.totalSessions.returned !== null);
    if (!isReady) {
      doubtful.push([reason('additivity-not-ready', { query: query.label })]);
      continue;
    }
    judged++;
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
    const found: (Broken | undefined)[] = [];
    // What is more than the products may be of others.
    if (total?.isBroken && total.whole.min > total.due.max && kind === 'open') {
      const [most, more] = [total.whole.min, total.whole.min - total.due.max];
      doubtful.push([
        reason('additivity-more', { query: query.label, sessions: most, more }),
        ...(openBecause === null ? [] : [openBecause]),
      ]);
    } else if (total?.isBroken) found.push(sumBroken(cover, sessions));
    else if (isWhole && around.acts !== 'unknown')
      for (const field of meanFields)
        if (isOverAll(table, field)) found.push(compareMean(cover, field, decimals)?.broken);
    // A total that is the products' own sum has no session of others in it, even if others may use the account.
    const isOwnSum = isWhole && (before?.totalSessions ?? 0) === 0 && total?.isBroken === false;
    const lists = [whole, ...products].map(({ topShades }) => topShades.returned);
    const skus = new Set(lists.flatMap((list) => list ?? []).map(({ sku }) => sku));
    const shades: Cover = isOwnSum ? cover : { ...cover, rest: anyNumber };
    found.push(...[...skus].map((sku) => sumBroken(shades, selectionsOf(sku, leastCut(lists)))));
    if (isWhole) complete++;
    const faults = found.flatMap((each) => each?.reason ?? []);
    if (faults.length === 0) continue;
    broken.push(faults.slice(0, mostTold));
    seqs.push(...seqsOf([whole, ...products]));
  }
  if (broken.length > 0) return { verdict: 'fail', reasons: firstOf(broken), seqs };
  if (doubtful.length > 0) return { verdict: 'inconclusive', reasons: eachReasonOnce(firstOf(doubtful)) };
  if (judged === 0) return { verdict: 'inconclusive', reasons: [reason('additivity-not-queried')] };
  return {
    verdict: 'pass',
    reasons: [reason('additivity-holds', { complete, partial: judged - complete })],
  };
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

function firstOf(sums: readonly (readonly Reason[])[]): Reason[] {
  const more = sums.length - mostTold;
  return [
    ...sums.slice(0, mostTold).flat(),
    ...(more > 0 ? [reason('more-queries', { queries: more })] : []),
  ];
}

/**
 * Whether a mean is certainly one over all sessions: no allowed one over fewer fits as well. Over sessions with a shade alone the
 * weights are not in the answers.
 */
function isOverAll({ allowed, search }: AnalyticsTable, field: MeanField): boolean {
  if (search === undefined) return false;
  const { average, evaluation, rate } = search.chosen;
  const certain = <M extends string>(
    fits: ReadonlyMap<M, readonly Fit[]>,
    chosen: M,
    isAllowed: (measure: M) => boolean,
  ): boolean =>
    chosen.endsWith('/all') &&
    [...fits].every(
      ([measure, each]) => measure.endsWith('/all') || !isAllowed(measure) || each.includes('misfits'),
    );
  return field === 'avg_shades_per_session'
    ? certain(evaluation.averages, average, allowed.average)
    : certain(evaluation.rates, rate, allowed.rate);
}

import { type MeanField, meanFields } from '../../../vocabulary/analytics.ts';
import { eachReasonOnce, type Reason, reason } from '../../reasons/reason.ts';
import { type AnswerRow, families } from '../compare/answer-row.ts';
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
import type { Relation } from './product-filter.ts';
import type { AnalyticsTable } from './table.ts';

/** Products add up to the whole, above what the account held before: totals exactly, means weighted, selections by SKU. */
export function judgeAdditivity(table: AnalyticsTable, decimals: number): Relation {
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
    if (total?.isBroken && total.whole.min > total.due.max && kind === 'open')
      doubtful.push([
        reason('additivity-more', {
          query: query.label,
          sessions: total.whole.min,
          more: total.whole.min - total.due.max,
        }),
        ...(openBecause === null ? [] : [openBecause]),
      ]);
    else if (total?.isBroken) found.push(sumBroken(cover, sessions));
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
    if (faults.length > 0) {
      broken.push(faults.slice(0, 3));
      seqs.push(whole.seq, ...products.map((row) => row.seq));
    }
  }
  if (broken.length > 0) return { verdict: 'fail', reasons: firstOf(broken), seqs };
  if (doubtful.length > 0) return { verdict: 'inconclusive', reasons: eachReasonOnce(firstOf(doubtful)) };
  if (judged === 0) return { verdict: 'inconclusive', reasons: [reason('additivity-not-queried')] };
  return {
    verdict: 'pass',
    reasons: [reason('additivity-holds', { complete, partial: judged - complete })],
  };
}

function partOf(row: AnswerRow): AskedPart {
  const { avgShadesPerSession, cartIntentRate, period, query, seq, topShades, totalSessions } = row;
  const returned = {
    period: period.returned,
    totalSessions: totalSessions.returned,
    avgShadesPerSession: avgShadesPerSession.returned,
    cartIntentRate: cartIntentRate.returned,
    topShades: topShades.returned,
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

/** Sums that are told one by one: over a month there may be dozens. */
const mostTold = 3;

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
    [
      chosen,
      ...[...fits].flatMap(([measure, each]) =>
        isAllowed(measure) && !each.includes('misfits') ? measure : [],
      ),
    ].every((measure) => measure.endsWith('/all'));
  return field === 'avg_shades_per_session'
    ? certain(evaluation.averages, average, allowed.average)
    : certain(evaluation.rates, rate, allowed.rate);
}

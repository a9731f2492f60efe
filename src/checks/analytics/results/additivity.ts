import { meanFields } from '../../../vocabulary/analytics.ts';
import { eachReasonOnce, type Reason, reason } from '../../reasons/reason.ts';
import { type AnswerRow, families } from '../compare/answer-row.ts';
import { type Fit, leastCut } from '../compare/fit.ts';
import {
  type Cover,
  compareSum,
  meanIn,
  type Sum,
  selectionsOf,
  sessions,
  sumOfMean,
} from '../compare/sums.ts';
import type { Returned } from '../record/questions.ts';
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
    const parts = [
      ...(before === null ? [] : [{ name: 'before the run', returned: before }]),
      ...products.map(partOf),
    ];
    const cover: Cover = {
      whole: [partOf(whole).returned, partOf(whole).returned],
      parts: parts.map(({ returned }) => [returned, returned]),
      rest: notAsked(whole, products, before?.totalSessions ?? 0),
    };
    const broke = (sum: Sum): Reason[] => {
      const found = compareSum(cover, sum);
      if (found?.isBroken !== true) return [];
      return [
        reason('sum-broken', {
          ...{ sku: sum.sku, whole: query.label, total: found.whole, sum: found.parts },
          parts: parts.map(({ name, returned }) => ({ name, count: sum.of(returned) ?? { min: 0, max: 0 } })),
          ...{ isExact: cover.rest.max === 0, maybeEachDay: false },
        }),
      ];
    };
    const total = compareSum(cover, sessions);
    const isWhole = cover.rest.max === 0;
    const faults: Reason[] = [];
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
    else if (total?.isBroken) faults.push(...broke(sessions));
    else if (isWhole && around.acts !== 'unknown')
      faults.push(...weightedFaults(table, cover, query.label, decimals));
    // A total that is the products' own sum has no session of others in it, even if others may use the account.
    const isOwnSum = isWhole && (before?.totalSessions ?? 0) === 0 && total?.isBroken === false;
    const lists = [whole, ...products].map(({ topShades }) => topShades.returned);
    const skus = new Set(lists.flatMap((list) => list ?? []).map(({ sku }) => sku));
    const shades: Cover = isOwnSum ? cover : { ...cover, rest: { min: 0, max: Number.POSITIVE_INFINITY } };
    for (const sku of skus) {
      const sum = selectionsOf(sku, leastCut(lists));
      if (compareSum(shades, sum)?.isBroken) faults.push(...broke(sum));
    }
    if (isWhole) complete++;
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

function partOf(row: AnswerRow): { readonly name: string; readonly returned: Returned } {
  const { avgShadesPerSession, cartIntentRate, period, query, topShades, totalSessions } = row;
  return {
    name: query.label,
    returned: {
      period: period.returned,
      totalSessions: totalSessions.returned,
      avgShadesPerSession: avgShadesPerSession.returned,
      cartIntentRate: cartIntentRate.returned,
      topShades: topShades.returned,
    },
  };
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

/** Means over all sessions recombine weighted by sessions, up to the rounding of each. */
function weightedFaults(table: AnalyticsTable, cover: Cover, asked: string, decimals: number): Reason[] {
  const chosen = table.search?.chosen;
  const [whole] = cover.whole;
  const count = whole.totalSessions ?? 0;
  if (chosen === undefined || count === 0) return [];
  const { averages, rates } = chosen.evaluation;
  // Over sessions with a shade alone the weights are not in the answers.
  const overAll = {
    avg_shades_per_session: isOverAll(averages, chosen.average, table.allowed.average),
    cart_intent_rate: isOverAll(rates, chosen.rate, table.allowed.rate),
  };
  return meanFields.flatMap((field) => {
    const found = overAll[field] ? compareSum(cover, sumOfMean(field, decimals)) : undefined;
    const got = meanIn(field, whole) ?? 0;
    return found?.isBroken
      ? reason('mean-not-of-parts', {
          ...{ asked, field, got: { min: got, max: got }, parts: [] },
          expected: { min: found.due.min / count, max: found.due.max / count },
        })
      : [];
  });
}

/** Whether the measure is certainly one over all sessions: no allowed one over fewer fits as well. */
function isOverAll<M extends string>(
  fits: ReadonlyMap<M, readonly Fit[]>,
  chosen: M,
  allowed: (measure: M) => boolean,
): boolean {
  const rivals = [...fits].filter(([measure, each]) => allowed(measure) && !each.includes('misfits'));
  return [chosen, ...rivals.map(([measure]) => measure)].every((measure) => measure.endsWith('/all'));
}

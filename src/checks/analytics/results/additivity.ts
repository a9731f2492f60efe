import type { MeanField, Measure } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { eachReasonOnce, type Reason, reason } from '../../reasons/reason.ts';
import { type AnswerRow, cellNames, families } from '../compare/answer-row.ts';
import { type Fit, leastCut, within } from '../compare/fit.ts';
import { inQuery } from './field-reasons.ts';
import type { Relation } from './product-filter.ts';
import type { AnalyticsTable } from './table.ts';

/** Products add up to the whole, above what the account held before: totals exactly, means weighted, selections by SKU. */
export function judgeAdditivity(table: AnalyticsTable, decimals: number): Relation {
  const sums = families(table.rows).filter(
    ({ whole, products }) => whole !== undefined && products.length > 0,
  );
  const broken: Reason[][] = [];
  const doubtful: Reason[][] = [];
  const seqs: number[] = [];
  let judged = 0;
  let complete = 0;
  for (const { whole, products } of sums) {
    if (whole === undefined || whole.totalSessions.returned === null) continue;
    const place = table.rows.indexOf(whole);
    const around = table.search?.chosen.evaluation.of.circumstances[place];
    if (around === undefined) continue;
    const readable = products.every((row) => row.totalSessions.returned !== null);
    if (!readable || !whole.timely || !products.every((row) => row.timely)) {
      doubtful.push([reason('additivity-not-ready', { query: whole.query.label })]);
      continue;
    }
    judged++;
    const before = around.population.prior;
    const sum = total(products, (row) => row.totalSessions.returned);
    // Products that were not asked about may hold what the expectations leave over.
    const rest = {
      min:
        (whole.totalSessions.expected?.min ?? 0) -
        before.sessions -
        total(products, (row) => row.totalSessions.expected?.min ?? 0),
      max:
        (whole.totalSessions.expected?.max ?? 0) -
        before.sessions -
        total(products, (row) => row.totalSessions.expected?.max ?? 0),
    };
    const difference = whole.totalSessions.returned - before.sessions;
    const least = sum + Math.max(0, Math.min(rest.min, rest.max));
    const most = sum + Math.max(0, rest.min, rest.max);
    const faults: Reason[] = [];
    if (difference < least || (difference > most && around.population.kind === 'closed'))
      faults.push(
        reason('additivity-total', {
          query: null,
          sessions: difference,
          before: before.sessions,
          products: { min: least, max: most },
        }),
      );
    else if (difference > most)
      doubtful.push([
        reason('additivity-more', {
          query: whole.query.label,
          sessions: difference,
          more: difference - most,
        }),
        ...(around.population.openBecause === null ? [] : [around.population.openBecause]),
      ]);
    else if (most === sum && around.acts !== 'unknown') {
      faults.push(...weightedFaults(table, { whole, products, before }, decimals));
    }
    // A total that is the products' own sum has no session of others in it, even if others may use the account.
    const isOwnSum = before.sessions === 0 && most === sum && difference === sum;
    faults.push(...shadeFaults(whole, products, isOwnSum));
    if (most === sum) complete++;
    if (faults.length > 0) {
      broken.push(inQuery(whole.query.label, faults.slice(0, 3)));
      seqs.push(whole.seq, ...products.map((row) => row.seq));
    }
  }
  if (broken.length > 0) return { verdict: 'fail', reasons: firstOf(broken), seqs };
  if (doubtful.length > 0) return { verdict: 'inconclusive', reasons: eachReasonOnce(firstOf(doubtful)) };
  if (judged === 0)
    return {
      verdict: 'inconclusive',
      reasons: [reason('additivity-not-queried')],
    };
  return {
    verdict: 'pass',
    reasons: [reason('additivity-holds', { complete, partial: judged - complete })],
  };
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

/** An answer for all products, those for each of them, and what the account held before. */
interface Sum {
  readonly whole: AnswerRow;
  readonly products: readonly AnswerRow[];
  readonly before: {
    readonly sessions: number;
    readonly average: Bounds | null;
    readonly rate: Bounds | null;
  };
}

/** Means over all sessions recombine weighted by sessions, up to the rounding of each. */
function weightedFaults(table: AnalyticsTable, { before, products, whole }: Sum, decimals: number): Reason[] {
  const chosen = table.search?.chosen;
  const sessions = whole.totalSessions.returned ?? 0;
  if (chosen === undefined || sessions === 0) return [];
  const half = 0.5 * 10 ** -decimals;
  const faults: Reason[] = [];
  const recombine = (name: MeanField, prior: Bounds | null): void => {
    const field = cellNames[name];
    const value = whole[field].returned;
    if (value === null || products.some((row) => row[field].returned === null)) return;
    if (before.sessions > 0 && prior === null) return;
    const weighted = total(products, (row) => (row[field].returned ?? 0) * (row.totalSessions.returned ?? 0));
    const weight = total(products, (row) => row.totalSessions.returned ?? 0);
    const bounds = {
      min: (weighted - weight * half + before.sessions * (prior?.min ?? 0)) / sessions,
      max: (weighted + weight * half + before.sessions * (prior?.max ?? 0)) / sessions,
    };
    if (!within(value, bounds, decimals))
      faults.push(reason('additivity-mean', { query: null, field: name, value, products: bounds }));
  };
  // Over sessions with a shade alone the weights are not in the answers.
  const { averages, rates } = chosen.evaluation;
  if (overAll(averages, chosen.average, table.allowed.average))
    recombine('avg_shades_per_session', before.average);
  if (overAll(rates, chosen.rate, table.allowed.rate)) recombine('cart_intent_rate', before.rate);
  return faults;
}

/** Whether the measure is certainly one over all sessions: no allowed one over fewer fits as well. */
function overAll<M extends Measure>(
  fits: ReadonlyMap<M, readonly Fit[]>,
  chosen: M,
  allowed: (measure: M) => boolean,
): boolean {
  const rivals = [...fits].filter(([measure, each]) => allowed(measure) && !each.includes('misfits'));
  return [chosen, ...rivals.map(([measure]) => measure)].every((measure) => measure.endsWith('/all'));
}

/** What the products list for a SKU is at most what the whole lists; exactly that where no list can have cut it off. */
function shadeFaults(whole: AnswerRow, products: readonly AnswerRow[], complete: boolean): Reason[] {
  const list = whole.topShades.returned;
  if (list === null || products.some((row) => row.topShades.returned === null)) return [];
  const sums = new Map<string, number>();
  const cut = leastCut([list, ...products.map((row) => row.topShades.returned)]);
  for (const row of products)
    for (const { sku, selections } of row.topShades.returned ?? [])
      sums.set(sku, (sums.get(sku) ?? 0) + selections);
  const faults: Reason[] = [];
  for (const { sku, selections } of list) {
    const sum = sums.get(sku) ?? 0;
    const cutOff = products.some(
      (row) =>
        (row.topShades.returned?.length ?? 0) >= cut &&
        !row.topShades.returned?.some((shade) => shade.sku === sku),
    );
    if (sum > selections || (complete && !cutOff && sum < selections))
      faults.push(reason('additivity-selections', { query: null, sku, selections, products: sum }));
  }
  const last = list.at(-1)?.selections ?? 0;
  for (const [sku, sum] of sums)
    if (sum > last && !list.some((shade) => shade.sku === sku))
      faults.push(reason('additivity-not-listed', { query: null, sku, products: sum }));
  return faults;
}

function total(rows: readonly AnswerRow[], of: (row: AnswerRow) => number | null): number {
  return rows.reduce((sum, row) => sum + (of(row) ?? 0), 0);
}

import { z } from 'zod';
import type { Tables } from '../../../history/tables.ts';
import { type Measure, measures, type Prior } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { credentials } from '../../../vocabulary/requests.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import type { Frame } from '../conventions/conventions.ts';
import type { Instants } from '../record/clock.ts';
import { allProducts, type Facts, noProduct } from '../record/facts.ts';
import type { Query } from '../record/questions.ts';
import {
  type ByProduct,
  type Cell,
  makeCells,
  makeShadeCells,
  periodIn,
  rankIn,
  type ShadeCell,
  type Sums,
} from './cells.ts';
import { type Counted, type Crosser, findCrossings, type Moved, movedBy } from './crossings.ts';
import { type Cuts, summariseSessions } from './summary.ts';

/**
 * The interval in which each field of each answer has to lie, under each frame of conventions. A session or an event that
 * may or may not count is in or out, jointly: ratios are taken to their extremes over the possible subsets.
 */

export interface ShadeBounds extends Bounds {
  readonly sku: string;
  /** The most there could be if repeated interaction ids were counted again. */
  readonly copies: number;
}

/** What one query has to return in one frame. */
export interface Expectation {
  readonly totalSessions: Bounds;
  /** Sessions with at least one shade: not a field, but what a total that forgets bounced sessions would be. */
  readonly sessionsWithShades: Bounds;
  /** Null where the account's earlier sessions make it unknowable. */
  readonly means: Readonly<Record<Measure, Bounds | null>>;
  /** Every SKU that may have been selected, most possible selections first. */
  readonly shades: readonly ShadeBounds[];
}

/** Sessions, counted by cuts, and the numbers of products. */
export interface SessionCounts {
  readonly cuts: Cuts;
  readonly cells: ByProduct<Cell>;
  readonly crossers: ByProduct<Crosser>;
  readonly products: ReadonlyMap<string, number>;
}

/** Selections, counted by cuts that include those of the frames asked about, and SKUs by their numbers. */
export interface ShadeCounts {
  readonly cuts: Cuts;
  readonly cells: ByProduct<ShadeCell>;
  readonly skus: ReadonlyMap<number, string>;
}

/** What expectations are made from: sessions by all of the cuts, and selections by as few of them as are asked for. */
export async function countAll(
  tables: Tables,
  facts: Facts,
  cuts: Cuts,
  instants: Instants,
): Promise<{
  readonly sessions: SessionCounts;
  readonly shadesBy: (few: Cuts) => Promise<ShadeCounts>;
}> {
  const { history } = tables;
  const summary = await summariseSessions(tables, facts, cuts);
  const named = (sql: string): Promise<{ name: string; number: number }[]> =>
    history.rows(z.object({ name: z.string(), number: z.number() }), sql);
  const products = await named(`SELECT product_id AS name, product AS number FROM ${facts.products}`);
  const skus = await named(`SELECT sku AS name, number FROM ${facts.skus}`);
  return {
    sessions: {
      cuts,
      cells: await makeCells(history, summary.sessions, cuts),
      crossers: await findCrossings(tables, facts, summary, { cuts, instants }),
      products: new Map(products.map(({ name, number }) => [name, number])),
    },
    shadesBy: async (few) => ({
      cuts: few,
      cells: await makeShadeCells(history, { ...summary, skus: facts.skus }, cuts, few),
      skus: new Map(skus.map(({ name, number }) => [number, name])),
    }),
  };
}

const noneSuch = noProduct - 1;
const unkeyed = credentials.flatMap((name, number) => (roles.some((role) => role === name) ? [] : number));

/** Whose sessions an answer counts, by number: the account's, and those granted to a bad key or to none, which are in any account or in none. */
function ownersOf({ account }: Frame, key: Role): readonly number[] {
  return [...account.of[key].map((role) => credentials.indexOf(role)), ...unkeyed];
}

/** A question in a frame. */
interface FramedQuestion {
  readonly product: number;
  /** Whether what lies between two cuts counts. */
  counts(cell: Pick<Cell, 'certain' | 'credential' | 'from' | 'to'>): 'surely' | 'maybe' | 'not';
  /** What the sessions that go on past an end of its period change. */
  readonly moved: readonly Moved[];
}

/** Undefined where its dates are not readable. */
function framed(
  frame: Frame,
  query: Query,
  cuts: Cuts,
  { crossers, products }: SessionCounts,
): FramedQuestion | undefined {
  const period = periodIn(frame, query);
  if (period === undefined) return undefined;
  const { day } = frame;
  const owners = ownersOf(frame, query.credential);
  const product = query.productId === null ? allProducts : (products.get(query.productId) ?? noneSuch);
  const [start, low] = [rankIn(cuts, period.startMs), rankIn(cuts, period.endLowMs)];
  const high = rankIn(cuts, period.endHighMs);
  const moved = (day === 'creation' ? [] : (crossers.get(product) ?? [])).flatMap((crosser) =>
    day !== 'creation' && owners.includes(crosser.credential) ? (movedBy(day, crosser, period) ?? []) : [],
  );
  return {
    product,
    moved,
    counts: ({ certain, credential, from, to }) => {
      if (to < start || from >= high || !owners.includes(credential)) return 'not';
      return certain && from >= start && to < low ? 'surely' : 'maybe';
    },
  };
}

/** What a question counts, for sure or possibly; undefined where its dates are not readable. */
export function countedIn(frame: Frame, query: Query, from: SessionCounts): readonly Counted[] | undefined {
  const question = framed(frame, query, from.cuts, from);
  if (question === undefined) return undefined;
  const found: Counted[] = [];
  for (const cell of from.cells.get(question.product) ?? []) {
    const counts = question.counts(cell);
    if (counts !== 'not') found.push({ cell, isSure: counts === 'surely' });
  }
  return [...found, ...question.moved.flatMap(({ sessions }) => sessions)];
}

export function totalOf(counted: readonly Counted[]): Bounds {
  let [min, max] = [0, 0];
  for (const { cell, isSure } of counted) {
    max += cell.n;
    if (isSure) min += cell.n;
  }
  return { min, max };
}

/** What a query has to return in a frame, above what was there before; undefined where its dates are not readable. */
export function expectationOf(
  frame: Frame,
  { prior, query }: { readonly query: Query; readonly prior: Prior },
  sessions: SessionCounts,
  shades: ShadeCounts,
): Expectation | undefined {
  const counted = countedIn(frame, query, sessions);
  if (counted === undefined) return undefined;
  const { max, min } = totalOf(counted);
  const shaded = counted.flatMap(({ cell, isSure }): Counted[] =>
    cell.sums.d_max === 0 ? [] : [{ cell, isSure: isSure && cell.sums.d_min !== 0 }],
  );
  const means = measures.map((measure) => {
    const of = measure.endsWith('/with-shades') ? shaded : counted;
    return [measure, meanOf(measure, prior, of)] as const;
  });
  return {
    totalSessions: { min: prior.sessions + min, max: prior.sessions + max },
    sessionsWithShades: totalOf(shaded),
    means: Object.fromEntries(means) as Record<Measure, Bounds | null>,
    shades: shadesOf(frame, query, sessions, shades),
  };
}

function shadesOf(
  frame: Frame,
  query: Query,
  sessions: SessionCounts,
  { cells, cuts, skus }: ShadeCounts,
): ShadeBounds[] {
  const question = framed(frame, query, cuts, sessions);
  if (question === undefined) return [];
  const found = new Map<number, { min: number; max: number; copies: number }>();
  const add = ({ copies, number, possible, sure }: Moved['shades'][number], isSure: boolean): void => {
    const bounds = found.get(number) ?? { min: 0, max: 0, copies: 0 };
    found.set(number, bounds);
    bounds.min += isSure ? sure : 0;
    bounds.max += possible;
    bounds.copies += copies;
  };
  for (const cell of cells.get(question.product) ?? []) {
    const counts = question.counts(cell);
    if (counts !== 'not') add(cell, counts === 'surely');
  }
  for (const { shades } of question.moved) for (const shade of shades) add(shade, true);
  return [...found]
    .flatMap(([number, bounds]) => (bounds.max > 0 ? { sku: skus.get(number) ?? '', ...bounds } : []))
    .toSorted((a, b) => b.max - a.max || b.min - a.min || (a.sku < b.sku ? -1 : 1));
}

type SumName = keyof Sums;

function sumsOf(measure: Measure): [low: SumName, high: SumName] {
  if (measure.startsWith('distinct')) return ['d_min', 'd_max'];
  if (measure.startsWith('selections')) return ['r_min', 'r_max'];
  return measure.startsWith('cart-last') ? ['late_min', 'late_max'] : ['cart_min', 'cart_max'];
}

/**
 * The interval of one mean; null where the account's earlier sessions make it unknowable. In a mean over sessions with a
 * shade, a session counts only in the worlds where it has one, and then contributes at least 1.
 */
function meanOf(measure: Measure, prior: Prior, counted: readonly Counted[]): Bounds | null {
  const isRate = measure.startsWith('cart');
  const isShaded = measure.endsWith('/with-shades');
  const before = isRate ? prior.rate : prior.average;
  if (prior.sessions > 0 && (before === null || isShaded)) return null;
  const [lowest, highest] = sumsOf(measure);
  const optional: [low: number, high: number, n: number][] = [];
  let n = prior.sessions;
  let low = prior.sessions * (before?.min ?? 0);
  let high = prior.sessions * (before?.max ?? 0);
  for (const { cell, isSure } of counted)
    if (isSure) {
      n += cell.n;
      low += cell.sums[lowest];
      high += cell.sums[highest];
    } else {
      const least = cell.sums[lowest] / cell.n;
      optional.push([isShaded && !isRate ? Math.max(least, 1) : least, cell.sums[highest] / cell.n, cell.n]);
    }
  // No session, no mean: the empty period's zero.
  let min = n > 0 ? low / n : 0;
  let max = n > 0 ? high / n : 0;
  for (const [more, added] of stepsOf(optional, 0))
    if (n + more > 0) min = Math.min(min, (low + added) / (n + more));
  for (const [more, added] of stepsOf(optional, 1))
    if (n + more > 0) max = Math.max(max, (high + added) / (n + more));
  return { min, max };
}

/**
 * The extreme of (S + Σ chosen) / (n + chosen) over all subsets of optional sessions is reached by taking them in order
 * of their contribution up to some point, since adding a value above the mean raises it and one below lowers it. Cells
 * of equal contribution are all in or all out at the extreme. Returns `[n, sum]` after each value: of the least values (0)
 * in ascending order, or of the highest (1) in descending order.
 */
function stepsOf(
  optional: readonly (readonly [low: number, high: number, n: number])[],
  end: 0 | 1,
): (readonly [n: number, sum: number])[] {
  const byValue = new Map<number, number>();
  for (const each of optional) byValue.set(each[end], (byValue.get(each[end]) ?? 0) + each[2]);
  const steps: [n: number, sum: number][] = [];
  let [count, sum] = [0, 0];
  for (const [value, n] of [...byValue].toSorted(([a], [b]) => (end === 0 ? a - b : b - a))) {
    if (n === 0) continue;
    count += n;
    sum += n * value;
    steps.push([count, sum]);
  }
  return steps;
}

import { z } from 'zod';
import type { Tables } from '../../../history/tables.ts';
import { type Measure, measureKinds, measures, type Prior } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { credentials } from '../../../vocabulary/requests.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import type { Frame } from '../conventions/conventions.ts';
import type { Instants } from '../record/clock.ts';
import { allProducts, type Facts, noProduct } from '../record/facts.ts';
import type { Query } from '../record/questions.ts';
import {
  type ByProduct,
  makeCells,
  makeShadeCells,
  type NumbersOf,
  periodIn,
  rankIn,
  type SessionCell,
  type ShadeCell,
} from './cells.ts';
import { type CountedCell, type Crosser, findCrossings, type Moved, movedBy } from './crossings.ts';
import { meanOf } from './means.ts';
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
  readonly cells: ByProduct<SessionCell>;
  readonly crossers: ReadonlyMap<number, readonly Crosser[]>;
  readonly products: ReadonlyMap<string, number>;
}

/** Selections, counted by cuts that include those of the frames asked about, and SKUs by their numbers. */
interface SelectionCounts {
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
  readonly shadesBy: (few: Cuts) => Promise<SelectionCounts>;
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

const owners = new WeakMap<readonly Role[], readonly number[]>();

/** Whose sessions an answer counts, by number: the account's, and those granted to a bad key or to none, which are in any account or in none. */
function ownersOf({ account }: Frame, key: Role): readonly number[] {
  const keys = account.of[key];
  const known = owners.get(keys) ?? [...keys.map((role) => credentials.indexOf(role)), ...unkeyed];
  owners.set(keys, known);
  return known;
}

/** The number of what a question is about. */
const productOf = ({ products }: SessionCounts, { productId }: Query): number =>
  productId === null ? allProducts : (products.get(productId) ?? noneSuch);

/** A question in a frame. */
interface FramedQuestion<Cell> {
  /** The cells that may count. */
  readonly near: readonly Cell[];
  /** Whether what lies between two cuts counts. */
  counts(
    cell: Pick<SessionCell, 'certain' | 'credential' | 'from_cut' | 'to_cut'>,
  ): 'surely' | 'maybe' | 'not';
  /** What the sessions that go on past an end of its period change. */
  readonly moved: readonly Moved[];
}

/** Undefined where its dates are not readable. */
function framed<Cell extends NumbersOf<'product from_cut to_cut'>>(
  frame: Frame,
  query: Query,
  { cells, cuts }: { readonly cells: ByProduct<Cell>; readonly cuts: Cuts },
  sessions: SessionCounts,
): FramedQuestion<Cell> | undefined {
  const period = periodIn(frame, query);
  if (period === undefined) return undefined;
  const { day } = frame;
  const owning = ownersOf(frame, query.credential);
  const product = productOf(sessions, query);
  const [start, low] = [rankIn(cuts, period.startMs), rankIn(cuts, period.endLowMs)];
  const high = rankIn(cuts, period.endHighMs);
  const moved = (day === 'creation' ? [] : (sessions.crossers.get(product) ?? [])).flatMap((crosser) =>
    day !== 'creation' && owning.includes(crosser.credential) ? (movedBy(day, crosser, period) ?? []) : [],
  );
  return {
    near: cells.around(product, start, high),
    moved,
    counts: ({ certain, credential, from_cut: from, to_cut: to }) => {
      if (to < start || from >= high || !owning.includes(credential)) return 'not';
      return certain === 1 && from >= start && to < low ? 'surely' : 'maybe';
    },
  };
}

/** What a question counts, for sure or possibly; undefined where its dates are not readable. */
function countedIn(frame: Frame, query: Query, from: SessionCounts): readonly CountedCell[] | undefined {
  const question = framed(frame, query, from, from);
  if (question === undefined) return undefined;
  const found: CountedCell[] = [];
  // What counts for sure and has a shade for sure, or none, is added up at once.
  const [plain, shaded] = [nothing(), nothing()];
  for (const cell of question.near) {
    const counts = question.counts(cell);
    if (counts === 'not') continue;
    const isSure = counts === 'surely';
    if (isSure && cell.d_min > 0) addTo(shaded, cell);
    else if (isSure && cell.d_max === 0) addTo(plain, cell);
    else found.push({ cell, isSure });
  }
  const sure = [plain, shaded].map((cell) => ({ cell, isSure: true }));
  return [...sure, ...found, ...question.moved.flatMap(({ sessions }) => sessions)];
}

type MutableSums = { -readonly [Name in keyof CountedCell['cell']]: number };

const nothing = (): MutableSums => ({
  ...{ n: 0, d_min: 0, d_max: 0, r_min: 0, r_max: 0 },
  ...{ cart_min: 0, cart_max: 0, late_min: 0, late_max: 0 },
});

function addTo(sums: MutableSums, cell: SessionCell): void {
  sums.n += cell.n;
  sums.d_min += cell.d_min;
  sums.d_max += cell.d_max;
  sums.r_min += cell.r_min;
  sums.r_max += cell.r_max;
  sums.cart_min += cell.cart_min;
  sums.cart_max += cell.cart_max;
  sums.late_min += cell.late_min;
  sums.late_max += cell.late_max;
}

/** The total of a query in a frame, without what was there before; undefined where its dates are not readable. */
export function totalIn(frame: Frame, query: Query, from: SessionCounts): Bounds | undefined {
  const counted = countedIn(frame, query, from);
  return counted && totalOf(counted);
}

function totalOf(counted: readonly CountedCell[]): Bounds {
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
  shades: SelectionCounts,
): Expectation | undefined {
  const counted = countedIn(frame, query, sessions);
  if (counted === undefined) return undefined;
  const { max, min } = totalOf(counted);
  const shaded = counted.flatMap(({ cell, isSure }): CountedCell[] =>
    cell.d_max === 0 ? [] : [{ cell, isSure: isSure && cell.d_min !== 0 }],
  );
  const means = measures.map((measure) => {
    const of = measureKinds[measure].over === 'with-shades' ? shaded : counted;
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
  selections: SelectionCounts,
): ShadeBounds[] {
  const question = framed(frame, query, selections, sessions);
  if (question === undefined) return [];
  const found = new Map<number, { min: number; max: number; copies: number }>();
  const add = ({ copies, number, possible, sure }: Moved['shades'][number], isSure: boolean): void => {
    const bounds = found.get(number) ?? { min: 0, max: 0, copies: 0 };
    found.set(number, bounds);
    bounds.min += isSure ? sure : 0;
    bounds.max += possible;
    bounds.copies += copies;
  };
  for (const cell of question.near) {
    const counts = question.counts(cell);
    if (counts !== 'not') add(cell, counts === 'surely');
  }
  for (const { shades } of question.moved) for (const shade of shades) add(shade, true);
  return [...found]
    .flatMap(([number, bounds]) =>
      bounds.max > 0 ? { sku: selections.skus.get(number) ?? '', ...bounds } : [],
    )
    .toSorted((a, b) => b.max - a.max || b.min - a.min || (a.sku < b.sku ? -1 : 1));
}

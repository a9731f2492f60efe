import type { History } from '../../../history/history.ts';
import { columnsOf, type Words } from '../../../history/tables.ts';
import { countBelow, countUpTo, floats } from '../../../limits/arrays.ts';
import type { EndConvention } from '../../../vocabulary/analytics.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';
import { greatestCommonDivisor, listSql } from '../../core/moved-clock.ts';
import type { Frame } from '../conventions/conventions.ts';
import { type Period, periodOf, type Zone } from '../conventions/zones.ts';
import { allProducts, type Facts } from '../record/facts.ts';
import type { Query } from '../record/questions.ts';
import { attributes, type Cuts, type Summary } from './summary.ts';

const cellColumns = `product credential certain from_cut to_cut n ${attributes}` as const;

/**
 * Sessions and selections counted once, so that the many questions that follow touch some thousand cells and not
 * millions of sessions. A *cut* is an instant at which some period starts or ends, under some convention; sessions between
 * two neighbouring cuts need not be told apart. `from_cut` to `to_cut`: how many cuts lie at or before the instants at which
 * those of a cell may have been created; `n`: how many they are, below 0 where sessions are taken away; then, what they add up to.
 * All of them have a shade for sure, or all may have one, or none has; and those that may or may not count for some question
 * are alike in every attribute. `credential` is its place in the list of them.
 */
export type SessionCell = NumbersOf<typeof cellColumns>;

const shadeColumns = 'product credential certain from_cut to_cut number sure possible copies';

/** Selections of a SKU, by its number, in the sessions of a cell. */
export type ShadeCell = NumbersOf<typeof shadeColumns>;

/** By the number of a product; for all of them together, by that of all products. */
export class ByProduct<Cell extends NumbersOf<'product from_cut to_cut'>> {
  readonly #of: ReadonlyMap<number, { cells: readonly Cell[]; from: Float64Array; widest: number }>;

  constructor(cells: readonly Cell[]) {
    const groups = Map.groupBy(
      cells.toSorted((a, b) => a.from_cut - b.from_cut),
      ({ product }) => product,
    );
    this.#of = new Map(
      [...groups].map(([product, own]) => [
        product,
        {
          cells: own,
          from: floats(own.length, (k) => own[k]?.from_cut ?? 0),
          widest: own.reduce((most, { from_cut, to_cut }) => Math.max(most, to_cut - from_cut), 0),
        },
      ]),
    );
  }

  get(product: number): readonly Cell[] {
    return this.#of.get(product)?.cells ?? [];
  }

  /** Those that may lie from one cut up to another, and few others: a question is about a part of a long run. */
  around(product: number, start: number, end: number): readonly Cell[] {
    const own = this.#of.get(product);
    if (own === undefined) return [];
    const { cells, from, widest } = own;
    return cells.slice(countBelow(from, start - widest), countBelow(from, end));
  }
}

export type NumbersOf<Columns extends string> = Readonly<Record<Words<Columns>, number>>;

/** The rows of a table of numbers, NULL as NaN: to check millions takes long. */
export async function numbersIn<const Columns extends string>(
  history: History,
  columns: Columns,
  from: string,
): Promise<NumbersOf<Columns>[]> {
  const names: string[] = columnsOf(columns);
  const read = await history.columns(
    `SELECT ${names.map((name) => `CAST(${name} AS DOUBLE)`).join(', ')} FROM (${from})`,
  );
  return Array.from(read[0] ?? [], (_, row) => {
    const numbers: Record<string, number> = {};
    for (const [at, name] of names.entries()) numbers[name] = read[at]?.[row] ?? Number.NaN;
    return numbers as NumbersOf<Columns>;
  });
}

/** SQL: whichever product they are of, and all products together. */
const eachAndAll = (columns: string): string =>
  `GROUP BY GROUPING SETS ((product, ${columns}), (${columns}))`;
const productOrAll = `if(grouping(product) = 1, ${allProducts}, product) AS product`;

export async function makeCells(
  history: History,
  sessions: Summary['sessions'],
  cuts: Cuts,
): Promise<ByProduct<SessionCell>> {
  const unclear = cuts.gaps
    .flatMap(([fromMs, toMs]) => {
      const [from, to] = [rankIn(cuts, fromMs), rankIn(cuts, toMs)];
      return from === to ? [] : [`from_cut BETWEEN ${from} AND ${to - 1}`];
    })
    .join(' OR ');
  // They count for any question for sure, or do not: only their sums matter.
  const isSolid = `certain AND from_cut = to_cut AND (d_min > 0 OR d_max = 0) AND NOT (${unclear || 'false'})`;
  const names = columnsOf(attributes);
  const summed = (of: string): string =>
    `SELECT ${productOrAll}, credential, certain, from_cut, to_cut, count(*) AS n, ${names.map((name) => `${of}(${name}) AS ${name}`).join(', ')}
     FROM ${sessions}`;
  return new ByProduct(
    await numbersIn(
      history,
      cellColumns,
      `${summed('sum')} WHERE ${isSolid} ${eachAndAll('credential, certain, from_cut, to_cut, d_min > 0')}
     UNION ALL ${summed('count(*) * any_value')} WHERE NOT (${isSolid}) ${eachAndAll(`credential, certain, from_cut, to_cut, ${names.join(', ')}`)}`,
    ),
  );
}

/**
 * By some of the cuts, `few`, where no frame that is evaluated has others: by all of them there are a cell for every few
 * selections.
 */
export async function makeShadeCells(
  history: History,
  { picks, sessions, skus }: Pick<Summary, 'picks' | 'sessions'> & Pick<Facts, 'skus'>,
  { instants }: Cuts,
  few: Cuts,
): Promise<ByProduct<ShadeCell>> {
  const ranks = few.instants.length + 1;
  const ranked = listSql([0, ...instants.map((atMs) => rankIn(few, atMs))]);
  const [from, to] = ['from_cut', 'to_cut'].map((cut) => `${ranked}[${cut} + 1]`);
  // One number for a session's place, so that millions of selections are grouped by two numbers.
  const place = `(((CAST(credential AS BIGINT) * 2 + CAST(certain AS BIGINT)) * 1_000_000 + product + 2) * ${ranks} + ${from}) * ${ranks} + ${to}`;
  const cells = await numbersIn(
    history,
    shadeColumns,
    `WITH plain AS (
      SELECT place, number, count(*) AS n FROM (
        SELECT place, unnest(shades) AS number FROM (SELECT ${place} AS place, shades FROM ${sessions} WHERE shades IS NOT NULL)
      ) GROUP BY ALL
    )${
      picks === undefined
        ? ''
        : `, exact AS (
      SELECT s.place, k.number, sum(p.certain) AS sure, sum(p.possible) AS possible, sum(p.copies) AS copies
      FROM ${picks} p JOIN (SELECT session, ${place} AS place FROM ${sessions}) s USING (session) JOIN ${skus} k USING (sku)
      WHERE p.shade GROUP BY ALL
    )`
    }, placed AS (
      SELECT place, number, n AS sure, n AS possible, n AS copies FROM plain ${picks === undefined ? '' : 'UNION ALL FROM exact'}
    ), cell AS (
      SELECT place // ${ranks ** 2} // 2_000_000 AS credential, place // ${ranks ** 2} // 1_000_000 % 2 = 1 AS certain,
        place // ${ranks ** 2} % 1_000_000 - 2 AS product, place // ${ranks} % ${ranks} AS from_cut, place % ${ranks} AS to_cut,
        number, sure, possible, copies
      FROM placed
    )
    SELECT ${productOrAll}, credential, certain, from_cut, to_cut, number, sum(sure) AS sure, sum(possible) AS possible, sum(copies) AS copies
    FROM cell WHERE number IS NOT NULL ${eachAndAll('credential, certain, from_cut, to_cut, number')}`,
  );
  return new ByProduct(cells);
}

/** Every instant at which a period of a query starts or ends in one of the frames. */
export function cutsOf(queries: readonly Query[], frames: readonly Frame[]): Cuts {
  const instants = new Set<number>();
  const gaps = new Map<number, number>();
  const seen = new Set<string>();
  for (const query of queries) {
    const dates = `${query.startDate} ${query.endDate}`;
    if (seen.has(dates)) continue;
    seen.add(dates);
    for (const frame of frames) {
      const period = periodIn(frame, query);
      if (period === undefined) continue;
      instants.add(period.startMs).add(period.endLowMs).add(period.endHighMs);
      if (period.endHighMs > period.endLowMs) gaps.set(period.endLowMs, period.endHighMs);
    }
  }
  return { instants: [...instants].sort((a, b) => a - b), gaps: [...gaps] };
}

/** The period of a query in a frame; undefined when its dates are not readable. */
export function periodIn(
  frame: Frame,
  { startDate, endDate }: Pick<Query, 'startDate' | 'endDate'>,
): Period | undefined {
  const ofZone =
    periods.get(frame.zone) ?? new Map<EndConvention, Map<string, Map<string, Period | undefined>>>();
  periods.set(frame.zone, ofZone);
  const ofEnd = ofZone.get(frame.end) ?? new Map<string, Map<string, Period | undefined>>();
  ofZone.set(frame.end, ofEnd);
  // By one date and then the other: to put them together for each of a million questions takes longest.
  const known = ofEnd.get(startDate) ?? new Map<string, Period | undefined>();
  ofEnd.set(startDate, known);
  if (!known.has(endDate)) known.set(endDate, periodOf(startDate, endDate, frame.end, frame.zone));
  return known.get(endDate);
}

/** Many queries are about few periods, in many frames that have a zone in common. */
const periods = new WeakMap<Zone, Map<EndConvention, Map<string, Map<string, Period | undefined>>>>();

/** Whether every cut of `some` is one of `all`. */
export function includesCuts(all: Cuts, some: Cuts): boolean {
  const known = new Set(all.instants);
  return some.instants.every((atMs) => known.has(atMs));
}

/** How many cuts lie at or before an instant. */
export function rankIn({ instants }: Pick<Cuts, 'instants'>, instantMs: number): number {
  return countUpTo(instants, instantMs);
}

/** The longest time of which every cut is a multiple, ms since the epoch. */
export function gridOf({ instants }: Pick<Cuts, 'instants'>): number {
  return instants.reduce(greatestCommonDivisor, dayMs);
}

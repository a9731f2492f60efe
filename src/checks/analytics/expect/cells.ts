import type { History } from '../../../history/history.ts';
import { columnsOf, type Words } from '../../../history/tables.ts';
import { countUpTo } from '../../../limits/arrays.ts';
import type { EndConvention } from '../../../vocabulary/analytics.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';
import { greatestCommonDivisor, listSql } from '../../core/step-sql.ts';
import type { Frame } from '../conventions/conventions.ts';
import { type Period, periodOf, type Zone } from '../conventions/zones.ts';
import { allProducts, type Facts } from '../record/facts.ts';
import type { Query } from '../record/questions.ts';
import { attributes, type Cuts, type Summary } from './summary.ts';

/** What sessions add up to; of one session, what it is. */
export type Sums = Readonly<Record<Words<typeof attributes>, number>>;

/**
 * Sessions and selections counted once, so that the many questions that follow touch some thousand cells and not
 * millions of sessions. A *cut* is an instant at which some period starts or ends, under some convention; sessions between
 * two neighbouring cuts need not be told apart. All of a cell have a shade for sure, or all may have one, or none has; and
 * those that may or may not count for some question are alike in every attribute.
 */
export interface Cell {
  /** Place in the list of credentials. */
  readonly credential: number;
  readonly certain: boolean;
  /** How many cuts lie at or before the instants at which they may have been created. */
  readonly from: number;
  readonly to: number;
  /** Below 0: so many are taken away. */
  readonly n: number;
  readonly sums: Sums;
}

/** Selections of a SKU in the sessions of a cell. */
export interface ShadeCell extends Pick<Cell, 'credential' | 'certain' | 'from' | 'to'> {
  /** Its number. */
  readonly number: number;
  readonly sure: number;
  readonly possible: number;
  readonly copies: number;
}

/** By the number of a product; for all of them together, by that of all products. */
export type ByProduct<Item> = ReadonlyMap<number, readonly Item[]>;

/** The rows of a table of numbers, NULL as NaN: so many would take long as checked rows. */
export async function numbersIn<const Columns extends string>(
  history: History,
  columns: Columns,
  from: string,
): Promise<Record<Words<Columns>, number>[]> {
  const names = columnsOf(columns);
  const read = await history.columns(
    `SELECT ${names.map((name) => `CAST(${name} AS DOUBLE)`).join(', ')} FROM (${from})`,
  );
  return Array.from(
    read[0] ?? [],
    (_, row) =>
      Object.fromEntries(names.map((name, at) => [name, read[at]?.[row] ?? Number.NaN])) as Record<
        Words<Columns>,
        number
      >,
  );
}

/** SQL: whichever product they are of, and all products together. */
const eachAndAll = (columns: string): string =>
  `GROUP BY GROUPING SETS ((product, ${columns}), (${columns}))`;
const productOrAll = `if(grouping(product) = 1, ${allProducts}, product) AS product`;

export async function makeCells(
  history: History,
  sessions: Summary['sessions'],
  cuts: Cuts,
): Promise<ByProduct<Cell>> {
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
  const cells = await numbersIn(
    history,
    `product credential certain from_cut to_cut n ${attributes}`,
    `${summed('sum')} WHERE ${isSolid} ${eachAndAll('credential, certain, from_cut, to_cut, d_min > 0')}
     UNION ALL ${summed('count(*) * any_value')} WHERE NOT (${isSolid}) ${eachAndAll(`credential, certain, from_cut, to_cut, ${names.join(', ')}`)}`,
  );
  return byProduct(
    cells.map(({ certain, credential, from_cut: from, n, product, to_cut: to, ...sums }) => ({
      ...{ product, credential, certain: certain === 1, from, to, n, sums },
    })),
  );
}

export function byProduct<Item extends { readonly product: number }>(
  items: readonly Item[],
): ByProduct<Item> {
  return Map.groupBy(items, ({ product }) => product);
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
    'product credential certain from_cut to_cut number sure possible copies',
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
  return byProduct(
    cells.map(({ certain, from_cut: from, to_cut: to, ...cell }) => ({
      ...cell,
      ...{ certain: certain === 1, from, to },
    })),
  );
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

import { columnsOf, type Table, type Tables } from '../../../history/tables.ts';
import { countUpTo } from '../../../limits/arrays.ts';
import type { EndConvention } from '../../../vocabulary/analytics.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';
import { credentials } from '../../../vocabulary/requests.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { greatestCommonDivisor, listSql } from '../../core/step-sql.ts';
import type { Frame } from '../conventions/conventions.ts';
import { type Accounts, firstKeyOf } from '../conventions/whose-data.ts';
import { type Period, periodOf, type Zone } from '../conventions/zones.ts';
import { allProducts, type Facts } from '../record/facts.ts';
import type { Query } from '../record/questions.ts';
import { attributes, type Cuts, type Summary } from './summary.ts';

/** The columns of solid cells that add up. `shaded`: sessions with at least one shade. */
const sums =
  'n shaded d_min d_max r_min r_max cart_min cart_max late_min late_max shaded_cart_min shaded_cart_max shaded_late_min shaded_late_max';
export const solidSums = columnsOf(sums);
export const solidColumns = `credential product cut ${sums}` as const;
export const looseColumns = `credential product certain from_cut to_cut n ${attributes}` as const;

/**
 * Sessions and selections counted once, so that the many questions that follow touch some thousand cells and not
 * millions of sessions. A *cut* is an instant at which some period starts or ends, under some convention; sessions between
 * two neighbouring cuts need not be told apart. `cut`: how many cuts lie at or before an instant.
 */
export interface Cells {
  /**
   * By credential, product and cut, the sessions that certainly exist, between two cuts for sure, and of which it is known
   * whether they have a shade; with the least and most that they add up to.
   */
  readonly solid: Table<typeof solidColumns>;
  /** All others, in cells of equal attributes; `from_cut`…`to_cut`, `n` of them. */
  readonly loose: Table<typeof looseColumns>;
}

export async function makeCells(tables: Tables, sessions: Summary['sessions'], cuts: Cuts): Promise<Cells> {
  const unclear = cuts.gaps
    .flatMap(([fromMs, toMs]) => {
      const [from, to] = [rankIn(cuts, fromMs), rankIn(cuts, toMs)];
      return from === to ? [] : [`from_cut BETWEEN ${from} AND ${to - 1}`];
    })
    .join(' OR ');
  const solid = `certain AND from_cut = to_cut AND (d_min > 0 OR d_max = 0) AND NOT (${unclear || 'false'})`;
  const add = (column: string): string => {
    if (column === 'n') return 'count(*) AS n';
    if (column === 'shaded') return 'count(*) FILTER (d_min > 0) AS shaded';
    const plain = column.replace('shaded_', '');
    return `coalesce(sum(${plain})${plain === column ? '' : ' FILTER (d_min > 0)'}, 0) AS ${column}`;
  };
  return {
    solid: await tables.make(
      'solid',
      solidColumns,
      `SELECT credential, product, from_cut AS cut, ${solidSums.map(add).join(', ')}
       FROM ${sessions} WHERE ${solid} GROUP BY credential, product, from_cut`,
    ),
    loose: await tables.make(
      'loose',
      looseColumns,
      `SELECT credential, product, certain, from_cut, to_cut, ${columnsOf(attributes).join(', ')}, count(*) AS n
       FROM ${sessions} WHERE NOT (${solid}) GROUP BY ALL`,
    ),
  };
}

/** Selections by credential, product, cuts, whether their session is certain, and the SKU's number. */
export type ShadeCells = Table<typeof shadeColumns>;

export const shadeColumns =
  'credential session_certain product from_cut to_cut number certain possible copies';

/**
 * By some of the cuts, `few`, where no frame that is evaluated has others: by all of them there are a cell for every few
 * selections.
 */
export function makeShadeCells(
  tables: Tables,
  { picks, sessions, skus }: Pick<Summary, 'picks' | 'sessions'> & Pick<Facts, 'skus'>,
  { instants }: Cuts,
  few: Cuts,
): Promise<ShadeCells> {
  const ranks = few.instants.length + 1;
  const ranked = listSql([0, ...instants.map((atMs) => rankIn(few, atMs))]);
  const [from, to] = ['from_cut', 'to_cut'].map((cut) => `${ranked}[${cut} + 1]`);
  // One number for a session's place, so that millions of selections are grouped by two numbers.
  const place = `(((CAST(credential AS BIGINT) * 2 + CAST(certain AS BIGINT)) * 1_000_000 + product + 2) * ${ranks} + ${from}) * ${ranks} + ${to}`;
  return tables.make(
    'shade_cell',
    shadeColumns,
    `WITH plain AS (
      SELECT place, number, count(*) AS n FROM (
        SELECT place, unnest(shades) AS number FROM (SELECT ${place} AS place, shades FROM ${sessions} WHERE shades IS NOT NULL)
      ) GROUP BY ALL
    )${
      picks === undefined
        ? ''
        : `, exact AS (
      SELECT s.place, k.number, sum(p.certain) AS certain, sum(p.possible) AS possible, sum(p.copies) AS copies
      FROM ${picks} p JOIN (SELECT session, ${place} AS place FROM ${sessions}) s USING (session) JOIN ${skus} k USING (sku)
      WHERE p.shade GROUP BY ALL
    )`
    }, cell AS (
      SELECT place, number, n AS certain, n AS possible, n AS copies FROM plain ${picks === undefined ? '' : 'UNION ALL FROM exact'}
    )
    SELECT CAST(place // ${ranks ** 2} // 2_000_000 AS UTINYINT) AS credential, place // ${ranks ** 2} // 1_000_000 % 2 = 1 AS session_certain,
      CAST(place // ${ranks ** 2} % 1_000_000 - 2 AS INTEGER) AS product, CAST(place // ${ranks} % ${ranks} AS INTEGER) AS from_cut,
      CAST(place % ${ranks} AS INTEGER) AS to_cut, number, certain, possible, copies
    FROM cell`,
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

/** Whose sessions a key's answer may count: its own, and those granted to a bad key or to none, which are in any account or in none. */
export const keyedNumbers = roles.map((role) => credentials.indexOf(role));

/** Cells, and by which cuts sessions lie in them, and selections do: all of them, or as many as the frame needs. */
export interface CutCells {
  readonly cells: Cells;
  readonly cuts: Cuts;
  readonly shades: ShadeCells;
  readonly shadeCuts: Cuts;
}

/** SQL: the number of an account, from that of one of its keys. */
export function accountSql(accounts: Accounts, credential: string): string {
  const moved = roles.filter((role) => firstKeyOf(accounts, role) !== role);
  if (moved.length === 0) return credential;
  const each = moved.map((role) => `WHEN ${credentials.indexOf(role)} THEN ${numberOf(accounts, role)}`);
  return `CAST(CASE ${credential} ${each.join(' ')} ELSE ${credential} END AS UTINYINT)`;
}

function numberOf(accounts: Accounts, role: Role): number {
  return credentials.indexOf(firstKeyOf(accounts, role));
}

/** The cells of all frames rolled up to one frame's own cuts, for each product and for all of them, and by account, told by the credential of its first key. */
export type FrameCells = Cells & { readonly shades: ShadeCells };

export async function frameCells(
  tables: Tables,
  frame: Frame,
  { cells, cuts, shades, shadeCuts }: CutCells,
  own: Cuts,
): Promise<FrameCells> {
  const mapped = (name: string, { instants }: Cuts): Promise<Table<'cut to_own'>> =>
    tables.numbers(
      name,
      'cut to_own',
      [0, ...instants.map((atMs) => rankIn(own, atMs))].map((to, cut) => [cut, to]),
    );
  const map = await mapped('map', cuts);
  const shadeMap = await mapped('shade_map', shadeCuts);
  const credential = accountSql(frame.account, 'credential');
  const accounts = new Set(roles.map((role) => numberOf(frame.account, role)));
  // A bad key's session may be counted in any account.
  const others = credentials.map((_, number) => number).filter((number) => !keyedNumbers.includes(number));
  const owners = `CAST(unnest(if(credential IN (${others.join(', ')}), [${[...accounts].join(', ')}], [${credential}])) AS UTINYINT)`;
  const rolled = (columns: string): string =>
    `GROUP BY GROUPING SETS ((credential, ${columns}, product), (credential, ${columns}))`;
  const product = `CASE WHEN grouping(product) = 1 THEN ${allProducts} ELSE product END AS product`;
  const looseKeys = columnsOf(`certain from_cut to_cut ${attributes}`).join(', ');
  return {
    solid: await tables.make(
      'frame_solid',
      solidColumns,
      `SELECT credential, ${product}, cut, ${solidSums.map((name) => `sum(${name}) AS ${name}`).join(', ')}
       FROM (SELECT ${credential} AS credential, m.to_own AS cut, c.* EXCLUDE (credential, cut) FROM ${cells.solid} c JOIN ${map} m USING (cut))
       ${rolled('cut')}`,
    ),
    loose: await tables.make(
      'frame_loose',
      looseColumns,
      `SELECT credential, ${product}, ${looseKeys}, sum(n) AS n
       FROM (SELECT ${owners} AS credential, f.to_own AS from_cut, t.to_own AS to_cut, c.* EXCLUDE (credential, from_cut, to_cut)
         FROM ${cells.loose} c JOIN ${map} f ON f.cut = c.from_cut JOIN ${map} t ON t.cut = c.to_cut)
       ${rolled(looseKeys)}`,
    ),
    shades: await tables.make(
      'frame_shade',
      shadeColumns,
      `SELECT credential, ${product}, session_certain, from_cut, to_cut, number,
         sum(certain) AS certain, sum(possible) AS possible, sum(copies) AS copies
       FROM (SELECT ${owners} AS credential, f.to_own AS from_cut, t.to_own AS to_cut, c.* EXCLUDE (credential, from_cut, to_cut)
         FROM ${shades} c JOIN ${shadeMap} f ON f.cut = c.from_cut JOIN ${shadeMap} t ON t.cut = c.to_cut)
       ${rolled('session_certain, from_cut, to_cut, number')}`,
    ),
  };
}

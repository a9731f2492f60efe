import { columnsOf, type Table, type Tables } from '../../../history/tables.ts';
import { listSql } from '../../core/step-sql.ts';
import type { Facts } from '../record/facts.ts';
import { type Cuts, rankIn } from './cuts.ts';
import { attributes, type Summary } from './summary.ts';

/** The columns of solid cells that add up. `shaded`: sessions with at least one shade. */
const sums =
  'n shaded d_min d_max r_min r_max r_copies cart_min cart_max late_min late_max shaded_cart_min shaded_cart_max shaded_late_min shaded_late_max';
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

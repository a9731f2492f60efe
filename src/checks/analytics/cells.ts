import type { History } from '../../history/history.ts';
import { type Cuts, rankIn } from './cuts.ts';

/** The columns of `analytics_solid` that add up. `shaded`: sessions with at least one shade. */
export const solidSums = [
  'n',
  'shaded',
  'd_min',
  'd_max',
  'r_min',
  'r_max',
  'r_copies',
  'cart_min',
  'cart_max',
  'late_min',
  'late_max',
  'shaded_cart_min',
  'shaded_cart_max',
  'shaded_late_min',
  'shaded_late_max',
] as const;

/** Attributes of a session that a mean can be made of. */
export const attributes = 'd_min, d_max, r_min, r_max, r_copies, cart_min, cart_max, late_min, late_max';

/**
 * Sessions and selections counted once, so that the many questions that follow touch some thousand cells and not
 * millions of sessions. A *cut* is an instant at which some period starts or ends, under some convention; sessions between
 * two neighbouring cuts need not be told apart. Tables (`cut` being how many cuts lie at or before an instant):
 *
 * - `analytics_solid`: by credential, product and cut, the sessions that certainly exist, between two cuts for sure, and
 *   of which it is known whether they have a shade; with the least and most that they add up to.
 * - `analytics_loose`: all others, in cells of equal attributes; `from_cut`…`to_cut`, `n` of them.
 */
export async function makeCells(history: History, cuts: Cuts): Promise<void> {
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
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_solid AS
    SELECT credential, product, from_cut AS cut, ${solidSums.map(add).join(', ')}
    FROM analytics_session WHERE ${solid} GROUP BY credential, product, from_cut;

    CREATE OR REPLACE TEMP TABLE analytics_loose AS
    SELECT credential, product, certain, from_cut, to_cut, ${attributes}, count(*) AS n
    FROM analytics_session WHERE NOT (${solid}) GROUP BY ALL;
  `);
}

/**
 * Makes `analytics_shade_cell`: selections by credential, product, cuts, whether their session is certain, and SKU. By some of
 * the cuts, `few`, where no frame that is evaluated has others: by all of them there are a cell for every few selections.
 */
export async function makeShadeCells(history: History, { instants }: Cuts, few: Cuts): Promise<void> {
  const ranks = few.instants.length + 1;
  const ranked = `[${[0, ...instants.map((atMs) => rankIn(few, atMs))].join(', ')}]`;
  const [from, to] = ['from_cut', 'to_cut'].map((cut) => `CAST((${ranked})[${cut} + 1] AS BIGINT)`);
  // One number for a session's place, so that millions of selections are grouped by two numbers.
  const place = `(((CAST(credential AS BIGINT) * 2 + CAST(certain AS BIGINT)) * 1_000_000 + product + 2) * ${ranks} + ${from}) * ${ranks} + ${to}`;
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_shade_cell AS
    WITH plain AS (
      SELECT place, number, count(*) AS n FROM (
        SELECT place, unnest(shades) AS number FROM (SELECT ${place} AS place, shades FROM analytics_session WHERE shades IS NOT NULL)
      ) GROUP BY ALL
    ), exact AS (
      SELECT s.place, k.number, sum(p.certain) AS certain, sum(p.possible) AS possible, sum(p.copies) AS copies
      FROM analytics_pick p JOIN (SELECT session, ${place} AS place FROM analytics_session) s USING (session) JOIN analytics_sku k USING (sku)
      WHERE p.shade GROUP BY ALL
    ), cell AS (
      SELECT place, number, n AS certain, n AS possible, n AS copies FROM plain UNION ALL FROM exact
    )
    SELECT CAST(place // ${ranks ** 2} // 2_000_000 AS UTINYINT) AS credential, place // ${ranks ** 2} // 1_000_000 % 2 = 1 AS session_certain,
      CAST(place // ${ranks ** 2} % 1_000_000 - 2 AS INTEGER) AS product, CAST(place // ${ranks} % ${ranks} AS INTEGER) AS from_cut,
      CAST(place % ${ranks} AS INTEGER) AS to_cut, number, certain, possible, copies
    FROM cell;
  `);
}

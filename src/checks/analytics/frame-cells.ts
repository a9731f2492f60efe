import type { History } from '../../history/history.ts';
import { credentials } from '../../history/record.ts';
import { attributes, solidSums } from './cells.ts';
import type { Frame } from './conventions.ts';
import { type Cuts, rankIn } from './cuts.ts';
import { allProducts, keyedNumbers } from './expectation.ts';

/** By which cuts sessions lie in cells, and by which selections do: all of them, or as many as the frame needs. */
export interface CellCuts {
  readonly cuts: Cuts;
  readonly shadeCuts: Cuts;
}

/**
 * Rolls the cells of all frames up to what one frame needs: `analytics_frame_solid`, `…_loose` and `…_shade`, by that frame's
 * own cuts, for each product and for all of them, and by credential, which is 0 where all keys share an account.
 */
export async function frameCells(
  history: History,
  frame: Frame,
  { cuts, shadeCuts }: CellCuts,
  own: Cuts,
): Promise<void> {
  const mapped = ({ instants }: Cuts): string =>
    [0, ...instants.map((atMs) => rankIn(own, atMs))].map((to, cut) => `(${cut}, ${to})`).join(', ');
  const shared = frame.account === 'all-keys';
  const credential = shared ? 'CAST(0 AS UTINYINT)' : 'credential';
  // A bad key's session may be counted in any account.
  const others = credentials.map((_, number) => number).filter((number) => !keyedNumbers.includes(number));
  const owners = shared
    ? credential
    : `CAST(unnest(if(credential IN (${others.join(', ')}), [${keyedNumbers.join(', ')}], [credential])) AS UTINYINT)`;
  const rolled = (columns: string): string =>
    `GROUP BY GROUPING SETS ((credential, ${columns}, product), (credential, ${columns}))`;
  const product = `CASE WHEN grouping(product) = 1 THEN ${allProducts} ELSE product END AS product`;
  const looseKeys = `certain, from_cut, to_cut, ${attributes}`;
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_map (cut INTEGER, to_own INTEGER);
    INSERT INTO analytics_map VALUES ${mapped(cuts)};
    CREATE OR REPLACE TEMP TABLE analytics_shade_map (cut INTEGER, to_own INTEGER);
    INSERT INTO analytics_shade_map VALUES ${mapped(shadeCuts)};

    CREATE OR REPLACE TEMP TABLE analytics_frame_solid AS
    SELECT credential, ${product}, cut, ${solidSums.map((name) => `sum(${name}) AS ${name}`).join(', ')}
    FROM (SELECT ${credential} AS credential, m.to_own AS cut, c.* EXCLUDE (credential, cut) FROM analytics_solid c JOIN analytics_map m USING (cut))
    ${rolled('cut')};

    CREATE OR REPLACE TEMP TABLE analytics_frame_loose AS
    SELECT credential, ${product}, ${looseKeys}, sum(n) AS n
    FROM (SELECT ${owners} AS credential, f.to_own AS from_cut, t.to_own AS to_cut, c.* EXCLUDE (credential, from_cut, to_cut)
      FROM analytics_loose c JOIN analytics_map f ON f.cut = c.from_cut JOIN analytics_map t ON t.cut = c.to_cut)
    ${rolled(looseKeys)};

    CREATE OR REPLACE TEMP TABLE analytics_frame_shade AS
    SELECT credential, ${product}, session_certain, from_cut, to_cut, number,
      sum(certain) AS certain, sum(possible) AS possible, sum(copies) AS copies
    FROM (SELECT ${owners} AS credential, f.to_own AS from_cut, t.to_own AS to_cut, c.* EXCLUDE (credential, from_cut, to_cut)
      FROM analytics_shade_cell c JOIN analytics_shade_map f ON f.cut = c.from_cut JOIN analytics_shade_map t ON t.cut = c.to_cut)
    ${rolled('session_certain, from_cut, to_cut, number')};
  `);
}

import type { History } from '../../history/history.ts';
import { credentials } from '../../vocabulary/requests.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import { type Accounts, firstKeyOf } from './accounts.ts';
import { attributes, solidSums } from './cells.ts';
import type { Frame } from './conventions.ts';
import { type Cuts, rankIn } from './cuts.ts';
import { allProducts } from './product-numbers.ts';

/** Whose sessions a key's answer may count: its own, and those granted to a bad key or to none, which are in any account or in none. */
export const keyedNumbers = roles.map((role) => credentials.indexOf(role));

/** By which cuts sessions lie in cells, and by which selections do: all of them, or as many as the frame needs. */
export interface CellCuts {
  readonly cuts: Cuts;
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

/**
 * Rolls the cells of all frames up to what one frame needs: `analytics_frame_solid`, `…_loose` and `…_shade`, by that frame's
 * own cuts, for each product and for all of them, and by account, told by the credential of its first key.
 */
export async function frameCells(
  history: History,
  frame: Frame,
  { cuts, shadeCuts }: CellCuts,
  own: Cuts,
): Promise<void> {
  const mapped = ({ instants }: Cuts): string =>
    [0, ...instants.map((atMs) => rankIn(own, atMs))].map((to, cut) => `(${cut}, ${to})`).join(', ');
  const credential = accountSql(frame.account, 'credential');
  const accounts = new Set(roles.map((role) => numberOf(frame.account, role)));
  // A bad key's session may be counted in any account.
  const others = credentials.map((_, number) => number).filter((number) => !keyedNumbers.includes(number));
  const owners = `CAST(unnest(if(credential IN (${others.join(', ')}), [${[...accounts].join(', ')}], [${credential}])) AS UTINYINT)`;
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

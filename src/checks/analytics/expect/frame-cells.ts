import { columnsOf, type Table, type Tables } from '../../../history/tables.ts';
import { credentials } from '../../../vocabulary/requests.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { type Accounts, firstKeyOf } from '../conventions/accounts.ts';
import type { Frame } from '../conventions/conventions.ts';
import { allProducts } from '../record/facts.ts';
import { type Cells, looseColumns, type ShadeCells, shadeColumns, solidColumns, solidSums } from './cells.ts';
import { type Cuts, rankIn } from './cuts.ts';
import { attributes } from './summary.ts';

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

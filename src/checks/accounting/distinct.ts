import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/tables.ts';
import { type Reason, reason } from '../reasons/reason.ts';

/** A longer set of bits is too much for DuckDB; the numbers of one run are never that far apart. */
const mostBits = 1e9;

/**
 * SQL: how many different values a column of whole numbers from `least` to `most` has, of rows for which a condition holds
 * that leaves no others. A bit for each, where a table of them takes ten times as long and a hundred times the memory.
 */
export function differentValues(column: string, least: number, most: number, where: string): string {
  return most < least || most - least >= mostBits
    ? `count(DISTINCT ${column}) FILTER (${where})`
    : `coalesce(bit_count(bitstring_agg(${column}, ${least}, ${most}) FILTER (${where})), 0)`;
}

const rangeRow = z.object({ least: z.number().nullable(), most: z.number().nullable(), rows: z.number() });
const differentRow = z.object({ different: z.number() });

/** Whether every request has a unique number; undefined where that takes too long to find out. */
export const areNumbersUnique = oncePerHistory(async (history): Promise<boolean | undefined> => {
  const [range] = await history.rows(
    rangeRow,
    'SELECT min(seq) AS least, max(seq) AS most, count(*) AS rows FROM requests',
  );
  if (range === undefined || range.least === null || range.most === null) return undefined;
  if (range.most - range.least >= mostBits) return undefined;
  const [found] = await history.rows(
    differentRow,
    `SELECT ${differentValues('seq', range.least, range.most, 'seq IS NOT NULL')} AS different FROM requests`,
  );
  return found?.different === range.rows;
});

/** Why the last records of a run may be missing although nothing is wrong; undefined when they may not. */
export function cutOff({ integrity, leftOut, run }: History): Reason | undefined {
  if (integrity.kind === 'recovered') return reason('history-recovered', { cut: [], leftOut });
  if (run.ended === undefined) return reason('run-cut-off');
  return undefined;
}

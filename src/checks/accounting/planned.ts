import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/tables.ts';
import { caused, fits } from '../causes/cause.ts';
import { find } from '../core/found.ts';
import { type CheckFinding, evidenceIfAny, type Verdict } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';

const plannedRow = z.object({
  records: z.number(),
  different: z.number(),
  foreign: z.number(),
});

/** Each request of the plan has one record. Nothing for a run without a plan, whose load has no records. */
export async function checkPlanned(history: History): Promise<CheckFinding[]> {
  const { planned_requests: planned, planned_by_lane: byLane = [planned] } = history.run;
  const inLanes = byLane.reduce((sum, count) => sum + count, 0);
  const lanes = byLane.length;
  const isForeign = `(planned IS NULL OR planned < 0 OR planned // ${lanes} >= [${byLane.join(', ')}][planned % ${lanes} + 1])`;
  const [row] = await history.rows(
    plannedRow,
    `SELECT count(*) FILTER (NOT ${isForeign}) AS records, ${differentValues('planned', 0, lanes * Math.max(...byLane) - 1, `NOT ${isForeign}`)} AS different,
            count(*) FILTER (${isForeign}) AS foreign
     FROM requests WHERE stage = 'load'`,
  );
  if (row === undefined) throw new Error('an aggregate without a row');
  const doubled = row.records - row.different;
  const missing = planned - row.different;
  const outsideLoad = await find(history, "stage <> 'load' AND planned IS NOT NULL");
  if (planned + inLanes + row.records + row.foreign + outsideLoad.total === 0) return [];
  const cut = cutOff(history);
  const none = reason('accounting-missing', { missing, planned });
  const wrong = [
    ...(inLanes === planned ? [] : [reason('accounting-lanes', { planned, inLanes })]),
    ...(doubled > 0 ? [reason('accounting-repeated', { records: doubled })] : []),
    ...(row.foreign > 0 ? [reason('accounting-not-in-plan', { records: row.foreign })] : []),
    ...(outsideLoad.total > 0 ? [reason('accounting-planned-outside', { records: outsideLoad.total })] : []),
    ...(missing > 0 && cut === undefined ? [none] : []),
  ];
  const verdict: Verdict = wrong.length > 0 ? 'fail' : missing > 0 ? 'inconclusive' : 'pass';
  const odd = await find(history, `stage = 'load' AND ${isForeign}`);
  const oddSeqs = [...odd.seqs, ...outsideLoad.seqs];
  return [
    {
      id: 'books.planned',
      verdict,
      expected: { planned },
      observed: {
        'with a record': row.different,
        repeated: doubled,
        'not in the plan': row.foreign + outsideLoad.total,
      },
      reasons:
        verdict === 'fail'
          ? wrong
          : verdict === 'inconclusive'
            ? [none, ...(cut === undefined ? [] : [cut])]
            : [reason('accounting-planned', { planned })],
      evidence: evidenceIfAny('not in the plan', oddSeqs),
      ...(verdict === 'fail' &&
        caused([fits('records-incomplete', { what: ['planned requests'] }, oddSeqs)])),
    },
  ];
}

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

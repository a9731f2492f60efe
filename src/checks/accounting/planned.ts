import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { caused, fits } from '../causes/cause.ts';
import { find } from '../core/found.ts';
import { type CheckFinding, evidenceIfAny, type Verdict } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';
import { cutOff, differentValues } from './distinct.ts';

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

import { z } from 'zod';
import { all, counted, number, verb } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { caused, fits } from '../diagnosis/cause.ts';
import { find } from '../found.ts';
import { type CheckResult, evidence, type Verdict } from '../verdict.ts';
import { blame, cutOff } from './cut-off.ts';
import { differentValues } from './distinct.ts';

const plannedRow = z.object({
  records: z.number(),
  different: z.number(),
  foreign: z.number(),
});

/** Each request of the plan has one record. Nothing for a run without a plan, whose load has no records. */
export async function checkPlanned(history: History): Promise<CheckResult[]> {
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
  const reason = cutOff(history);
  const wrong = [
    ...(inLanes === planned
      ? []
      : [`the plan has ${counted(planned, 'request')}, and ${number(inLanes)} in its lanes`]),
    ...(doubled > 0
      ? [`${counted(doubled, 'record')} ${verb(doubled, 'repeats', 'repeat')} a planned request`]
      : []),
    ...(row.foreign > 0
      ? [`${counted(row.foreign, 'record')} of the load ${verb(row.foreign, 'is', 'are')} not in the plan`]
      : []),
    ...(outsideLoad.total > 0
      ? [
          `${counted(outsideLoad.total, 'record')} outside the load ${verb(outsideLoad.total, 'claims', 'claim')} to be planned`,
        ]
      : []),
    ...(missing > 0 && reason === undefined
      ? [
          `${number(missing)} of ${counted(planned, 'planned request')} ${verb(missing, 'has', 'have')} no record`,
        ]
      : []),
  ];
  const verdict: Verdict = wrong.length > 0 ? 'fail' : missing > 0 ? 'inconclusive' : 'pass';
  const odd = await find(history, `stage = 'load' AND ${isForeign}`);
  const oddSeqs = [...odd.seqs, ...outsideLoad.seqs];
  return [
    {
      id: 'books.planned',
      title: 'Each planned request has one record',
      verdict,
      expected: { planned },
      observed: {
        'with a record': row.different,
        repeated: doubled,
        'not in the plan': row.foreign + outsideLoad.total,
      },
      explanation:
        verdict === 'fail'
          ? `The books do not balance, ${blame}: ${wrong.join('; ')}.`
          : verdict === 'inconclusive'
            ? `${number(missing)} of ${counted(planned, 'planned request')} ${verb(missing, 'has', 'have')} no record; ${reason}.`
            : `${all(planned, 'planned request')} ${verb(planned, 'has', 'have')} one record each.`,
      evidence: oddSeqs.length === 0 ? [] : [evidence('not in the plan', oddSeqs)],
      ...(verdict === 'fail' &&
        caused([fits('records-incomplete', { what: ['planned requests'] }, oddSeqs)])),
    },
  ];
}

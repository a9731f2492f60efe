import type { History } from '../history/history.ts';
import { shown } from './causes/cause.ts';
import { evidenceOf, find } from './core/found.ts';
import type { CheckFinding } from './core/verdict.ts';
import { checkConnections, checkEachConnection, checkOpening } from './latency/connections.ts';
import { checkLargeList } from './latency/large-list.ts';
import { checkNeighbours } from './latency/neighbours.ts';
import { checkOutsideLoad } from './latency/outside-load.ts';
import { checkRegular } from './latency/regular.ts';
import { checkSlo } from './latency/slo.ts';
import { latencyTable, shownTable } from './latency/table.ts';
import { checkTrend } from './latency/trend.ts';
import { expects } from './reasons/expected.ts';
import { reason } from './reasons/reason.ts';

/** How long answers took, and whether the scenario's bounds on that hold. */
export async function checkLatency(history: History): Promise<CheckFinding[]> {
  const results: CheckFinding[] = [];
  for (const [index, slo] of history.run.slo.entries()) results.push(await checkSlo(history, slo, index + 1));
  return [
    ...results,
    ...(await checkRegular(history)),
    ...(await checkLargeList(history)),
    ...(await checkTrend(history)),
    ...(await checkNeighbours(history)),
    ...(await checkConnections(history)),
    ...(await checkEachConnection(history)),
    ...(await checkOpening(history)),
    ...(await checkOutsideLoad(history)),
    await checkTable(history),
  ];
}

/**
 * The table is data. A latency in it may be missing, negative, or shorter from the intended instant than from the sending,
 * which no real clock shows.
 */
async function checkTable(history: History): Promise<CheckFinding> {
  const table = await latencyTable(history);
  const answered = await find(history, ordinaryAnswer);
  const unmeasured = await find(
    history,
    `${ordinaryAnswer} AND (sent_ns IS NULL OR answered_ns IS NULL OR intended_ns IS NULL)`,
  );
  const impossible = await find(
    history,
    `${ordinaryAnswer} AND (answered_ns < sent_ns OR answered_ns - intended_ns < answered_ns - sent_ns)`,
  );
  const wrong = unmeasured.total + impossible.total;
  const verdict = wrong > 0 ? 'fail' : answered.total === 0 ? 'inconclusive' : 'pass';
  return {
    id: 'latency.table',
    verdict,
    expected: expects('latency.table'),
    observed: shownTable(table),
    reasons:
      verdict === 'fail'
        ? [
            reason('latency-table-impossible', {
              unmeasured: unmeasured.total,
              impossible: impossible.total,
            }),
            reason('defect-or-altered'),
          ]
        : [
            verdict === 'inconclusive'
              ? reason('latency-table-empty')
              : reason('latency-table-measured', { answers: answered.total }),
          ],
    evidence: [
      ...evidenceOf('without both latencies', unmeasured),
      ...evidenceOf('impossible latencies', impossible),
    ],
    ...(verdict === 'fail' ? { causes: [shown('records-incomplete', { what: ['latencies'] })] } : {}),
  };
}

const ordinaryAnswer = 'probe IS NULL AND status IS NOT NULL';

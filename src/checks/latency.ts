import type { History } from '../history/history.ts';
import { shown } from './causes/cause.ts';
import { find } from './core/found.ts';
import { type CheckFinding, counted } from './core/verdict.ts';
import { checkEachConnection, checkOpening } from './latency/connections.ts';
import { checkLargeList } from './latency/large-list.ts';
import { checkOutsideLoad } from './latency/outside-load.ts';
import { checkConnections, checkNeighbours } from './latency/paired.ts';
import { checkRegular } from './latency/regular.ts';
import { checkSlo } from './latency/slo.ts';
import { latencyTable, shownTable } from './latency/table.ts';
import { checkTrend } from './latency/trend.ts';
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
  const answered = await find(history, ordinaryAnswer);
  const unmeasured = await find(
    history,
    `${ordinaryAnswer} AND (sent_ns IS NULL OR answered_ns IS NULL OR intended_ns IS NULL)`,
  );
  const impossible = await find(
    history,
    `${ordinaryAnswer} AND (answered_ns < sent_ns OR answered_ns - intended_ns < answered_ns - sent_ns)`,
  );
  const kinds = [
    { what: 'without both latencies', code: 'latency-unmeasured', ...unmeasured },
    { what: 'impossible latencies', code: 'latency-impossible', ...impossible },
  ] as const;
  return counted({
    id: 'latency.table',
    judged: answered.total,
    observed: shownTable(await latencyTable(history)),
    wrong: kinds.map((each) => ({
      ...each,
      reason: reason(each.code, { answers: each.total }),
      cause: shown('records-incomplete', { what: ['latencies'] }),
    })),
    passed: () => reason('latency-table-measured', { answers: answered.total }),
    nothing: () => reason('latency-table-empty'),
  });
}

const ordinaryAnswer = 'probe IS NULL AND status IS NOT NULL';

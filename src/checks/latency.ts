import { counted, number } from '../amounts.ts';
import type { History } from '../history/history.ts';
import { shown } from './diagnosis/cause.ts';
import { evidenceOf, find } from './found.ts';
import { checkLargeList } from './latency/large-list.ts';
import { checkRegular } from './latency/regular.ts';
import { checkSlo } from './latency/slo.ts';
import { latencyTable, shownTable } from './latency/table.ts';
import type { CheckResult } from './verdict.ts';

/** How long answers took, and whether the scenario's bounds on that hold. */
export async function checkLatency(history: History): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [index, slo] of history.run.slo.entries()) results.push(await checkSlo(history, slo, index + 1));
  return [
    ...results,
    ...(await checkRegular(history)),
    ...(await checkLargeList(history)),
    await checkTable(history),
  ];
}

/**
 * The table is data; what can be wrong with it is that a latency of an answer is missing, negative, or that an answer
 * came sooner after its intended instant than after its sending, which no real clock shows.
 */
async function checkTable(history: History): Promise<CheckResult> {
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
    title: 'Every answer has both latencies, and response time is never under service time',
    verdict,
    expected: 'for every answer to ordinary traffic: 0 ≤ service time ≤ response time',
    observed: shownTable(table),
    explanation:
      verdict === 'fail'
        ? `A defect of the harness or a damaged history: ${counted(unmeasured.total, 'answer')} without both latencies, ${number(impossible.total)} with latencies that cannot be.`
        : verdict === 'inconclusive'
          ? 'No ordinary request was answered.'
          : `Measured for ${counted(answered.total, 'answer')}; how long is too long is for the bounds of the scenario. Service time counts from the moment a request was sent; response time counts from the moment it was meant to be sent, so it includes what a shopper waits while the target is stuck. Milliseconds, exact.`,
    evidence: [
      ...evidenceOf('without both latencies', unmeasured),
      ...evidenceOf('latencies that cannot be', impossible),
    ],
    ...(verdict === 'fail' ? { causes: [shown('records-incomplete', { what: ['latencies'] })] } : {}),
  };
}

const ordinaryAnswer = 'probe IS NULL AND status IS NOT NULL';

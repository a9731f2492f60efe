import type { History } from '../history/history.ts';
import { checkSlo } from './latency/slo.ts';
import { latencyTable, shownTable } from './latency/table.ts';
import type { CheckResult } from './verdict.ts';

/** How long answers took, and whether the scenario's bounds on that hold. */
export async function checkLatency(history: History): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [index, slo] of history.run.slo.entries()) results.push(await checkSlo(history, slo, index + 1));
  results.push(await checkTable(history));
  return results;
}

async function checkTable(history: History): Promise<CheckResult> {
  const table = await latencyTable(history);
  return {
    id: 'latency.table',
    title: 'Latencies by endpoint and status',
    verdict: table.length === 0 ? 'inconclusive' : 'pass',
    expected: 'answers to measure',
    observed: shownTable(table),
    explanation:
      table.length === 0
        ? 'No ordinary request was answered.'
        : 'Service time counts from the moment a request was sent; response time counts from the moment it was meant to be sent, so it includes what a shopper waits while the target is stuck. Milliseconds, exact.',
    evidence: [],
  };
}

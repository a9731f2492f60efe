import type { History } from '../history/history.ts';
import { causesByField } from './analytics/causes/causes.ts';
import { freshnessOf } from './analytics/freshness/freshness.ts';
import { freshnessResult, withAge } from './analytics/freshness/freshness-verdict.ts';
import { checkClockSet } from './analytics/record/clock.ts';
import { conventionsResult } from './analytics/results/discovered.ts';
import { fieldResults, fieldVerdict } from './analytics/results/fields.ts';
import { relationResults } from './analytics/results/relations.ts';
import { sessionsResult } from './analytics/results/sessions.ts';
import { judgeStable } from './analytics/results/stability.ts';
import { analyticsTable } from './analytics/results/table.ts';
import type { CheckFinding } from './core/verdict.ts';

/**
 * Judges every answer of GET /analytics/sessions against what the history says it has to be, as intervals, and the
 * histories that GET /sessions/{id} returned against the events of the run.
 */
export async function checkAnalytics(history: History): Promise<CheckFinding[]> {
  const freshness = await freshnessOf(history);
  const table = await analyticsTable(history);
  const { analytics } = history.profile;
  const stability = judgeStable(table, analytics.exclusive);
  const causes = await causesByField(history, table, stability.changing);
  const results = [
    ...fieldResults(table, causes),
    ...relationResults(table, causes, analytics.decimals),
    stability.result,
    freshnessResult(freshness, fieldVerdict(table.rows, 'totalSessions')),
    sessionsResult(history, table),
    conventionsResult(history, table, causes),
  ];
  return [...results.map((result) => withAge(freshness, result)), ...(await checkClockSet(history))];
}

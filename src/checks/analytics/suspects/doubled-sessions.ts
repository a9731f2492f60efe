import type { History } from '../../../history/history.ts';
import { fits } from '../../causes/cause.ts';
import { isUnlikely } from '../../core/by-connection.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import { createdSessions, shortOf } from './uncounted-sessions.ts';

/** No gateway is likely to give up sooner. */
const shortestTimeoutMs = 10;

/**
 * Totals that are too high by just the sessions whose creation took longest: one bound explains every total, of single
 * products as well. What gave up waiting sent the request again, and both were carried out.
 */
export async function slowTwice(history: History, table: AnalyticsTable): Promise<SuspectHypothesis[]> {
  const { rows, search } = table;
  const wrong = wrongRows(table, 'total_sessions');
  if (search === undefined || wrong.length === 0) return [];
  const all = await createdSessions(history);
  if (all === undefined) return [];
  const { of } = search.chosen.evaluation.frame.account;
  const known = rows.flatMap((row) => {
    const short = shortOf(row, all, of[row.query.credential]);
    if (short === undefined) return [];
    const tookMs = short.sessions.map(({ took_ms }) => took_ms).toSorted((a, b) => b - a);
    return [{ row, tookMs, more: -short.missing }];
  });
  if (!wrong.every((row) => known.some((each) => each.row === row))) return [];
  if (known.some(({ more, tookMs }) => more < 0 || more > tookMs.length)) return [];
  const leastMs = Math.min(...known.map(({ more, tookMs }) => tookMs[more - 1] ?? Number.POSITIVE_INFINITY));
  const underMs = Math.max(...known.map(({ more, tookMs }) => tookMs[more] ?? 0));
  const [most] = known.toSorted((a, b) => b.more - a.more);
  if (most === undefined || leastMs <= underMs || leastMs < shortestTimeoutMs) return [];
  const figures = { sessions: most.more, of: most.tookMs.length };
  return isUnlikely({ failed: figures.sessions, requests: figures.of }, 0)
    ? hypotheses(table, ['total_sessions'], (seqs) =>
        fits('slow-creations-twice', { ...figures, leastMs }, seqs),
      )
    : [];
}

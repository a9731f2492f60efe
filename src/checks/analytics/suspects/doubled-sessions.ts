import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { fits } from '../../causes/cause.ts';
import { isUnlikely } from '../../core/by-connection.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnalyticsTable } from '../compare/table.ts';

const createdSession = z.object({
  credential: z.string(),
  product_id: z.string().nullable(),
  took_ms: z.number(),
});

/** More sessions are not looked at one by one. */
const mostSessions = 200_000;

/**
 * Totals that are too high by just the sessions whose creation took longest: one bound explains every total, of single
 * products as well. What gave up waiting sent the request again, and both were carried out.
 */
export async function slowTwice(history: History, table: AnalyticsTable): Promise<SuspectHypothesis[]> {
  const { rows, search } = table;
  const wrong = wrongRows(table, 'total_sessions');
  if (search === undefined || wrong.length === 0) return [];
  const all = await history.rows(
    createdSession,
    `SELECT s.credential, s.product_id, (r.answered_ns - r.sent_ns) / 1e6 AS took_ms
     FROM sessions s JOIN requests r ON r.seq = s.seq WHERE s.granted AND NOT s.again
     ORDER BY took_ms DESC LIMIT ${mostSessions + 1}`,
  );
  if (all.length > mostSessions) return [];
  const { of } = search.chosen.evaluation.frame.account;
  const known = rows.flatMap((row) => {
    const { expected, returned } = row.totalSessions;
    const keys: readonly string[] = of[row.query.credential];
    const tookMs = all
      .filter(
        ({ credential, product_id }) =>
          keys.includes(credential) && (row.query.productId === null || product_id === row.query.productId),
      )
      .map(({ took_ms }) => took_ms);
    // Others are of another period, or count what is not known.
    const isKnown = expected?.min === tookMs.length && expected.max === tookMs.length && returned !== null;
    return isKnown ? [{ row, tookMs, more: returned - tookMs.length }] : [];
  });
  if (!wrong.every((row) => known.some((each) => each.row === row))) return [];
  if (known.some(({ more, tookMs }) => more < 0 || more > tookMs.length)) return [];
  const leastMs = Math.min(...known.map(({ more, tookMs }) => tookMs[more - 1] ?? Number.POSITIVE_INFINITY));
  const underMs = Math.max(...known.map(({ more, tookMs }) => tookMs[more] ?? 0));
  const [most] = known.toSorted((a, b) => b.more - a.more);
  if (most === undefined || leastMs <= underMs) return [];
  const figures = { sessions: most.more, of: most.tookMs.length };
  return isUnlikely({ failed: figures.sessions, requests: figures.of }, 0)
    ? hypotheses(table, ['total_sessions'], (seqs) =>
        fits('slow-creations-twice', { ...figures, leastMs }, seqs),
      )
    : [];
}

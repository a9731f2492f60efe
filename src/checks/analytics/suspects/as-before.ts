import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { answerFields } from '../../../vocabulary/analytics.ts';
import { fits } from '../../causes/cause.ts';
import { admitted } from '../../core/found.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import { askedSql } from './asked-sql.ts';

const repeatRow = z.object({ seq: z.number(), first: z.number(), lag_ms: z.number() });

/**
 * Wrong answers that are the same as an earlier answer to the same question, although sessions were created since, longer
 * ago than the profile allows. Answers that are wrong from the first on are no such thing, so some answer has to be right that counts
 * sessions.
 */
export async function answersAsBefore(history: History, table: AnalyticsTable): Promise<SuspectHypothesis[]> {
  const wrong = new Set(answerFields.flatMap((field) => wrongRows(table, field)).map(({ seq }) => seq));
  const isSomeRight = table.rows.some(
    ({ seq, totalSessions: { returned } }) => !wrong.has(seq) && (returned ?? 0) > 0,
  );
  if (wrong.size === 0 || !isSomeRight) return [];
  const { freshness: promisedMs } = history.profile.analytics;
  const repeats = await history.rows(
    repeatRow,
    `WITH ${askedSql}
     SELECT w.seq, min(e.seq) AS first, max(w.sent_ns - e.answered_ns) / 1e6 AS lag_ms
     FROM asked w JOIN asked e ON e.credential = w.credential AND e.start_date = w.start_date AND e.end_date = w.end_date
       AND e.product IS NOT DISTINCT FROM w.product AND e.body = w.body AND e.answered_ns + ${promisedMs * 1e6} < w.sent_ns
     WHERE w.seq IN (${[...wrong].join(', ')}) AND EXISTS (
       FROM requests c WHERE c.endpoint = 'create-session' AND c.${admitted} AND c.credential = w.credential
         AND (w.product IS NULL OR c.product_id = w.product)
         AND c.sent_ns > e.answered_ns AND c.answered_ns + ${promisedMs * 1e6} < w.sent_ns)
     GROUP BY w.seq`,
  );
  const earlier = new Map(repeats.map((repeat) => [repeat.seq, repeat]));
  const fields = answerFields.filter((field) =>
    wrongRows(table, field).every(({ seq }) => {
      const first = earlier.get(seq)?.first;
      return first !== undefined && !wrong.has(first);
    }),
  );
  const lagMs = Math.max(...repeats.map(({ lag_ms }) => lag_ms));
  return hypotheses(table, fields, (seqs) => fits('stale-analytics', { lagMs, promisedMs }, seqs)).map(
    (hypothesis) => ({ ...hypothesis, isCertain: true }),
  );
}

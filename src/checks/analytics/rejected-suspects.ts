import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { fits } from '../diagnosis/cause.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from './hypothesis.ts';
import type { AnswerRow } from './rows.ts';
import type { AnalyticsTable } from './table.ts';

const rejectedRow = z.object({
  credential: z.string(),
  product_id: z.string(),
  status: z.number(),
  sessions: z.number(),
});
type RejectedRow = z.output<typeof rejectedRow>;

/** Every wrong total has as many sessions too many as creations of its product were rejected with one status. */
export async function rejectedHypotheses(
  history: History,
  table: AnalyticsTable,
): Promise<SuspectHypothesis[]> {
  const wrong = wrongRows(table, 'total_sessions');
  if (!wrong.some(({ query }) => query.productId !== null)) return [];
  const rejected = await history.rows(
    rejectedRow,
    `SELECT credential, product_id, status, count(*) AS sessions FROM requests
     WHERE endpoint = 'create-session' AND status BETWEEN 400 AND 499 AND product_id IS NOT NULL GROUP BY ALL`,
  );
  return [...Map.groupBy(rejected, ({ status }) => status)].flatMap(([status, rows]) =>
    wrong.every((row) => isExplainedBy(rows, row))
      ? hypotheses(table, ['total_sessions'], (seqs) =>
          fits('rejections-have-effects', { sessions: mostBeyond(wrong), status }, seqs),
        )
      : [],
  );
}

function isExplainedBy(rejected: readonly RejectedRow[], row: AnswerRow): boolean {
  const { productId, credential } = row.query;
  const { expected, returned } = row.totalSessions;
  const counted = rejected
    .filter((each) => each.credential === credential && each.product_id === (productId ?? each.product_id))
    .reduce((sum, { sessions }) => sum + sessions, 0);
  if (expected === null || returned === null || counted === 0) return false;
  return returned >= expected.min + counted && returned <= expected.max + counted;
}

function mostBeyond(wrong: readonly AnswerRow[]): number {
  return wrong.reduce(
    (most, { totalSessions: { expected, returned } }) =>
      Math.max(most, (returned ?? 0) - (expected?.max ?? 0)),
    0,
  );
}

import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { fits } from '../../causes/cause.ts';
import { cellNames, hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import { askedSql } from './asked-sql.ts';

/** Answers for a product, whose wrong values are all those of the product that was asked for just before. */
export function mixedUpHypotheses(table: AnalyticsTable): SuspectHypothesis[] {
  const isOfOther = (row: AnswerRow): boolean => {
    const before = table.rows[table.rows.indexOf(row) - 1];
    return (
      before !== undefined && isSameAnswer(row, before) && row.query.productId !== before.query.productId
    );
  };
  const fields = answerFields.filter((field: AnswerField) => {
    const wrong = wrongRows(table, field);
    return wrong.length > 0 && wrong.every(isOfOther);
  });
  return hypotheses(table, fields, (seqs) => fits('answers-mixed-up', { fields }, seqs));
}

/** Two answers for a product that say the same of sessions and shades. None is like any other, and shows nothing. */
function isSameAnswer(row: AnswerRow, before: AnswerRow): boolean {
  const textOf = (each: AnswerRow): string =>
    JSON.stringify(answerFields.map((field) => each[cellNames[field]].returned));
  return (
    row.query.productId !== null &&
    before.query.productId !== null &&
    before.totalSessions.verdict === 'pass' &&
    (row.topShades.returned?.length ?? 0) > 0 &&
    textOf(row) === textOf(before)
  );
}

/**
 * Wrong answers each of which is word for word the right answer to another query that was under way at the same time. Zeros are
 * alike everywhere, and show nothing.
 */
export async function answersOfOthersAtOnce(
  history: History,
  table: AnalyticsTable,
): Promise<SuspectHypothesis[]> {
  const wrong = answerFields.flatMap((field) => wrongRows(table, field));
  if (wrong.length === 0) return [];
  const seqs = wrong.map(({ seq }) => seq).join(', ');
  const found = await history.rows(
    z.object({ seq: z.number() }),
    `WITH ${askedSql}
     SELECT DISTINCT w.seq FROM asked w JOIN asked e ON e.seq != w.seq AND e.body = w.body
       AND (e.start_date, e.end_date, e.product) IS DISTINCT FROM (w.start_date, w.end_date, w.product)
       AND e.sent_ns <= w.answered_ns AND w.sent_ns <= e.answered_ns
     WHERE TRY_CAST(w.body ->> 'total_sessions' AS DOUBLE) > 0 AND w.seq IN (${seqs}) AND e.seq NOT IN (${seqs})`,
  );
  const taken = new Set(found.map(({ seq }) => seq));
  const fields = answerFields.filter((field) => wrongRows(table, field).every(({ seq }) => taken.has(seq)));
  return hypotheses(table, fields, (shownBy) => fits('answers-of-others-at-once', {}, shownBy)).map(
    (hypothesis) => ({ ...hypothesis, isCertain: true }),
  );
}

/**
 * Wrong answers each of which is the answer to an earlier query with the same dates for another product, or for all. One of
 * them is for all products, and has the numbers of one: a filter that is ignored, or too wide, gives no such answer.
 * Zeros are alike everywhere, and show nothing.
 */
export async function answersOfOthers(history: History, table: AnalyticsTable): Promise<SuspectHypothesis[]> {
  const wrong = answerFields.flatMap((field) => wrongRows(table, field));
  if (!wrong.some(({ query }) => query.productId === null)) return [];
  const found = await history.rows(
    z.object({ seq: z.number() }),
    `WITH ${askedSql}
     SELECT DISTINCT w.seq FROM asked w JOIN asked e ON e.credential = w.credential AND e.start_date = w.start_date
       AND e.end_date = w.end_date AND e.product IS DISTINCT FROM w.product AND e.body = w.body AND e.sent_ns < w.sent_ns
     WHERE TRY_CAST(w.body ->> 'total_sessions' AS DOUBLE) > 0 AND w.seq IN (${wrong.map(({ seq }) => seq).join(', ')})`,
  );
  const taken = new Set(found.map(({ seq }) => seq));
  const fields = answerFields.filter((field) => wrongRows(table, field).every(({ seq }) => taken.has(seq)));
  return hypotheses(table, fields, (seqs, named) => fits('answers-mixed-up', { fields: named }, seqs)).map(
    (hypothesis) => ({ ...hypothesis, isCertain: true }),
  );
}

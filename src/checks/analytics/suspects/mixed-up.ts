import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { fits } from '../../causes/cause.ts';
import { cellNames, hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';

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

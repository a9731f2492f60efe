import { answerFields } from '../../../vocabulary/analytics.ts';
import { fits } from '../../causes/cause.ts';
import { cellNames, hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';

/** Ids that no software reads as anything but themselves. */
const plain = /^[\w-]+$/;

/**
 * Answers are wrong for products with unusual ids alone, and right for others: answers for all products are, too, or their totals
 * are wrong by as much as those of these products together.
 */
export function unusualIdHypotheses(table: AnalyticsTable): SuspectHypothesis[] {
  const isUnusual = ({ query: { productId } }: AnswerRow): boolean =>
    productId !== null && !plain.test(productId);
  // A wrong answer for a product with a plain id refutes it, in whichever field.
  const isPlain = (row: AnswerRow): boolean => row.query.productId !== null && !isUnusual(row);
  if (answerFields.some((field) => wrongRows(table, field).some(isPlain))) return [];
  const areSums = sumsFit(table);
  const fields = answerFields.filter((field) => {
    const wrong = wrongRows(table, field).filter((row) => !areSums || row.query.productId !== null);
    return (
      wrong.length > 0 &&
      wrong.every(isUnusual) &&
      table.rows.some((row) => row.query.productId !== null && row[cellNames[field]].verdict === 'pass')
    );
  });
  const products = new Set(
    fields.flatMap((field) => wrongRows(table, field)).flatMap(({ query }) => query.productId ?? []),
  );
  return hypotheses(table, fields, (seqs) =>
    fits('product-id-misread', { products: [...products].toSorted() }, seqs),
  );
}

/** Whether each wrong total of all products is off by what the wrong totals of single products are off by together. */
function sumsFit(table: AnalyticsTable): boolean {
  const wrong = wrongRows(table, 'total_sessions');
  const ofProducts = new Map(
    wrong.flatMap((row) =>
      row.query.productId === null ? [] : [[row.query.productId, offBy(row)] as const],
    ),
  );
  const sum = [...ofProducts.values()].reduce((total, each) => total + each, 0);
  const ofAll = wrong.filter(({ query }) => query.productId === null);
  return ofAll.length > 0 && ofAll.every((row) => offBy(row) === sum);
}

/** By how many sessions a total is too low; not a number where that is not known to one. */
function offBy({ totalSessions: { expected, returned } }: AnswerRow): number {
  return expected === null || returned === null || expected.min !== expected.max
    ? Number.NaN
    : expected.min - returned;
}

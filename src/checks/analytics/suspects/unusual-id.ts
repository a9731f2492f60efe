import { answerFields } from '../../../vocabulary/analytics.ts';
import { fits } from '../../causes/cause.ts';
import { cellNames, hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';

/** Ids that no software reads as anything but themselves. */
const plain = /^[\w-]+$/;

/** Answers are wrong for products with unusual ids alone, and right for others. */
export function unusualIdHypotheses(table: AnalyticsTable): SuspectHypothesis[] {
  const isUnusual = ({ query: { productId } }: AnswerRow): boolean =>
    productId !== null && !plain.test(productId);
  const fields = answerFields.filter((field) => {
    const wrong = wrongRows(table, field);
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

import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import type { Suspect } from '../../causes/cause.ts';
import type { Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { CausesByField } from '../causes/causes.ts';
import { type AnswerRow, cellNames, families } from '../compare/answer-row.ts';
import { inQuery } from './field-reasons.ts';
import type { AnalyticsTable } from './table.ts';

/** Answers that are told one by one. */
const mostTold = 3;

/** Why the total of an answer is not right, or where it is, the list of shades. */
function troubleOf({ query, topShades, totalSessions }: AnswerRow): Reason[] {
  const { reasons } = totalSessions.verdict === 'pass' ? topShades : totalSessions;
  return inQuery(query.label, reasons);
}

/**
 * Every product's answer is about that product. `causes`: what explains the wrong fields; where it is that the filter is ignored, each
 * answer that shows it is told.
 */
export function judgeProductFilter(table: AnalyticsTable, causes: CausesByField): Relation {
  const isIgnored = ({ cause }: Suspect): boolean => cause.code === 'product-filter-ignored';
  const ignored = answerFields.filter((field) => causes[field].some(isIgnored));
  const telling: AnswerRow[] = [];
  const unfiltered: { row: AnswerRow; fields: readonly AnswerField[] }[] = [];
  const otherwise: AnswerRow[] = [];
  const doubtful: AnswerRow[] = [];
  for (const { whole, products } of families(table.rows)) {
    for (const row of products) {
      // Of another account's product nothing is expected, filtered or not.
      if (whole === undefined && row.totalSessions.expected?.max === 0) continue;
      const fields = ignored.filter((field) => row[cellNames[field]].verdict === 'fail');
      const expected = row.totalSessions.expected;
      const outside = whole?.totalSessions.expected?.min ?? Number.POSITIVE_INFINITY;
      if (fields.length > 0) unfiltered.push({ row, fields });
      else if (row.totalSessions.verdict === 'fail' || row.topShades.verdict === 'fail') otherwise.push(row);
      else if (row.totalSessions.verdict === 'inconclusive') doubtful.push(row);
      else if (expected !== null && expected.max < outside) telling.push(row);
    }
  }
  const seqs = (rows: readonly AnswerRow[]): number[] => rows.map((row) => row.seq);
  if (unfiltered.length > 0)
    return {
      verdict: 'fail',
      reasons: [
        reason('filter-ignored', { answers: unfiltered.length }),
        ...unfiltered
          .slice(0, mostTold)
          .map((each) => reason('filter-ignored-in', { query: each.row.query.label, fields: each.fields })),
      ],
      seqs: seqs(unfiltered.map(({ row }) => row)),
      causes: ignored.flatMap((field) => causes[field].filter(isIgnored)).slice(0, 1),
    };
  if (otherwise.length > 0) {
    const wholeIsWrong = table.rows.some(
      (row) =>
        row.query.productId === null &&
        (row.totalSessions.verdict === 'fail' || row.topShades.verdict === 'fail'),
    );
    return {
      verdict: wholeIsWrong ? 'inconclusive' : 'fail',
      reasons: [
        reason('filter-answers-wrong', { answers: otherwise.length, isWholeWrong: wholeIsWrong }),
        ...(wholeIsWrong ? [] : otherwise.slice(0, mostTold).flatMap(troubleOf)),
      ],
      seqs: seqs(otherwise),
    };
  }
  if (doubtful.length > 0)
    return {
      verdict: 'inconclusive',
      reasons: [
        reason('filter-unclear', { answers: doubtful.length }),
        ...doubtful.slice(0, 1).flatMap(troubleOf),
      ],
      seqs: seqs(doubtful),
    };
  return telling.length === 0
    ? { verdict: 'inconclusive', reasons: [reason('filter-not-shown')] }
    : { verdict: 'pass', reasons: [reason('filter-applied', { answers: telling.length })] };
}

/** Relations between answers, which need no ground truth: what they share. */

/** A judgement on one relation, with the requests that show it. */
export interface Relation {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly seqs?: readonly number[];
  /** Of a failure: what it shows by itself. */
  readonly causes?: readonly Suspect[];
}

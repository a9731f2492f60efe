import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { fits } from '../../causes/cause.ts';
import { cellNames, hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';

type DateBound = 'start_date' | 'end_date';

/**
 * Answers whose wrong values are all those of a longer period, as if one of the two dates had not been given. An answer that
 * names another period as well is rather the answer to another question.
 */
export function ignoredBounds(table: AnalyticsTable): SuspectHypothesis[] {
  const right = table.rows.filter(
    ({ totalSessions }) => totalSessions.verdict === 'pass' && (totalSessions.returned ?? 0) > 0,
  );
  const latest = right
    .map(({ query }) => query.endDate)
    .reduce((one, other) => (other > one ? other : one), '');
  return (['start_date', 'end_date'] as const).flatMap((bound) => {
    const fields = answerFields.filter((field) => {
      const wrong = wrongRows(table, field);
      return (
        wrong.length > 0 &&
        wrong.every(({ period }) => period.verdict !== 'fail') &&
        wrong.every((row) =>
          right.some((longer) => isWithout(bound, row, longer, latest) && isSame(field, row, longer)),
        )
      );
    });
    return hypotheses(table, fields, (seqs) => fits('period-bound-ignored', { bound }, seqs));
  });
}

/**
 * Totals of several days that lack just those of their last day, where that day alone has them. A convention would leave it
 * out of all periods.
 */
export function lastDaysLeftOut(table: AnalyticsTable): SuspectHypothesis[] {
  const wrong = new Set(wrongRows(table, 'total_sessions'));
  const several = table.rows.flatMap((row) => {
    const { credential, endDate, productId, startDate } = row.query;
    if (startDate === endDate) return [];
    const day = table.rows.find(
      ({ query, totalSessions }) =>
        query.startDate === endDate &&
        query.endDate === endDate &&
        query.credential === credential &&
        query.productId === productId &&
        totalSessions.verdict === 'pass' &&
        (totalSessions.expected?.min ?? 0) > 0,
    );
    return day === undefined ? [] : [{ row, day }];
  });
  const areWithout = several.every(({ day, row: { totalSessions } }) => {
    const [whole, last] = [totalSessions.expected, day.totalSessions.expected];
    if (whole === null || last === null || totalSessions.returned === null) return false;
    return totalSessions.returned >= whole.min - last.max && totalSessions.returned <= whole.max - last.min;
  });
  const isEach = [...wrong].every((row) => several.some((each) => each.row === row));
  return areWithout && isEach
    ? hypotheses(table, ['total_sessions'], (seqs) => fits('last-day-left-out', {}, seqs))
    : [];
}

/**
 * Whether an answer is that to the question of another one without a bound. Before the first session no start makes a difference,
 * and beyond the latest period with sessions no end does.
 */
function isWithout(
  bound: DateBound,
  { query }: AnswerRow,
  { query: longer }: AnswerRow,
  latest: string,
): boolean {
  if (query.credential !== longer.credential || query.productId !== longer.productId) return false;
  return bound === 'start_date'
    ? (query.endDate > latest ? latest : query.endDate) === longer.endDate &&
        longer.startDate < query.startDate
    : query.startDate <= longer.startDate && longer.endDate > query.endDate;
}

function isSame(field: AnswerField, row: AnswerRow, longer: AnswerRow): boolean {
  const text = (each: AnswerRow): string => JSON.stringify(each[cellNames[field]].returned);
  return text(row) === text(longer);
}

import type { AnswerField } from '../../../vocabulary/analytics.ts';
import { reason } from '../../reasons/reason.ts';
import { type AnswerChange, changeCauses, changedFields, changeReason, isSame } from '../compare/changes.ts';
import type { QueryAnswer } from '../record/questions.ts';
import type { Relation } from './product-filter.ts';
import type { AnalyticsTable } from './table.ts';

/** Changes that are told one by one. */
const mostTold = 3;

/** What the same question got differently. */
export interface Stability extends Relation {
  readonly changing: readonly AnswerField[];
}

/**
 * The same question, nothing having happened in between, gets the same answer, order included. Products are the run's
 * own, so that is so of every filtered answer; an unfiltered one may grow while others use the account.
 */
export function judgeStable(table: AnalyticsTable, exclusive: boolean): Stability {
  const { judged, early, queries } = table.questions;
  const settled = new Set(table.rows.filter((row) => row.timely).map((row) => row.seq));
  let same = 0;
  const seqs: number[] = [];
  const changes: AnswerChange[] = [];
  let doubtful = 0;
  let grown = 0;
  for (const query of queries) {
    const reads = judged.filter((answer) => answer.query === query.index && settled.has(answer.seq));
    const [first] = reads;
    if (first === undefined) continue;
    const closed = exclusive || query.productId !== null;
    const other = reads.find((answer, place) => {
      const before = reads[place - 1];
      return before !== undefined && !mayFollow(table, before, answer, closed);
    });
    // An early answer that is already complete is a read of the same data; one that differs may have been on its way.
    const before = early.filter((answer) => answer.query === query.index);
    if (other !== undefined) {
      const previous = reads[reads.indexOf(other) - 1] ?? first;
      seqs.push(previous.seq, other.seq);
      changes.push({ query: query.label, before: previous.returned, after: other.returned });
    } else if (reads.some((answer) => !isSame(answer.returned, first.returned))) grown++;
    else if (reads.length > 1 || before.some((answer) => isSame(answer.returned, first.returned))) same++;
    else doubtful++;
  }
  if (changes.length > 0)
    return {
      verdict: 'fail',
      reasons: [reason('stable-differs'), ...changes.slice(0, mostTold).map(changeReason)],
      seqs,
      changing: changedFields(changes).filter((field) => field !== 'period'),
      causes: changeCauses(changes, false, seqs),
    };
  if (same === 0)
    return {
      verdict: 'inconclusive',
      reasons: [reason(doubtful + grown === 0 ? 'stable-not-fresh' : 'stable-not-repeated', {})],
      changing: [],
    };
  return {
    verdict: 'pass',
    reasons: [
      reason('stable-same', { queries: same }),
      ...(grown === 0 ? [] : [reason('stable-grown', { queries: grown })]),
    ],
    changing: [],
  };
}

/** Whether `after` may come after `before`. Others only ever add sessions; a total that shows none of theirs is ours alone. */
function mayFollow(table: AnalyticsTable, before: QueryAnswer, after: QueryAnswer, closed: boolean): boolean {
  if (isSame(before.returned, after.returned)) return true;
  if (closed || (isOwnAlone(table, before) && isOwnAlone(table, after))) return false;
  if (before.returned.period !== after.returned.period) return false;
  const [earlier, later] = [before.returned.totalSessions, after.returned.totalSessions];
  return earlier === null || later === null || later >= earlier;
}

/** The answer's total leaves no room for sessions of others. */
function isOwnAlone(table: AnalyticsTable, answer: QueryAnswer): boolean {
  const place = table.questions.judged.indexOf(answer);
  return table.search?.chosen.evaluation.of.circumstances[place]?.noForeign ?? false;
}

import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import type { FieldChange } from '../../reasons/analytics/words.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { cellNames } from '../compare/answer-row.ts';
import { Comparisons } from '../compare/comparisons.ts';
import type { QueryAnswer, Returned } from '../record/questions.ts';
import { noAnswers } from './fields.ts';
import type { AnalyticsTable } from './table.ts';

/** What the same question got differently, where nothing happened meanwhile. */

interface AnswerChange {
  /** The question, in words. */
  readonly query: string;
  readonly before: Returned;
  readonly after: Returned;
}

/** Alike in every field, the order of top_shades included. */
export function isSame(a: Returned, b: Returned): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The fields besides top_shades that differ, with their values. */
function changedValues({ after, before }: AnswerChange): FieldChange[] {
  const all = [
    { field: 'period', before: before.period, after: after.period },
    ...(['total_sessions', 'avg_shades_per_session', 'cart_intent_rate'] as const).map((field) => ({
      field,
      before: before[cellNames[field]],
      after: after[cellNames[field]],
    })),
  ];
  return all.filter((each) => each.before !== each.after);
}

/** Whether lists differ at most in the order of shades with equally many selections. */
function areTies({ after, before }: AnswerChange): boolean {
  const sorted = ({ topShades }: Returned): string =>
    JSON.stringify(topShades?.map(({ selections, sku }) => `${selections} ${sku}`).toSorted());
  const counts = ({ topShades }: Returned): string =>
    JSON.stringify(topShades?.map(({ selections }) => selections));
  return sorted(before) === sorted(after) || counts(before) === counts(after);
}

export function changeReason(change: AnswerChange): Reason {
  const changes = changedValues(change);
  return reason('answer-changed', { query: change.query, changes, isTie: areTies(change) });
}

/** The fields that differ, those whose ties alone are in another order apart. */
export function changedFields(changes: readonly AnswerChange[]): (AnswerField | 'period')[] {
  return (['period', ...answerFields] as const).filter((field) =>
    changes.some((change) =>
      field === 'top_shades' ? !areTies(change) : changedValues(change).some((each) => each.field === field),
    ),
  );
}

/** `isMixed`: the answer may be that to the question before, since it was the same twice in a row. */
export function changeCauses(
  changes: readonly AnswerChange[],
  isMixed: boolean,
  seqs: readonly number[],
): Suspect[] {
  const fields = changedFields(changes);
  if (fields.length === 0) return [shown('order-varies', { what: 'Shades with equal selections' }, seqs)];
  return isMixed
    ? [fits('answers-mixed-up', { fields }, seqs), fits('answers-vary', { fields }, seqs)]
    : [shown('answers-vary', { fields }, seqs)];
}

/** What the same question got differently. */
interface Stability {
  readonly changing: readonly AnswerField[];
  readonly result: CheckFinding;
}

/**
 * The same question, nothing having happened in between, gets the same answer, order included. Products are the run's
 * own, so that is so of every filtered answer; an unfiltered one may grow while others use the account.
 */
export function judgeStable(table: AnalyticsTable, exclusive: boolean): Stability {
  const { judged, early, queries } = table.questions;
  const settled = new Set(table.rows.filter((row) => row.timely).map((row) => row.seq));
  const changes: (AnswerChange & { readonly seqs: readonly number[] })[] = [];
  const findings = new Comparisons();
  let [once, grown] = [0, 0];
  for (const { index, label, productId } of queries) {
    const reads = judged.filter(({ query, seq }) => query === index && settled.has(seq));
    const [first] = reads;
    if (first === undefined) continue;
    const closed = exclusive || productId !== null;
    const isLikeFirst = ({ returned }: QueryAnswer): boolean => isSame(returned, first.returned);
    const [change] = reads.flatMap((after, place) => {
      const before = reads[place - 1];
      return before === undefined || mayFollow(table, before, after, closed) ? [] : { before, after };
    });
    if (change !== undefined) {
      const { after, before } = change;
      changes.push({
        ...{ query: label, before: before.returned, after: after.returned },
        seqs: [before.seq, after.seq],
      });
    } else if (!reads.every(isLikeFirst)) grown++;
    // An early answer that is already complete is a read of the same data; one that differs may have been on its way.
    else if (reads.length > 1 || early.some((answer) => answer.query === index && isLikeFirst(answer)))
      findings.made();
    else once++;
  }
  const all = changes.flatMap(({ seqs }) => seqs);
  const causes = changes.length === 0 ? [] : changeCauses(changes, false, all);
  for (const change of changes) findings.made({ reason: changeReason(change), seqs: change.seqs, causes });
  findings.nothing =
    table.rows.length === 0
      ? noAnswers(table)
      : reason(once + grown === 0 ? 'stable-not-fresh' : 'stable-not-repeated', {});
  if (grown > 0 && findings.judged > 0) findings.also.push(reason('stable-grown', { queries: grown }));
  return {
    changing: changedFields(changes).filter((field) => field !== 'period'),
    result: findings.result('analytics.stable'),
  };
}

/** Whether `after` may come after `before`. Others only ever add sessions; a total that shows none of theirs is ours alone. */
function mayFollow(table: AnalyticsTable, before: QueryAnswer, after: QueryAnswer, closed: boolean): boolean {
  if (isSame(before.returned, after.returned)) return true;
  // The answer's total leaves no room for sessions of others.
  const isOwnAlone = (answer: QueryAnswer): boolean =>
    table.search?.chosen.evaluation.of.circumstances[table.questions.judged.indexOf(answer)]?.noForeign ??
    false;
  if (closed || (isOwnAlone(before) && isOwnAlone(after))) return false;
  if (before.returned.period !== after.returned.period) return false;
  const [earlier, later] = [before.returned.totalSessions, after.returned.totalSessions];
  return earlier === null || later === null || later >= earlier;
}

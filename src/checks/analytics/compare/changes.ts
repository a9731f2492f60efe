import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { FieldChange } from '../../reasons/analytics/words.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Returned } from '../record/questions.ts';
import { cellNames } from './answer-row.ts';

/** What the same question got differently, where nothing happened meanwhile. */

export interface AnswerChange {
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

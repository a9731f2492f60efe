import type { AnswerField } from '../../../vocabulary/analytics.ts';
import type { Suspect } from '../../causes/cause.ts';
import type { AnswerRow } from './rows.ts';
import type { AnalyticsTable } from './table.ts';

/** A cause, and the fields in which it explains every wrong value. */
export interface SuspectHypothesis {
  readonly suspect: Suspect;
  readonly fields: readonly AnswerField[];
  /** Nothing else can have shown it, whatever else fits the same values. */
  readonly isCertain?: boolean;
}

/** The cell of a row for a field as the answer names it. */
export const cellNames = {
  total_sessions: 'totalSessions',
  avg_shades_per_session: 'avgShadesPerSession',
  cart_intent_rate: 'cartIntentRate',
  top_shades: 'topShades',
} as const satisfies Readonly<Record<AnswerField, keyof AnswerRow>>;

/** Answers in which a field is wrong. */
export function wrongRows({ rows }: Pick<AnalyticsTable, 'rows'>, field: AnswerField): AnswerRow[] {
  return rows.filter((row) => row[cellNames[field]].verdict === 'fail');
}

/** A cause of what is wrong in some fields, with the answers that show it; none where all of them are right. */
export function hypotheses(
  table: Pick<AnalyticsTable, 'rows'>,
  fields: readonly AnswerField[],
  suspect: (seqs: readonly number[], wrong: readonly AnswerField[]) => Suspect,
): SuspectHypothesis[] {
  const wrong = fields.filter((field) => wrongRows(table, field).length > 0);
  const seqs = wrong.flatMap((field) => wrongRows(table, field)).map(({ seq }) => seq);
  return wrong.length === 0 ? [] : [{ suspect: suspect([...new Set(seqs)], wrong), fields: wrong }];
}

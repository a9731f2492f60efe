import type { Suspect } from '../diagnosis/cause.ts';
import type { AnswerRow } from './rows.ts';
import type { AnalyticsTable } from './table.ts';
import type { AnswerField } from './vocabulary.ts';

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

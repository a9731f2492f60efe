import type { AnswerField } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import type { TopShade } from '../../../wire.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { ShadeBounds } from '../expect/expectation.ts';
import type { Query } from '../record/questions.ts';

/** One field of one answer: what came back, what it has to be, and whether it is. */
export interface AnswerCell<Value, Expected> {
  readonly returned: Value | null;
  /** Null where nothing can be said. */
  readonly expected: Expected | null;
  readonly verdict: Verdict;
  /** Why it is not a pass; none when it is. */
  readonly reasons: readonly Reason[];
}

/** One answer beside what it has to say, under the nearest conventions that the profile allows. */
export interface AnswerRow {
  readonly seq: number;
  readonly query: Query;
  /** Asked after the last event plus the freshness bound; a difference before that is inconclusive. */
  readonly timely: boolean;
  readonly period: AnswerCell<string, string>;
  readonly totalSessions: AnswerCell<number, Bounds>;
  readonly avgShadesPerSession: AnswerCell<number, Bounds>;
  readonly cartIntentRate: AnswerCell<number, Bounds>;
  /** `expected`: every SKU that may have been selected, most possible selections first. */
  readonly topShades: AnswerCell<readonly TopShade[], readonly ShadeBounds[]>;
}

/** The cell of a row for a field as the answer names it. */
export const cellNames = {
  total_sessions: 'totalSessions',
  avg_shades_per_session: 'avgShadesPerSession',
  cart_intent_rate: 'cartIntentRate',
  top_shades: 'topShades',
} as const satisfies Readonly<Record<AnswerField, keyof AnswerRow>>;

/** What is known of the shoppers' events, and why it is not enough where it is not. */
export interface Acts {
  readonly kind: 'known' | 'none' | 'unknown';
  readonly reasons: readonly Reason[];
}

import type { ConventionName } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import type { Reason } from '../../reasons/reason.ts';

/** What would tell apart the values of a convention that this run's answers leave open. */
export interface Separation {
  readonly convention: ConventionName;
  /** A query about this very run whose answer would tell, with what each value says of total_sessions. */
  readonly query: {
    readonly start_date: string;
    readonly end_date: string;
    readonly says: Readonly<Record<string, Bounds>>;
  } | null;
  /** The query, or what a shopper has to do first. */
  readonly reason: Reason;
}

/** One convention. Values as the profile has them, where it has that convention (`analytics.…`). */
export interface Inferred {
  readonly name: ConventionName;
  /** What the profile says; `discover` where it leaves it open, null where it has no such field. */
  readonly profile: string | null;
  /** Values that fit every answer, those of the chosen set first. One: it is known. Under no fit: the nearest set's. */
  readonly values: readonly string[];
}

import type { Catalog } from '../../../catalog/catalog.ts';
import type { Random } from '../../../random.ts';
import type { Keys } from '../../../target/keys.ts';
import type { RateLimit } from '../../../vocabulary/quantities.ts';
import type { Role } from '../../../vocabulary/roles.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Prober } from '../sending/prober.ts';
import type { ScopeOptions } from '../sending/scope.ts';
import type { Seen } from '../sending/seen.ts';
import type { Infer } from './infer-aside.ts';

export interface LimitsStudyOptions {
  readonly prober: Prober;
  readonly seen: Seen;
  readonly infer: Infer;
  readonly clock: Clock;
  readonly random: Random;
  readonly promised: RateLimit;
  /** How far the target's clock may be from ours. */
  readonly clockSkewMs: number;
  readonly keys: Keys;
  /** Other keys, and requests per second with them, one after another. Secrets. */
  readonly pool?: readonly string[];
  readonly otherKeysPerSecond?: number | undefined;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  readonly tries: ScopeOptions['tries'];
  /** Whether interactions spend the limit, as far as the profile says. */
  readonly interactionsCount: boolean | 'discover';
  /** The service was started for this run, so its keys have no other users just before. */
  readonly isFresh: boolean;
  /** The study is over by then, run nanoseconds. */
  readonly deadlineNs: number;
  /** Requests that it may send. */
  readonly mostRequests: number;
  /** Its current step, and the kinds of limiter that are still possible. */
  readonly onStep: (step: string, alive: readonly string[]) => void;
}

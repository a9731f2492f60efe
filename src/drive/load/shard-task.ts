import type { FileStates } from '../../history/writer.ts';
import type { PlanInput } from '../../plan/plan.ts';
import type { Shard } from '../../plan/shard.ts';
import type { Keys } from '../../target/keys.ts';
import type { Profile } from '../../target/profile.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { SpendCertainty } from '../ask/governor.ts';
import type { SampleShare } from '../ask/sample.ts';
import type { ClockZero } from '../clock/clock.ts';
import type { Cap } from '../record/ledger.ts';
import type { StatisticsShare } from '../record/statistics.ts';
import type { Observed } from './drive-options.ts';
import type { Start } from './load.ts';

/**
 * What a worker is given: the plan's input, not the scenario's file, since a script may return something else each
 * time. The plan is a pure function of this input.
 */
export interface ShardTask {
  readonly shard: Shard;
  readonly planInput: PlanInput;
  readonly baseUrl: string;
  readonly profile: Profile;
  /** Secrets, as are the further ones that no record may hold. They go from thread to thread within the process. */
  readonly keys: Keys;
  readonly secrets: readonly string[];
  /** Where the history is. */
  readonly runDir: string;
  /** Of the ledger. */
  readonly memory: SharedArrayBuffer;
  readonly zero: ClockZero;
  readonly cap: Cap;
  readonly seed: number;
  /** How many sessions are to be read back. */
  readonly readBack: number;
  /** The headers that a description of the target names; undefined where the run has none. */
  readonly described?: readonly string[] | undefined;
  /** The product whose sessions are counted. */
  readonly countedProductId: string | undefined;
  readonly observed?: Observed | undefined;
}

export type ToWorker =
  /** Drive the shard. */
  | { readonly kind: 'start'; readonly start: Start }
  /** Give up on what is in flight. */
  | { readonly kind: 'abort' };

/** Events since a worker's last message. */
export interface ShardProgress {
  readonly statistics: StatisticsShare;
  /** For the kill switch: outcomes by second of the run. */
  readonly outcomes: readonly { readonly second: number; readonly all: number; readonly failed: number }[];
  /** Requests that spent the rate limit of a role's key, or may have. */
  readonly spent: Readonly<Record<Role, Readonly<Record<SpendCertainty, number>>>>;
  /** Sessions granted on the product that is counted. */
  readonly granted: number;
}

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: ShardProgress }
  | {
      readonly kind: 'done';
      readonly progress: ShardProgress;
      readonly sample: SampleShare;
      /** Its segment of the history, closed; undefined when it could not be written. */
      readonly files: FileStates | undefined;
      readonly error: unknown;
    };

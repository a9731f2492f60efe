import type { Shard } from '../../src/plan/lanes.ts';
import type { Kind } from '../cost.ts';

/** What a worker is given. */
export interface ShardedTask {
  readonly base: string;
  readonly kind: Kind;
  /** Of all workers together. */
  readonly requests: number;
  /** Where the history is. */
  readonly folder: string;
  readonly shard: Shard;
  readonly memory: SharedArrayBuffer;
}

/** What it tells at its end. */
export interface ShardedUsage {
  readonly sent: number;
  readonly succeeded: number;
  /** CPU of its thread alone, once it is warm, µs for each request that is its own. */
  readonly cpuUsPerRequest: number;
}

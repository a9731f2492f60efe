import { usageError } from '../exit.ts';

/** One of several programs that send a plan together. */
export interface ShardName {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

/** More shards than this no store of notes was tried with. */
export const mostShards = 1_000;

/** Where engines that start many alike say which one a program is. */
const engines: readonly {
  readonly name: string;
  readonly index: string;
  readonly from: 0 | 1;
  /** Undefined where the engine does not say how many there are. */
  readonly count: string | undefined;
}[] = [
  { name: 'Kubernetes Indexed Job', index: 'JOB_COMPLETION_INDEX', from: 0, count: undefined },
  { name: 'AWS Batch', index: 'AWS_BATCH_JOB_ARRAY_INDEX', from: 0, count: 'AWS_BATCH_JOB_ARRAY_SIZE' },
  { name: 'Slurm', index: 'SLURM_ARRAY_TASK_ID', from: 0, count: 'SLURM_ARRAY_TASK_COUNT' },
  { name: 'Cloud Run', index: 'CLOUD_RUN_TASK_INDEX', from: 0, count: 'CLOUD_RUN_TASK_COUNT' },
  { name: 'GitLab', index: 'CI_NODE_INDEX', from: 1, count: 'CI_NODE_TOTAL' },
];

/**
 * What `--shard` says: `2/4`, or `auto/4` or `auto`, where an array engine says which shard (and of how many) this is.
 * Throws a usage error that says what was expected.
 */
export function parseShard(text: string, env: NodeJS.ProcessEnv): ShardName {
  const [, which, count] = /^(\d+|auto)(?:\/(\d+))?$/.exec(text) ?? [];
  if (which === undefined || (which !== 'auto' && count === undefined))
    throw usageError(`--shard: expected i/N such as 2/4, auto/N or auto, got ${text}`);
  const of = count === undefined ? undefined : Number(count);
  if (which === 'auto') return fromEngine(env, of);
  return checked({ index: Number(which), of: of ?? 0 }, `--shard ${text}`);
}

function fromEngine(env: NodeJS.ProcessEnv, told: number | undefined): ShardName {
  const engine = engines.find(({ index }) => env[index] !== undefined);
  if (engine === undefined)
    throw usageError(
      `--shard auto: none of ${engines.map(({ index }) => index).join(', ')} is in the environment`,
    );
  const numberIn = (name: string): number => {
    const text = env[name] ?? '';
    if (/^\d+$/.test(text)) return Number(text);
    throw usageError(`--shard auto: ${name}: expected a whole number, got ${JSON.stringify(text)}`);
  };
  const said =
    engine.count === undefined || env[engine.count] === undefined ? undefined : numberIn(engine.count);
  const of = told ?? said;
  if (of === undefined)
    throw usageError(`--shard auto: ${engine.name} does not say how many shards there are; use auto/N`);
  if (said !== undefined && said !== of)
    throw usageError(`--shard auto/${of}: ${engine.count} says that there are ${said}`);
  return checked({ index: numberIn(engine.index) + 1 - engine.from, of }, `--shard auto (${engine.name})`);
}

function checked(shard: ShardName, where: string): ShardName {
  const { index, of } = shard;
  if (of < 2 || of > mostShards) throw usageError(`${where}: expected 2 to ${mostShards} shards, got ${of}`);
  if (index < 1 || index > of) throw usageError(`${where}: expected a shard from 1 to ${of}, got ${index}`);
  return shard;
}

/** `shard 2 of 4`. */
export function shardWords({ index, of }: ShardName): string {
  return `shard ${index} of ${of}`;
}

/** The folder of a shard's run in the folder where all are gathered. */
export function shardFolder({ index, of }: ShardName): string {
  return `shard-${index}-of-${of}`;
}

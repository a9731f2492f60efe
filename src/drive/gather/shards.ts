import { isDeepStrictEqual } from 'node:util';
import { usageError } from '../../exit.ts';
import type { RunInfo } from '../../history/run.ts';

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

/** What of `run.json` has to be the same in each shard, in the order in which a difference is best told. */
const shared: Readonly<Record<string, (run: RunInfo) => unknown>> = {
  'the version of tryon': ({ versions }) => versions.tryon,
  scenario: ({ scenario }) => scenario.name,
  seed: ({ seed }) => seed,
  'number of shards': ({ shard }) => shard?.of,
  target: ({ target }) => target.base_url,
  profile: ({ profile }) => profile,
  keys: ({ keys }) =>
    Object.fromEntries(Object.entries(keys).map(([role, { fingerprint }]) => [role, fingerprint])),
  checks: ({ checks, slo }) => [checks, slo],
  phases: ({ phases }) => phases,
  'planned requests': ({ planned_by_lane, planned_requests }) => [planned_requests, planned_by_lane],
  description: ({ openapi }) => openapi?.sha256,
  catalogs: ({ catalogs, products }) => [catalogs, products],
  plan: ({ shard }) => shard?.plan,
  run: ({ id, zero_epoch_ms }) => [id, zero_epoch_ms],
};

/** In what two shards are not of one run: `seed: 7, not 8`; undefined if they are. */
export function differenceInRun(run: RunInfo, expected: RunInfo): string | undefined {
  for (const [name, of] of Object.entries(shared)) {
    const [here, there] = [of(run), of(expected)];
    if (isDeepStrictEqual(here, there)) continue;
    if (typeof here !== 'object') return `${name}: ${String(here)}, not ${String(there)}`;
    return `${name}: ${firstDifference(here, there)}`;
  }
  return undefined;
}

/** The first field in which two values differ, with both. */
function firstDifference(here: unknown, there: unknown, path = ''): string {
  if (isComposite(here) && isComposite(there)) {
    for (const key of new Set([...Object.keys(here), ...Object.keys(there)]))
      if (!isDeepStrictEqual(here[key], there[key]))
        return firstDifference(here[key], there[key], path === '' ? key : `${path}.${key}`);
  }
  const told = `${JSON.stringify(here) ?? 'nothing'}, not ${JSON.stringify(there) ?? 'nothing'}`;
  return path === '' ? told : `${path} is ${told}`;
}

function isComposite(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

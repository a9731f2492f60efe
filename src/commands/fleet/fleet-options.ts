import { mostShards } from '../../drive/gather/shards.ts';
import { type ArgumentsOf, numberOption, pick, positional, text, texts, wholeFrom } from '../option.ts';
import { profileOptions, runOptions } from '../options.ts';

/* The options of commands for several machines. Nothing here loads what such a command does. */

export const workerOptions = {
  redis: text('URL of Redis. Default: REDIS_URL of the environment, or redis://127.0.0.1:6379'),
  ...pick(profileOptions, 'env-file', 'allow-host'),
} as const;
export type WorkerArguments = ArgumentsOf<typeof workerOptions>;

/** What a worker gets of the options of a run. Keys, and the hosts that may get them, are the worker's own. */
export const shardOptions = {
  ...pick(
    runOptions,
    'target',
    'key',
    'rate-limit',
    'quota',
    'openapi',
    'assurance',
    'seed',
    'budget',
    'scale',
  ),
  ...pick(runOptions, 'max-requests', 'max-sessions', 'max-minutes'),
  profile: text('Target profile, a JSON file that each worker has under this path'),
  gather: { ...runOptions.gather, demandOption: true },
} as const;
export const fleetRunOptions = {
  scenario: positional('Name of a scenario, or path of a .ts file that each worker has', {
    default: 'launch',
  }),
  ...pick(workerOptions, 'redis', 'env-file'),
  shards: numberOption('shards', wholeFrom(2, mostShards), 'Parts of the plan, each for one worker', {
    demandOption: true,
  }),
  ...shardOptions,
  ...pick(runOptions, 'write-profile', 'verbose'),
} as const;
export type FleetRunArguments = ArgumentsOf<typeof fleetRunOptions>;

export const k8sOptions = {
  scenario: positional('Name of a scenario', { default: 'launch' }),
  shards: numberOption('shards', wholeFrom(2, mostShards), 'Parts of the plan, each for one pod', {
    demandOption: true,
  }),
  image: text('Image whose entry point is tryon', { demandOption: true }),
  gather: text('s3://BUCKET/PREFIX where the pods meet, or a folder on the volume of --claim', {
    demandOption: true,
  }),
  name: text('Name of the Jobs', { default: 'tryon' }),
  secret: texts('Secret whose entries become environment variables: keys of the target, credentials of S3'),
  claim: text('PersistentVolumeClaim (ReadWriteMany), mounted at /gathered'),
  minutes: numberOption('minutes', wholeFrom(1), 'A Job that takes longer is ended', { default: 60 }),
} as const;
export type K8sArguments = ArgumentsOf<typeof k8sOptions> & {
  /** What follows `--`: options of `tryon run`. */
  readonly '--'?: readonly string[];
};

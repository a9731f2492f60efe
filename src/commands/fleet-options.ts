import { mostShards } from '../gather/shard-name.ts';
import { type ArgumentsOf, numberOption, text, wholeFrom } from './options.ts';
import { runOptions } from './run.ts';
import { targetOptions } from './target-options.ts';

const common = {
  redis: text('URL of Redis. Default: REDIS_URL of the environment, or redis://127.0.0.1:6379'),
  'env-file': targetOptions['env-file'],
} as const;

export const workerOptions = { ...common, 'allow-host': targetOptions['allow-host'] } as const;

export type WorkerArguments = ArgumentsOf<typeof workerOptions>;

/** What a worker is told of a run. Keys, and the hosts that may get them, are the worker's own. */
export const askedOptions = {
  target: runOptions.target,
  profile: text('Target profile, a JSON file that each worker has under this path'),
  key: runOptions.key,
  'rate-limit': runOptions['rate-limit'],
  quota: runOptions.quota,
  openapi: runOptions.openapi,
  assurance: runOptions.assurance,
  seed: runOptions.seed,
  budget: runOptions.budget,
  gather: { ...runOptions.gather, demandOption: true },
  'start-at': runOptions['start-at'],
  'max-requests': runOptions['max-requests'],
  'max-sessions': runOptions['max-sessions'],
  'max-minutes': runOptions['max-minutes'],
} as const;

export const fleetRunOptions = {
  ...common,
  shards: numberOption('shards', wholeFrom(2, mostShards), 'Parts of the plan, each for one worker', {
    demandOption: true,
  } as const),
  ...askedOptions,
  'write-profile': runOptions['write-profile'],
  verbose: runOptions.verbose,
} as const;

export type FleetRunArguments = ArgumentsOf<typeof fleetRunOptions> & { readonly scenario: string };

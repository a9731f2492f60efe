import { systemWords, targetError, usageError } from '../exit.ts';
import { mostShards } from '../gather/shard-name.ts';
import { type ArgumentsOf, numberOption, text, wholeFrom } from './options.ts';
import { runOptions } from './run.ts';
import { descriptionOptions, promiseOptions, sampleOptions, targetOptions } from './target-options.ts';

const common = {
  redis: text('URL of Redis. Default: REDIS_URL of the environment, or redis://127.0.0.1:6379'),
  'env-file': targetOptions['env-file'],
} as const;

export const workerOptions = { ...common, 'allow-host': targetOptions['allow-host'] } as const;

/** What a worker is told of a run. Keys, and the hosts that may get them, are the worker's own. */
export const askedOptions = {
  target: runOptions.target,
  profile: text('Target profile, a JSON file that each worker has under this path'),
  key: runOptions.key,
  ...promiseOptions,
  ...descriptionOptions,
  ...sampleOptions,
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

export type WorkerArguments = ArgumentsOf<typeof workerOptions>;
export type FleetRunArguments = ArgumentsOf<typeof fleetRunOptions> & { readonly scenario: string };

/** The queues of BullMQ: of shards, which workers send, and of runs, each of which waits for its shards. */
export const queues = { shards: 'tryon-shards', runs: 'tryon-runs' } as const;

/** The Redis that is meant, once it has answered. Throws a usage or a target error without its password. */
export async function reachRedis(told: string | undefined, env: NodeJS.ProcessEnv): Promise<URL> {
  const url = URL.parse(told ?? env.REDIS_URL ?? 'redis://127.0.0.1:6379');
  if (url === null || !/^rediss?:$/.test(url.protocol))
    throw usageError('--redis: expected a URL such as redis://127.0.0.1:6379');
  const { Redis } = await import('ioredis');
  const tryOnce = { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null };
  const client = new Redis(url.href, tryOnce);
  // Each command is rejected as well.
  client.on('error', () => undefined);
  const answer = client.connect().then(() => client.ping());
  await answer
    .catch((error: unknown) => {
      throw targetError(`--redis: ${url.host} cannot be used: ${systemWords(error)}`, error);
    })
    .finally(() => client.disconnect());
  return url;
}

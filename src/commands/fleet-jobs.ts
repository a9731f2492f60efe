import { z } from 'zod';
import { systemWords, targetError, usageError } from '../exit.ts';
import { askedOptions } from './fleet-options.ts';

/** The queues of BullMQ: of shards, which workers send, and of runs, each of which waits for its shards. */
export const queues = { shards: 'tryon-shards', runs: 'tryon-runs' } as const;

const value = z.union([z.string(), z.number(), z.array(z.string())]);

/** What Redis holds of a shard: nothing secret. */
export const shardJob = z.strictObject({
  scenario: z.string(),
  /** `2/4`. */
  shard: z.string(),
  asked: z.partialRecord(z.enum(Object.keys(askedOptions) as (keyof typeof askedOptions)[]), value),
});
export type ShardJob = z.output<typeof shardJob>;

/** The command line of a shard: what was asked for, and the hosts that its worker allows. */
export function commandLine({ asked, scenario, shard }: ShardJob, allowHosts: readonly string[]): string[] {
  const options = { ...asked, shard, 'allow-host': [...allowHosts] };
  return [
    ...['run', scenario, '--yes'],
    ...Object.entries(options).flatMap(([name, given]) => [given].flat().map((each) => `--${name}=${each}`)),
  ];
}

/** The Redis that is meant, once it has answered. Throws a usage or a target error without its password. */
export async function reachRedis(told: string | undefined, env: NodeJS.ProcessEnv): Promise<FleetRedis> {
  const url = URL.parse(told ?? env.REDIS_URL ?? 'redis://127.0.0.1:6379');
  if (url === null || !/^rediss?:$/.test(url.protocol))
    throw usageError('--redis: expected a URL such as redis://127.0.0.1:6379');
  const { Redis } = await import('ioredis');
  const client = new Redis(url.href, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  // Each command is rejected as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    throw targetError(`--redis: ${url.host} cannot be used: ${systemWords(error)}`, error);
  } finally {
    client.disconnect();
  }
  return { url: url.href, host: url.host };
}

export interface FleetRedis {
  readonly url: string;
  /** For messages: the URL may hold a password. */
  readonly host: string;
}

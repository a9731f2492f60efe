import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'bullmq';
import { z } from 'zod';
import { exitCode, systemWords, targetError, usageError } from '../../exit.ts';
import { launcher } from '../../program-files.ts';
import { shardOptions, type WorkerArguments } from '../options.ts';
import { environment, onInterrupt } from '../shell.ts';

/** What Redis holds of a shard, such as `2/4`: nothing secret. */
const shardJob = z.strictObject({
  scenario: z.string(),
  shard: z.string(),
  asked: z.partialRecord(
    z.enum(Object.keys(shardOptions) as (keyof typeof shardOptions)[]),
    z.union([z.string(), z.number(), z.array(z.string())]),
  ),
});
export type ShardJob = z.output<typeof shardJob>;

/** Sends shards, each by a separate program, until it is told to end. Throws usage and target errors. */
export async function runWorker(args: WorkerArguments): Promise<void> {
  const env = environment(args['env-file']);
  const redis = await reachRedis(args.redis, env);
  const say = (text: string): boolean => process.stdout.write(`${text}\n`);
  let child: ChildProcess | undefined;
  const send = async ({ data }: { readonly data: unknown }): Promise<void> => {
    const { asked, scenario, shard } = shardJob.parse(data);
    const options = Object.entries({ ...asked, shard, 'allow-host': args['allow-host'] ?? [] });
    const given = options.flatMap(([name, of]) => [of].flat().map((each) => `--${name}=${each}`));
    say(`shard ${shard} of ${scenario} begins`);
    child = spawn(process.execPath, [fileURLToPath(launcher), 'run', scenario, '--yes', ...given], {
      stdio: ['ignore', 'inherit', 'inherit'],
      // It ends with this program, however that ends: otherwise its load would be unknown.
      env: { ...env, TRYON_LAUNCHER: String(process.pid) },
    });
    const [code, signal] = await once(child, 'exit');
    child = undefined;
    say(`shard ${shard} of ${scenario} ended: ${code ?? signal}`);
    if (code !== exitCode.pass) throw new Error(`ended with ${code === null ? signal : `exit code ${code}`}`);
  };
  const worker = new Worker(queues.shards, send, {
    connection: { url: redis.href, maxRetriesPerRequest: null },
    // A worker that is not heard for this long is lost, and so is its shard. It renews its claim twice in that time.
    lockDuration: 60_000,
    // How often workers look for shards of lost ones, which may have been sent: they are not sent again.
    stalledInterval: 2_000,
    maxStalledCount: 0,
  });
  const sayLost = (error: Error): boolean =>
    process.stderr.write(`tryon: Redis at ${redis.host}: ${systemWords(error)}; waiting for it\n`);
  // BullMQ repeats an error until Redis is there again.
  worker.on('error', () => undefined);
  worker.on('ready', () => worker.off('error', sayLost).once('error', sayLost));
  say(`Waits for shards at ${redis.host}. Ctrl-C ends it.`);
  await new Promise<void>((end) => void onInterrupt(end, () => process.exit(exitCode.interrupted)));
  child?.kill('SIGTERM');
  await worker.close();
}

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

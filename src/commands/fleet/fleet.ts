import { type ChildProcess, spawn } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { counted } from '../../amounts.ts';
import { reached, readNote, writeNote } from '../../drive/gather/meeting.ts';
import { isBucket, openStore } from '../../drive/gather/place.ts';
import type { GatherStore } from '../../drive/gather/store.ts';
import { type ExitCode, exitCode, systemWords, targetError, usageError } from '../../exit.ts';
import { launcher } from '../../program-files.ts';
import { visible } from '../../report/text.ts';
import { loadScenario } from '../../scenario/files.ts';
import { assertNoProfile, environment, onInterrupt } from '../shell.ts';
import { type FleetRunArguments, shardOptions, type WorkerArguments } from './k8s-jobs.ts';

/** What Redis holds of a shard, such as `2/4`: nothing secret. */
const shardJob = z.strictObject({
  scenario: z.string(),
  shard: z.string(),
  asked: z.partialRecord(
    z.enum(Object.keys(shardOptions) as (keyof typeof shardOptions)[]),
    z.union([z.string(), z.number(), z.array(z.string())]),
  ),
});
type ShardJob = z.output<typeof shardJob>;

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
  const worker = new Worker(shardQueue, send, {
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

/** The queue of BullMQ that workers take shards from. */
export const shardQueue = 'tryon-shards';

/** The Redis that is meant, once it has answered. Throws a usage or a target error without its password. */
async function reachRedis(told: string | undefined, env: NodeJS.ProcessEnv): Promise<URL> {
  const url = URL.parse(told ?? env.REDIS_URL ?? 'redis://127.0.0.1:6379');
  if (url === null || !/^rediss?:$/.test(url.protocol))
    throw usageError('--redis: expected a URL such as redis://127.0.0.1:6379');
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

const lookMs = 500;
/** How long Redis, or all workers, may be gone before they are given up. */
const patienceMs = 60_000;

/** Lets workers send the shards of a run, and judges it; returns the exit code. Throws usage and target errors. */
export async function runFleet(args: FleetRunArguments): Promise<ExitCode> {
  const { gather, scenario, shards } = args;
  const env = environment(args['env-file']);
  assertNoProfile(args['write-profile']);
  await loadScenario(scenario);
  if (!isBucket(gather) && !isAbsolute(gather))
    throw usageError(`--gather: expected a folder from / on, which workers see, or s3://…; got ${gather}`);
  const given = Object.entries(args).filter(([name, value]) => name in shardOptions && value !== undefined);
  for (const [name, value] of given)
    if (/^\w+:\/\/[^/]*@/.test(String(value)))
      throw usageError(`--${name}: a URL with a password cannot be used here: Redis would keep it`);
  const asked = Object.fromEntries(given) as ShardJob['asked'];
  const redis = await reachRedis(args.redis, env);
  const store = await openStore(gather, env);
  // The shards would be refused there, and the verdicts be those of the other run.
  if ((await reached(store, () => store.names())).length > 0)
    throw usageError(`--gather: ${gather} holds another run already; a run needs a new folder`);
  let isInterrupted = false;
  const offInterrupt = onInterrupt(
    () => {
      isInterrupted = true;
      // All shards end their load, and are judged by what they have sent.
      void endAll(store, 'interrupted');
    },
    () => process.exit(exitCode.interrupted),
  );
  const jobs = Array.from({ length: shards }, (_, n) => ({ scenario, asked, shard: `${n + 1}/${shards}` }));
  await sendAll(jobs, redis, store);
  offInterrupt();
  const { mergeAndJudge } = await import('../run/conclude.ts');
  const code = await mergeAndJudge(gather, args);
  return isInterrupted ? exitCode.interrupted : code;
}

/** Gives the shards to workers, and waits until none is under way any more. Prints what went wrong. */
async function sendAll(all: readonly ShardJob[], { host, href }: URL, store: GatherStore): Promise<void> {
  const connection = new Redis(href, { maxRetriesPerRequest: 0, enableOfflineQueue: false });
  const queue = new Queue(shardQueue, { connection });
  // What cannot be asked is rejected as well.
  for (const each of [connection, queue]) (each as EventEmitter).on('error', () => undefined);
  try {
    await queue.waitUntilReady();
    const [most, there] = [counted(all.length, 'shard'), await queue.getWorkersCount()];
    if (there < all.length)
      throw usageError(`--shards: ${most} need as many workers; ${counted(there, 'worker')} at ${host}`);
    // Each is sent once or not at all; the run is judged without those that were lost.
    const shards = await queue.addBulk(all.map((data) => ({ name: 'shard', data, opts: { attempts: 1 } })));
    process.stdout.write(`${most} at ${host}\n`);
    const end = await ended(shards, queue, store);
    const then = `Shards may be under way; once they have ended, tryon merge ${store.place} judges them`;
    if (end !== undefined) throw targetError(`${end}. ${then}`);
    for (const [n, { id = '' }] of shards.entries()) {
      const shard = await queue.getJob(id);
      if (shard?.failedReason)
        process.stdout.write(`shard ${n + 1} of ${shards.length}: ${visible(shard.failedReason)}\n`);
      await shard?.remove();
    }
  } finally {
    // BullMQ would wait for a Redis that is gone.
    connection.disconnect();
  }
}

/** Waits until all shards have ended or failed. Returns what it waits for in vain otherwise. */
async function ended(shards: readonly Job[], queue: Queue, store: GatherStore): Promise<string | undefined> {
  const begun = new Set<Job>();
  for (let goodMs = performance.now(); ; await sleep(lookMs)) {
    let trouble = 'no worker is there any more';
    try {
      const states = await Promise.all(shards.map((shard) => shard.getState()));
      if (states.every((state) => state === 'completed' || state === 'failed')) return undefined;
      if (states.includes('unknown')) return 'Redis has lost the run';
      for (const [n, shard] of shards.entries()) {
        if (states[n] === 'active') begun.add(shard);
        // Its worker is gone: BullMQ fails it once another is free. Before the load, all others wait for it.
        const isLost = states[n] === 'failed' || (states[n] === 'waiting' && begun.has(shard));
        if (isLost && (await readNote(store, 'start', 1).catch(() => null)) === undefined)
          await endAll(store, 'error');
      }
      if ((await queue.getWorkersCount()) > 0) goodMs = performance.now();
    } catch {
      trouble = 'Redis cannot be reached';
    }
    if (performance.now() > goodMs + patienceMs) return trouble;
  }
}

/** A store that is gone ends the shards by itself. */
async function endAll(store: GatherStore, reason: 'interrupted' | 'error'): Promise<void> {
  await writeNote(store, 'stop', 0, { by: 0, reason }).catch(() => undefined);
}

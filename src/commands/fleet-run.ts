import type { EventEmitter } from 'node:events';
import { isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FlowProducer, type Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { counted } from '../amounts.ts';
import { type ExitCode, exitCode, targetError, usageError } from '../exit.ts';
import { reached, readNote, writeNote } from '../gather/notes.ts';
import { isBucket, openStore } from '../gather/place.ts';
import type { GatherStore } from '../gather/store.ts';
import { loadScenario } from '../scenario/files.ts';
import { environment } from './environment.ts';
import { type FleetRedis, queues, reachRedis, type ShardJob } from './fleet-jobs.ts';
import { askedOptions, type FleetRunArguments } from './fleet-options.ts';
import { onInterrupt } from './signals.ts';
import { assertNoFile } from './write-profile.ts';

/** How often it is looked whether all shards have ended. */
const lookMs = 500;
/** How long Redis, or all workers, may be gone before they are given up. */
const patienceMs = 60_000;

/** Lets workers send the shards of a run, and judges it; returns the exit code. Throws usage and target errors. */
export async function runFleet(args: FleetRunArguments): Promise<ExitCode> {
  const { gather, scenario, shards } = args;
  const env = environment(args['env-file']);
  assertNoFile(args['write-profile']);
  await loadScenario(scenario);
  if (!isBucket(gather) && !isAbsolute(gather))
    throw usageError(
      `--gather: expected a folder from / on, which each worker has too, or s3://…; got ${gather}`,
    );
  const asked = askedOf(args);
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
      writeNote(store, 'stop', 0, { by: 0, reason: 'interrupted' }).catch(() => undefined);
    },
    () => process.exit(exitCode.interrupted),
  );
  const jobs = Array.from(
    { length: shards },
    (_, n): ShardJob => ({ scenario, asked, shard: `${n + 1}/${shards}` }),
  );
  await sendAll(jobs, redis, store);
  offInterrupt();
  const { mergeAndJudge } = await import('./merge-and-judge.ts');
  const code = await mergeAndJudge(gather, env, {
    profileFile: args['write-profile'],
    verbose: args.verbose,
  });
  return isInterrupted ? exitCode.interrupted : code;
}

/** What the workers are told. Throws a usage error for what Redis is not to keep. */
function askedOf(args: FleetRunArguments): ShardJob['asked'] {
  const given = Object.keys(askedOptions).flatMap((name) => {
    const value = args[name as keyof typeof askedOptions];
    return value === undefined ? [] : [[name, value] as const];
  });
  for (const [name, value] of given)
    if (/^\w+:\/\/[^/]*@/.test(String(value)))
      throw usageError(`--${name}: a URL with a password cannot be used here: Redis would keep it`);
  return Object.fromEntries(given);
}

/** Gives the shards to workers, and waits until none is under way any more. Prints what went wrong. */
async function sendAll(
  jobs: readonly ShardJob[],
  { host, url }: FleetRedis,
  store: GatherStore,
): Promise<void> {
  const connection = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
  });
  const options = { connection };
  const [flows, workers] = [new FlowProducer(options), new Queue(queues.shards, options)];
  // What cannot be asked is rejected as well.
  for (const each of [connection, flows, workers]) (each as EventEmitter).on('error', () => undefined);
  try {
    await Promise.all([flows, workers].map((each) => each.waitUntilReady()));
    const there = await workers.getWorkersCount();
    if (there < jobs.length)
      throw usageError(
        `--shards: ${counted(jobs.length, 'shard')} need as many workers; ${counted(there, 'worker')} at ${host}`,
      );
    const { children = [], job } = await flows.add({
      ...{ name: 'judge', queueName: queues.runs, data: {} },
      children: jobs.map((data) => ({
        ...{ name: 'shard', queueName: queues.shards, data },
        // Sent once or not at all; the run is judged without those that were lost.
        opts: { attempts: 1, ignoreDependencyOnFailure: true },
      })),
    });
    process.stdout.write(`${counted(jobs.length, 'shard')} at ${host}\n`);
    const lost = new LostShards(
      children.map((child) => child.job),
      store,
    );
    const end = await ended(job, workers, lost);
    if (end !== undefined)
      throw targetError(
        `${end}. Shards may be under way; once they have ended, tryon merge ${store.place} judges them`,
      );
    const failed = await job.getIgnoredChildrenFailures();
    for (const [n, child] of children.entries()) {
      const why = Object.entries(failed).find(([key]) => key.endsWith(`:${child.job.id}`))?.[1];
      if (why !== undefined) process.stdout.write(`shard ${n + 1} of ${jobs.length}: ${why}\n`);
    }
    await job.remove({ removeChildren: true });
  } finally {
    // BullMQ would wait for a Redis that is gone.
    connection.disconnect();
  }
}

/** Waits until all shards have ended or failed. Returns what it waits for in vain otherwise. */
async function ended(judge: Job, workers: Queue, lost: LostShards): Promise<string | undefined> {
  let goodMs = performance.now();
  for (;;) {
    let trouble: string;
    try {
      const state = await judge.getState();
      if (state === 'waiting') return undefined;
      if (state === 'unknown') return 'Redis has lost the run';
      await lost.look();
      if ((await workers.getWorkersCount()) > 0) goodMs = performance.now();
      trouble = 'no worker is there any more';
    } catch {
      trouble = 'Redis cannot be reached';
    }
    if (performance.now() > goodMs + patienceMs) return trouble;
    await sleep(lookMs);
  }
}

/** Ends a run that cannot start: without a lost shard the others would wait for it. A load that has started goes on. */
class LostShards {
  readonly #jobs: readonly Job[];
  readonly #store: GatherStore;
  readonly #begun = new Set<Job>();
  #isDone = false;

  constructor(jobs: readonly Job[], store: GatherStore) {
    this.#jobs = jobs;
    this.#store = store;
  }

  async look(): Promise<void> {
    for (const job of this.#isDone ? [] : this.#jobs) {
      const state = await job.getState();
      if (state === 'active') this.#begun.add(job);
      // A shard whose worker is gone waits again: BullMQ fails it once a worker is free.
      if (state === 'failed' || (state === 'waiting' && this.#begun.has(job))) await this.#stop();
    }
  }

  async #stop(): Promise<void> {
    this.#isDone = true;
    try {
      if ((await readNote(this.#store, 'start', 1)) === undefined)
        await writeNote(this.#store, 'stop', 0, { by: 0, reason: 'error' });
    } catch {
      // A store that is gone ends the shards by itself.
    }
  }
}

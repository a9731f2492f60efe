import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'bullmq';
import { exitCode, systemWords } from '../exit.ts';
import { launcher } from '../program-files.ts';
import { environment } from './environment.ts';
import { commandLine, queues, reachRedis, shardJob } from './fleet-jobs.ts';
import type { WorkerArguments } from './fleet-options.ts';
import { onInterrupt } from './signals.ts';

/** A worker that is not heard for this long is lost, and so is its shard. Each renews its claim twice in that time. */
const lockDurationMs = 60_000;
/** How often workers look for shards of lost ones. */
const lookMs = 2_000;

/** Sends shards, each by a separate program, until it is told to end. Throws usage and target errors. */
export async function runWorker(args: WorkerArguments): Promise<void> {
  const env = environment(args['env-file']);
  const redis = await reachRedis(args.redis, env);
  const say = (text: string): boolean => process.stdout.write(`${text}\n`);
  let child: ChildProcess | undefined;
  const worker = new Worker(
    queues.shards,
    async ({ data }) => {
      const job = shardJob.parse(data);
      say(`shard ${job.shard} of ${job.scenario} begins`);
      child = spawn(
        process.execPath,
        [fileURLToPath(launcher), ...commandLine(job, args['allow-host'] ?? [])],
        {
          stdio: ['ignore', 'inherit', 'inherit'],
          // It ends with this program, however that ends: otherwise its load would be unknown.
          env: { ...env, TRYON_LAUNCHER: String(process.pid) },
        },
      );
      const [code, signal] = await once(child, 'exit');
      child = undefined;
      say(`shard ${job.shard} of ${job.scenario} ended: ${code ?? signal}`);
      if (code !== exitCode.pass)
        throw new Error(`ended with ${code === null ? signal : `exit code ${code}`}`);
    },
    {
      connection: { url: redis.url, maxRetriesPerRequest: null },
      lockDuration: lockDurationMs,
      stalledInterval: lookMs,
      // A shard whose worker was lost may have been sent: it is not sent again.
      maxStalledCount: 0,
    },
  );
  let isOut = false;
  worker.on('error', (error) => {
    if (!isOut)
      process.stderr.write(`tryon: Redis at ${redis.host}: ${systemWords(error)}; waiting for it\n`);
    isOut = true;
  });
  worker.on('ready', () => {
    isOut = false;
  });
  say(`Waits for shards at ${redis.host}. Ctrl-C ends it.`);
  await new Promise<void>((resolve) => {
    onInterrupt(resolve, () => process.exit(exitCode.interrupted));
  });
  child?.kill('SIGTERM');
  await worker.close();
}

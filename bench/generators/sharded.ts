/**
 * `sharded.ts <base URL> pressure|journeys <requests> <folder for the history> <first shard> <threads> <of>`: some of the
 * shards of a plan, each in a worker thread. Starts when a line comes in, so that several processes start together; the last
 * line that it writes is what it took.
 */
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Ledger } from '../../src/drive/record/ledger.ts';
import type { ShardedTask, ShardedUsage } from './sharded-usage.ts';

const [, , base = '', kind, amount, folder = '', first, threads, of] = process.argv;
await mkdir(join(folder, 'history'), { recursive: true });
const { memory } = new Ledger();
const workers = Array.from({ length: Number(threads) }, (_, n) => {
  const workerData: ShardedTask = {
    base,
    kind: kind === 'journeys' ? 'journeys' : 'pressure',
    requests: Number(amount),
    folder,
    shard: { index: Number(first) + n, of: Number(of) },
    memory,
  };
  return new Worker(new URL('./sharded-worker.ts', import.meta.url), { workerData });
});
await Promise.all(workers.map((worker) => once(worker, 'message')));
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const before = process.cpuUsage();
const startMs = performance.now();
const usages = await Promise.all(
  workers.map(async (worker) => {
    const told = once(worker, 'message');
    worker.postMessage('start');
    return (await told)[0] as ShardedUsage;
  }),
);
const seconds = (performance.now() - startMs) / 1e3;
const { system, user } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ threads: usages, seconds, processCpuUs: system + user })}\n`);
process.exit();

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { shardQueue } from '../../src/commands/fleet/fleet.ts';
import { runInfoSchema } from '../../src/history/run.ts';
import { isLong } from '../effort.ts';
import { Started } from '../limits/foreign/fixture.ts';
import { isInstalled } from '../limits/foreign/programs.ts';
import { startRedis } from '../limits/foreign/redis.ts';
import {
  atEnd,
  leaks,
  type Program,
  patiently,
  profileArguments,
  readVerdicts,
  scenario,
  serve,
  start,
  temporaryFolder,
  troubles,
  tryon,
} from './program.ts';

interface Fleet {
  readonly redis: Redis;
  readonly url: string;
  readonly workers: Program[];
  readonly keys: Readonly<Record<string, string>>;
  readonly gather: string;
  readonly queue: Queue;
  /** `tryon fleet run` of a scenario of these tests, by default with a shard for each worker. */
  run(name: string, shards?: number): Program;
}

/** A Redis of its own, a service, and workers that have the service's key in their environment. */
async function startFleet(size: number): Promise<Fleet> {
  const started = new Started();
  atEnd(started.stop);
  const [redis, service] = [await startRedis(started), await serve([])];
  const url = `redis://127.0.0.1:${redis.options.port}`;
  const env = { REDIS_URL: url, LOAD: service.keys.load ?? '' };
  const queue = new Queue(shardQueue, { connection: { url } });
  atEnd(() => queue.close());
  const workers = Array.from({ length: size }, () => start(['fleet', 'worker'], { env }));
  for (const worker of workers) await worker.until(() => worker.output().includes('Waits for shards'));
  const gather = join(temporaryFolder(), 'gathered');
  const run = (name: string, shards = size): Program =>
    start(
      [
        ...['fleet', 'run', scenario(name), '--shards', String(shards), '--gather', gather, '--seed', '3'],
        ...['--target', service.baseUrl, '--key', 'load=LOAD', ...profileArguments(patiently)],
      ],
      { env: { REDIS_URL: url } },
    );
  await workers[0]?.until(async () => (await queue.getWorkersCount()) === size);
  return { redis, url, workers, keys: service.keys, gather, queue, run };
}

/**
 * Everything that is said to a Redis from now on, as it says itself. Over a connection of its own: ioredis ends one whose first
 * lines come before it is ready for them.
 */
async function heardBy({ options }: Redis): Promise<string[]> {
  const monitor = connect(options.port ?? 6_379, '127.0.0.1').setEncoding('utf8');
  atEnd(() => monitor.destroy());
  const heard: string[] = [];
  monitor.write('MONITOR\r\n');
  await once(monitor, 'data');
  monitor.on('data', (text: string) => heard.push(text));
  return heard;
}

const shardBegan = /shard (\d)\/\d of .* begins/g;
const begun = (workers: readonly Program[]): string[] =>
  workers.flatMap((worker) => [...worker.output().matchAll(shardBegan)].map(([, n = '']) => n)).sort();

/** Kills a worker and the shard that it sends, as the end of their machine would. */
function killWithShard({ process: worker }: Program): void {
  const shards = readFileSync(`/proc/${worker.pid}/task/${worker.pid}/children`, 'utf8').match(/\d+/g) ?? [];
  worker.kill('SIGKILL');
  for (const pid of shards) process.kill(Number(pid), 'SIGKILL');
}

/** Whether a shard has recorded answers to its load. */
function hasSent(gather: string, shard: string): boolean {
  try {
    return readFileSync(join(gather, shard, 'history', 'requests.csv'), 'utf8').split('\n').length > 5;
  } catch {
    return false;
  }
}

describe.runIf(isInstalled('redis-server')).concurrent('a run on workers that wait at a Redis', () => {
  it('is judged as one run, and no secret comes to Redis', async () => {
    const { gather, keys, redis, run, workers } = await startFleet(2);
    const heard = await heardBy(redis);
    const tooMany = await run('glance', 3).ended;
    expect([tooMany.code, tooMany.stderr]).toEqual([
      2,
      expect.stringMatching(/3 shards need as many workers; 2 workers at/),
    ]);
    const { code, stderr, stdout } = await run('glance').ended;
    expect(troubles(readVerdicts(gather)), stdout).toEqual([]);
    expect(code, stdout + stderr).toBe(0);
    expect(begun(workers)).toEqual(['1', '2']);
    const text = heard.join('').replaceAll('\\"', '"');
    expect(text).toContain('"shard":"2/2"');
    const secrets = Object.values(keys);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    for (const worker of workers) worker.process.kill('SIGTERM');
    for (const worker of workers) expect(leaks(gather, await worker.ended, secrets)).toEqual([]);
    expect((await Promise.all(workers.map(({ ended }) => ended))).map((ended) => ended.code)).toEqual([0, 0]);
    // What is left of the run tells nothing of it.
    expect((await redis.keys('*')).filter((key) => /:\d+$|-[0-9a-f]{12}$/.test(key))).toEqual([]);
  });

  it.runIf(isLong)(
    'names the shard whose worker was killed, sends it to no other, and says so within 5 s of the last shard',
    async () => {
      const { gather, queue, redis, run, workers } = await startFleet(3);
      const fleet = run('shopping');
      await fleet.until(() => [1, 2, 3].every((n) => hasSent(gather, `shard-${n}-of-3`)));
      const victim = workers.find((worker) => begun([worker])[0] === '2');
      if (victim === undefined) throw new Error('a worker has shard 2');
      killWithShard(victim);
      await victim.ended;
      // A minute passes: what the lost worker claimed is its own no longer.
      const lost = (await queue.getActive()).find(({ data }) => data.shard === '2/3');
      await redis.del(`bull:${shardQueue}:${lost?.id}:lock`);
      const others = workers.filter((worker) => worker !== victim);
      for (const worker of others) await worker.until(() => /^shard .* ended: /m.test(worker.output()));
      const overMs = performance.now();
      await fleet.until(() => /shard 2 of 3: |Merged/.test(fleet.output()));
      expect(performance.now() - overMs).toBeLessThan(5_000);
      const { code, stderr, stdout } = await fleet.ended;
      expect(code, stdout + stderr).toBe(3);
      expect(stdout).toMatch(/shard 2 of 3: job stalled more than allowable limit/);
      expect(stdout).toMatch(/shard 2 of 3 has no whole record/);
      expect(begun(workers)).toEqual(['1', '2', '3']);
      const { shards } = runInfoSchema.parse(JSON.parse(readFileSync(join(gather, 'run.json'), 'utf8')));
      expect(shards?.map(({ state }) => state)).toEqual(['whole', 'cut-off', 'whole']);
      expect(readVerdicts(gather).checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    },
  );

  it.runIf(isLong)(
    'goes on without Redis once it has begun: the merge judges it, fleet run says how',
    async () => {
      const { gather, redis, run, workers } = await startFleet(2);
      const fleet = run('shopping');
      await fleet.until(() => [1, 2].every((n) => hasSent(gather, `shard-${n}-of-2`)));
      const [, pid] = /process_id:(\d+)/.exec(await redis.info('server')) ?? [];
      redis.disconnect();
      process.kill(Number(pid), 'SIGKILL');
      const { code, stderr } = await fleet.ended;
      expect(code).toBe(4);
      expect(stderr).toMatch(
        /^tryon: Redis cannot be reached\. Shards may be under way; .* tryon merge \/.* judges them\n$/,
      );
      for (const worker of workers)
        await worker.until(() => /shard \d\/2 of .* ended: 0/.test(worker.output()));
      expect(begun(workers)).toEqual(['1', '2']);
      const merged = await tryon(['merge', gather]);
      expect(troubles(readVerdicts(gather)), merged.stdout).toEqual([]);
    },
  );
});

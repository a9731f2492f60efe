import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Kind, kinds } from './cost.ts';
import { withFastServer } from './fast-server.ts';
import { type Spread, spreadOf } from './figures.ts';

/** Shards that a process drives: the first, how many, and of how many. */
type Part = readonly [first: number, threads: number, of: number];

/**
 * How a plan is driven: by one worker thread, by two, or by two processes of one each. Each thread drives as many
 * requests in every way, so fixed costs weigh the same. `one of two, alone` shows the cost of being one of two. `two
 * strangers`, unrelated concurrent runs, show what the machine makes of two threads that share caches and a target.
 */
const ways = ['one worker', 'one of two, alone', 'two threads', 'two processes', 'two strangers'] as const;
type Way = (typeof ways)[number];

export interface WorkersBench {
  readonly kind: Kind;
  readonly way: Way;
  readonly server: string;
  /** By each thread. */
  readonly requests: number;
  /** CPU of all of the generator, µs a request. */
  readonly cpuUsPerRequest: Spread;
  /** The most requests a second of these workers, if each had a core to itself: by the CPU of the busiest. */
  readonly perSecondOfCpu: Spread;
  /** Requests a second by the wall clock, on the cores that there are, target and all. */
  readonly perSecond: Spread;
  /** Against one worker in the same round. */
  readonly speedUpByCpu: Spread;
  readonly speedUpByWall: Spread;
}

const usageSchema = z.object({
  threads: z.array(z.object({ sent: z.number(), succeeded: z.number(), cpuUsPerRequest: z.number() })),
  seconds: z.number(),
  processCpuUs: z.number(),
});
type Usage = z.output<typeof usageSchema>;

/** Drives in each way in turn, `requests` with each thread, for `rounds` rounds, with history. */
export function measureWorkers(requests: number, rounds: number): Promise<WorkersBench[]> {
  return withFastServer(async (baseUrl, server) => {
    const measured: WorkersBench[] = [];
    for (const kind of kinds) {
      const each: Record<Way, Usage>[] = [];
      for (let round = 0; round < rounds; round++) {
        each.push({
          'one worker': await drive(baseUrl, kind, requests, [[0, 1, 1]]),
          'one of two, alone': await drive(baseUrl, kind, 2 * requests, [[0, 1, 2]]),
          'two threads': await drive(baseUrl, kind, 2 * requests, [[0, 2, 2]]),
          'two processes': await drive(baseUrl, kind, 2 * requests, [
            [0, 1, 2],
            [1, 1, 2],
          ]),
          'two strangers': await drive(baseUrl, kind, requests, [
            [0, 1, 1],
            [0, 1, 1],
          ]),
        });
      }
      const spread = (digits: number, figure: (round: Record<Way, Usage>) => number): Spread =>
        spreadOf(each.map(figure), digits);
      for (const way of ways) {
        measured.push({
          kind,
          way,
          server,
          requests,
          cpuUsPerRequest: spread(1, (round) => round[way].processCpuUs / sentIn(round[way])),
          perSecondOfCpu: spread(0, (round) => atMost(way, round)),
          perSecond: spread(0, (round) => sentIn(round[way]) / round[way].seconds),
          speedUpByCpu: spread(2, (round) => atMost(way, round) / atMost('one worker', round)),
          speedUpByWall: spread(
            2,
            (round) => sentIn(round[way]) / round[way].seconds / (requests / round['one worker'].seconds),
          ),
        });
      }
    }
    return measured;
  });
}

function sentIn({ threads }: Usage): number {
  return threads.reduce((sum, { sent }) => sum + sent, 0);
}

/** Requests a second, if each of the workers had a core to itself and none had more to do than the busiest. */
function atMost(way: Way, round: Record<Way, Usage>): number {
  const workers = way === 'one worker' ? 1 : 2;
  return (workers * 1e6) / Math.max(...round[way].threads.map(({ cpuUsPerRequest }) => cpuUsPerRequest));
}

/** Runs a process for each part, all at once. */
async function drive(baseUrl: URL, kind: Kind, requests: number, processes: readonly Part[]): Promise<Usage> {
  const folder = await mkdtemp(join(tmpdir(), 'tryon-bench-'));
  const script = fileURLToPath(new URL('./generators/sharded.ts', import.meta.url));
  try {
    const children = await Promise.all(
      processes.map(async (shards, n) => {
        const history = join(folder, `run-${n}`);
        const args = [script, baseUrl.href, kind, String(requests), history, ...shards.map(String)];
        const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
        const lines = createInterface(child.stdout);
        await once(lines, 'line');
        return { child, lines };
      }),
    );
    const usages = await Promise.all(
      children.map(async ({ child, lines }) => {
        const told = once(lines, 'line');
        child.stdin.end('start\n');
        const [line] = await told;
        return usageSchema.parse(JSON.parse(String(line)));
      }),
    );
    const usage = {
      threads: usages.flatMap(({ threads }) => threads),
      seconds: Math.max(...usages.map(({ seconds }) => seconds)),
      processCpuUs: usages.reduce((sum, { processCpuUs }) => sum + processCpuUs, 0),
    };
    const succeeded = usage.threads.reduce((sum, each) => sum + each.succeeded, 0);
    const sent = sentIn(usage);
    if (succeeded !== sent) throw new Error(`${kind}: ${sent - succeeded} of ${sent} requests failed`);
    return usage;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Quantiles, quantiles } from './figures.ts';

const launcher = fileURLToPath(new URL('../src/launcher.js', import.meta.url));
const scenario = fileURLToPath(new URL('../test/e2e/scenarios/glance.ts', import.meta.url));

export interface ShardsStart {
  readonly shards: number;
  readonly starts: number;
  /** How late each shard's first request of the load came to the target, by the target's clock; and those of all. */
  readonly firstLateMs: Quantiles;
  readonly allLateMs: Quantiles;
  /** The most by which a shard says that its instants may be wrong. */
  readonly statedMs: Quantiles;
}

/** Starts a run of `shards` programs `starts` times, against a service on this machine. */
export async function measureStart(shards: number, starts: number): Promise<ShardsStart> {
  const service = spawn(process.execPath, [launcher, 'serve', '--json', '--rate-limit', '1000000/1m'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(service.stdout), 'line');
  const { base_url: baseUrl, keys } = z
    .object({ base_url: z.url(), keys: z.object({ load: z.string() }) })
    .parse(JSON.parse(String(line)));
  const folder = await mkdtemp(join(tmpdir(), 'tryon-bench-'));
  const first: number[] = [];
  const all: number[] = [];
  const stated: number[] = [];
  try {
    for (let n = 0; n < starts; n++) {
      const arrivals = new Map<number, number>();
      const relay = await relayTo(new URL(baseUrl), arrivals);
      const gather = join(folder, String(n));
      const { port } = relay.address() as AddressInfo;
      const target = `http://127.0.0.1:${port}/v1`;
      await Promise.all(
        Array.from({ length: shards }, (_, index) =>
          send(['--shard', `${index + 1}/${shards}`, '--gather', gather, '--target', target], keys.load),
        ),
      );
      relay.close();
      for (let index = 1; index <= shards; index++) {
        const { errorMs, lateMs } = await lateIn(join(gather, `shard-${index}-of-${shards}`), arrivals);
        const [earliest] = lateMs;
        if (earliest !== undefined) first.push(earliest);
        all.push(...lateMs);
        stated.push(errorMs);
      }
    }
  } finally {
    service.kill();
    await rm(folder, { recursive: true, force: true });
  }
  const [firstLateMs, allLateMs, statedMs] = [quantiles(first), quantiles(all), quantiles(stated)];
  return { shards, starts, firstLateMs, allLateMs, statedMs };
}

async function send(args: readonly string[], key: string): Promise<void> {
  const child = spawn(
    process.execPath,
    [launcher, 'run', scenario, '--seed', '1', '--key', 'load=LOAD', '--traceparent', ...args],
    { stdio: 'ignore', env: { PATH: process.env.PATH, LOAD: key } },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')}: exit ${code}`);
}

/** Passes bytes on to the service, and notes when each request came, by the number in its trace id. */
async function relayTo({ hostname, port }: URL, arrivals: Map<number, number>): Promise<Server> {
  const server = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    socket.on('data', (chunk) => {
      const atMs = performance.timeOrigin + performance.now();
      for (const [, seq = ''] of chunk
        .toString('latin1')
        .matchAll(/traceparent: 00-[0-9a-f]{10}([0-9a-f]{8})/gi))
        arrivals.set(Number.parseInt(seq, 16), atMs);
    });
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.setNoDelay(true).pipe(other);
      one.on('error', () => other.destroy());
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

const described = z.object({
  zero_epoch_ms: z.number(),
  ended: z.object({ clock_error_ns: z.number() }),
});

/** How much later than planned each request of a shard's load came, in the order of the plan. */
async function lateIn(
  dir: string,
  arrivals: ReadonlyMap<number, number>,
): Promise<{ readonly lateMs: readonly number[]; readonly errorMs: number }> {
  const { ended, zero_epoch_ms: zeroMs } = described.parse(
    JSON.parse(await readFile(join(dir, 'run.json'), 'utf8')),
  );
  const [header = '', ...lines] = (await readFile(join(dir, 'history', 'requests.csv'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  const at = (name: string): number => header.indexOf(name);
  const lateMs = lines
    .filter((cells) => cells[at('stage')] === 'load' && cells[at('sent_ns')] !== '')
    .toSorted((a, b) => Number(a[at('intended_ns')]) - Number(b[at('intended_ns')]))
    // What waits for an answer is not due when it was intended.
    .filter((cells) => cells[at('ready_ns')] === cells[at('intended_ns')])
    .map(
      (cells) =>
        (arrivals.get(Number(cells[at('seq')])) ?? Number.NaN) -
        zeroMs -
        Number(cells[at('intended_ns')]) / 1e6,
    );
  return { lateMs, errorMs: ended.clock_error_ns / 1e6 };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Spread, spreadOf } from './figures.ts';
import { withServer } from './local-server.ts';

export const kinds = ['pressure', 'journeys'] as const;
export type Kind = (typeof kinds)[number];
export const generators = ['autocannon', 'ours', 'ours with history'] as const;
export type Generator = (typeof generators)[number];

/** What a generator costs: of its whole process, start-up and all. */
export interface Cost {
  readonly kind: Kind;
  readonly generator: Generator;
  readonly requests: number;
  readonly cpuUsPerRequest: Spread;
  readonly peakRssMib: Spread;
  /** Against autocannon in the same round. */
  readonly cpuRatio: Spread;
}

const usageSchema = z.object({
  requests: z.number(),
  succeeded: z.number(),
  cpuUs: z.number(),
  peakRssMib: z.number(),
});
type Usage = z.output<typeof usageSchema>;

/** Runs every generator in turn, `rounds` times over, against one server. */
export async function measureCost(kind: Kind, requests: number, rounds: number): Promise<Cost[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tryon-bench-'));
  try {
    return await withServer(async (baseUrl) => {
      const measured: Record<Generator, Usage>[] = [];
      // The first round fills caches on disk, as any earlier run would have.
      for (const generator of generators) await run(generator, kind, baseUrl, 1_000, folder);
      for (let round = 0; round < rounds; round++) {
        measured.push({
          autocannon: await run('autocannon', kind, baseUrl, requests, folder),
          ours: await run('ours', kind, baseUrl, requests, folder),
          'ours with history': await run('ours with history', kind, baseUrl, requests, folder),
        });
      }
      return generators.map((generator) => ({
        kind,
        generator,
        requests,
        cpuUsPerRequest: spreadOf(
          measured.map((round) => perRequest(round[generator])),
          1,
        ),
        peakRssMib: spreadOf(
          measured.map((round) => round[generator].peakRssMib),
          0,
        ),
        cpuRatio: spreadOf(
          measured.map((round) => perRequest(round[generator]) / perRequest(round.autocannon)),
          2,
        ),
      }));
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function perRequest({ cpuUs, requests }: Usage): number {
  return cpuUs / requests;
}

async function run(
  generator: Generator,
  kind: Kind,
  baseUrl: URL,
  requests: number,
  folder: string,
): Promise<Usage> {
  const history = join(folder, 'run');
  const script = new URL(
    `./generators/${generator === 'autocannon' ? 'autocannon' : 'ours'}.ts`,
    import.meta.url,
  );
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(script),
      baseUrl.href,
      kind,
      String(requests),
      ...(generator === 'ours with history' ? [history] : []),
    ],
    {
      // Autocannon draws a table on standard error.
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') },
    },
  );
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  await rm(history, { recursive: true, force: true });
  const usage = usageSchema.parse(JSON.parse(output.trim().split('\n').at(-1) ?? ''));
  if (usage.succeeded !== usage.requests) {
    throw new Error(`${generator}, ${kind}: ${usage.requests - usage.succeeded} requests failed`);
  }
  return usage;
}

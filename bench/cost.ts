import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { bundledGenerators } from './bundle.ts';
import { type Server, serving } from './fast-server.ts';
import { type Spread, spreadOf } from './figures.ts';
import { peers } from './peers/on-path.ts';
import type { Command } from './peers/peer.ts';
import { runPeer } from './peers/run.ts';

export const kinds = ['pressure', 'journeys'] as const;
export type Kind = (typeof kinds)[number];
export const generators = ['autocannon', 'ours', 'ours with history'] as const;
export type Generator = (typeof generators)[number];

/** What a generator costs: of its whole process, start-up and all. */
export interface Cost {
  readonly kind: Kind;
  readonly server: Server;
  /** One of ours, or the name of a peer. */
  readonly generator: string;
  /** Of one round; of a peer that stops by the clock, of the last. */
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

interface Runner {
  readonly generator: string;
  readonly run: (requests: number) => Promise<Usage>;
}

/** Runs every generator in turn, `rounds` times over, against one server. */
export async function measureCost(
  kind: Kind,
  server: Server,
  requests: number,
  rounds: number,
): Promise<Cost[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tryon-bench-'));
  const fileOf = await bundledGenerators();
  try {
    return await serving[server](async (baseUrl) => {
      const own = generators.map(
        (generator): Runner => ({
          generator,
          run: (n) =>
            run(generator, fileOf(generator === 'autocannon' ? generator : 'ours'), kind, baseUrl, n, folder),
        }),
      );
      // The first round fills caches on disk, as any earlier run would have.
      for (const { run } of own) await run(1_000);
      const others = peers.flatMap(({ name, [kind]: command }): Runner[] =>
        command === undefined
          ? []
          : [{ generator: name, run: (n) => beside(name, command(baseUrl, n), baseUrl) }],
      );
      const runners = [...own, ...others];
      const measured: Usage[][] = [];
      for (let round = 0; round < rounds; round++) {
        const usages: Usage[] = [];
        for (const { run } of runners) usages.push(await run(requests));
        measured.push(usages);
      }
      return runners.map(({ generator }, n) => {
        const usages = measured.flatMap((round) => round[n] ?? []);
        return {
          kind,
          server,
          generator,
          requests: usages.at(-1)?.requests ?? 0,
          cpuUsPerRequest: spreadOf(
            usages.map((usage) => perRequest(usage)),
            1,
          ),
          peakRssMib: spreadOf(
            usages.map(({ peakRssMib }) => peakRssMib),
            0,
          ),
          // Autocannon is the first of a round.
          cpuRatio: spreadOf(
            measured.map((round) => perRequest(round[n]) / perRequest(round[0])),
            2,
          ),
        };
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function perRequest(usage: Usage | undefined): number {
  return usage === undefined ? Number.NaN : usage.cpuUs / usage.requests;
}

/** A peer says what it did in its own words, or not at all: so the server counts. */
async function beside(name: string, command: Command, baseUrl: URL): Promise<Usage> {
  const before = await answered(baseUrl);
  const used = await runPeer(name, command);
  // The second count counts itself.
  const requests = (await answered(baseUrl)) - before - 1;
  if (requests !== (command.requests ?? requests))
    throw new Error(`${name}: of ${command.requests} requests ${requests} were answered well`);
  return { ...used, requests, succeeded: requests };
}

/** A number alone, or what nginx says: `server accepts handled requests`, these three, and a line `Reading: …`. */
async function answered(baseUrl: URL): Promise<number> {
  const text = await (await fetch(new URL('/answered', baseUrl))).text();
  return Number(/(\d+)\s*(Reading|$)/.exec(text)?.[1]);
}

async function run(
  generator: Generator,
  file: string,
  kind: Kind,
  baseUrl: URL,
  requests: number,
  folder: string,
): Promise<Usage> {
  const history = join(folder, 'run');
  const child = spawn(
    process.execPath,
    [file, baseUrl.href, kind, String(requests), ...(generator === 'ours with history' ? [history] : [])],
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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Spread, spreadOf } from './figures.ts';
import { writeLongHistory } from './long-history.ts';

/** How long whoever sits in front of it waits. Seconds but for what says milliseconds. */
export interface Reading {
  readonly helpMs: Spread;
  /** Node doing nothing, in the same sitting. */
  readonly nodeMs: Spread;
  /** From the start of `tryon run smoke` to its first request, the embedded service's start included. */
  readonly firstRequestMs: Spread;
  readonly requests: number;
  readonly verifySeconds: number;
  readonly reportSeconds: number;
  readonly reportMib: number;
}

const launcher = fileURLToPath(new URL('../src/launcher.js', import.meta.url));

export async function measureReading(requests: number, rounds: number): Promise<Reading> {
  const folder = await mkdtemp(join(tmpdir(), 'tryon-bench-'));
  const long = join(folder, 'long');
  try {
    await writeLongHistory(long, requests);
    await timed([launcher, '--help']);
    const times: Record<'help' | 'node' | 'first', number[]> = { help: [], node: [], first: [] };
    for (let round = 0; round < rounds; round++) {
      times.help.push(await timed([launcher, '--help']));
      times.node.push(await timed(['--eval', '']));
      times.first.push(await firstRequestMs(join(folder, `smoke-${round}`)));
    }
    const verifySeconds = (await timed([launcher, 'verify', long])) / 1e3;
    const reportSeconds = (await timed([launcher, 'report', long])) / 1e3;
    return {
      helpMs: spreadOf(times.help, 0),
      nodeMs: spreadOf(times.node, 0),
      firstRequestMs: spreadOf(times.first, 0),
      requests,
      verifySeconds: Math.round(verifySeconds * 100) / 100,
      reportSeconds: Math.round(reportSeconds * 100) / 100,
      reportMib: Math.round(((await stat(join(long, 'report.html'))).size / 2 ** 20) * 100) / 100,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Milliseconds that a process takes. */
async function timed(args: readonly string[]): Promise<number> {
  const startMs = performance.now();
  await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit');
  return performance.now() - startMs;
}

async function firstRequestMs(out: string): Promise<number> {
  const startEpochMs = performance.timeOrigin + performance.now();
  await timed([launcher, 'run', 'smoke', '--out', out]);
  const { zero_epoch_ms } = z
    .object({ zero_epoch_ms: z.number() })
    .parse(JSON.parse(await readFile(join(out, 'run.json'), 'utf8')));
  const [names = '', first = ''] = (await readFile(join(out, 'history', 'requests.csv'), 'utf8')).split(
    '\n',
    2,
  );
  const sentNs = Number(first.split(',')[names.split(',').indexOf('sent_ns')]);
  return zero_epoch_ms + sentNs / 1e6 - startEpochMs;
}

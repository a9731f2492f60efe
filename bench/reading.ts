import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Spread, spreadOf } from './figures.ts';
import { writeLongHistory } from './long-history.ts';
import type { Metered } from './metered.ts';

/** How long the user waits. Seconds, except where the name says milliseconds. */
export interface Reading {
  readonly helpMs: Spread;
  /** Node doing nothing, in the same sitting. */
  readonly nodeMs: Spread;
  /** From the start of `tryon run smoke` to its first request, the embedded service's start included. */
  readonly firstRequestMs: Spread;
  readonly history: LongReading;
}

/** What it takes to read a long history. */
export interface LongReading {
  readonly requests: number;
  readonly verify: Taken;
  readonly report: Taken;
  readonly reportMib: number;
}

/** By the clock, and of CPU and memory. */
export interface Taken extends Metered {
  readonly seconds: number;
}

const metered = new URL('./metered.ts', import.meta.url).href;
const launcher = fileURLToPath(new URL('../src/launcher.js', import.meta.url));

export async function measureReading(requests: number, rounds: number): Promise<Reading> {
  const folder = await mkdtemp(join(tmpdir(), 'tryon-bench-'));
  try {
    await timed([launcher, '--help']);
    const times: Record<'help' | 'node' | 'first', number[]> = { help: [], node: [], first: [] };
    for (let round = 0; round < rounds; round++) {
      times.help.push(await timed([launcher, '--help']));
      times.node.push(await timed(['--eval', '']));
      times.first.push(await firstRequestMs(join(folder, `smoke-${round}`)));
    }
    return {
      helpMs: spreadOf(times.help, 0),
      nodeMs: spreadOf(times.node, 0),
      firstRequestMs: spreadOf(times.first, 0),
      history: await measureLongReading(requests),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Verifies a history of `requests` requests, and makes its report. */
export async function measureLongReading(requests: number): Promise<LongReading> {
  const folder = await mkdtemp(join(tmpdir(), 'tryon-bench-'));
  const long = join(folder, 'long');
  try {
    await writeLongHistory(long, requests);
    const verify = await taken([launcher, 'verify', long]);
    const report = await taken([launcher, 'report', long]);
    const { size } = await stat(join(long, 'report.html'));
    return { requests, verify, report, reportMib: Math.round((size / 2 ** 20) * 100) / 100 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In words, for the terminal. */
export function longReadingText({ report, reportMib, requests, verify }: LongReading): string {
  const of = ({ cpuSeconds, peakMib, seconds }: Taken): string =>
    `${seconds} s (${cpuSeconds} s of CPU, at most ${peakMib} MiB)`;
  return `of ${requests} requests, tryon verify: ${of(verify)}; tryon report: ${of(report)}, a page of ${reportMib} MiB`;
}

/** Runs `node …` to its end; a program that finds something wrong ends well all the same. */
export async function taken(args: readonly string[]): Promise<Taken> {
  const startMs = performance.now();
  const child = spawn(process.execPath, ['--import', metered, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const told = text(child.stdio[3] as Readable);
  await once(child, 'exit');
  const seconds = Math.round((performance.now() - startMs) / 10) / 100;
  return { seconds, ...(JSON.parse(await told) as Metered) };
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

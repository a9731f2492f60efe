import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from './peer.ts';

/** What a command used, with every process that it started and waited for. */
export interface Used {
  readonly cpuUs: number;
  /** Of the largest of these processes. */
  readonly peakRssMib: number;
  /** What it wrote on standard output. */
  readonly output: string;
}

/** Runs a peer in a temporary folder, to its end. */
export async function runPeer(name: string, { args, env, files = {} }: Command): Promise<Used> {
  const folder = await mkdtemp(join(tmpdir(), `tryon-${name}-`));
  try {
    for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
    const child = spawn('time', ['-o', 'used', '-f', '%U %S %M', name, ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, said, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${said.slice(-1_000)}`);
    const [user = Number.NaN, system = Number.NaN, kib = Number.NaN] = (
      await readFile(join(folder, 'used'), 'utf8')
    )
      .trim()
      .split(' ')
      .map(Number);
    return { cpuUs: (user + system) * 1e6, peakRssMib: kib / 1024, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Started } from './fixture.ts';

/** Debian's package of each server that tests put to use. */
const packages = {
  nginx: 'nginx-light',
  haproxy: 'haproxy',
  'redis-server': 'redis-server',
  prometheus: 'prometheus',
} as const;
export type Program = keyof typeof packages;

/**
 * Whether a server is there to be started; says aloud how to get it when it is not. A row that needs one is skipped and
 * never filtered out: a file without any test fails.
 */
export function isInstalled(program: Program | undefined): boolean {
  if (program === undefined) return true;
  const { error } = spawnSync(program, ['-v'], { stdio: 'ignore' });
  if (error === undefined) return true;
  process.stderr.write(
    `\nSKIPPED: tests against ${program}, which is not installed. Debian: apt-get install ${packages[program]}\n`,
  );
  return false;
}

/** A temporary folder that is removed when everything is stopped. */
export function temporaryFolder(started: Started): string {
  const folder = mkdtempSync(join(tmpdir(), 'tryon-limits-'));
  started.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** How long a server may take until it accepts connections, and until it has ended after SIGTERM. */
const patienceMs = 10_000;

/** Starts a server in the foreground and resolves once it accepts connections on `port` of 127.0.0.1. */
export async function startProgram(
  started: Started,
  program: Program,
  args: readonly string[],
  port: number,
): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += String(piece)));
  const exited = once(child, 'exit');
  exited.catch(() => undefined);
  started.add(async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    await exited;
    clearTimeout(kill);
  });
  for (const deadlineMs = performance.now() + patienceMs; ; await sleep(20)) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${said}`);
    if (await accepts(port)) return;
    if (performance.now() > deadlineMs) throw new Error(`${program} does not listen on ${port}: ${said}`);
  }
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { usageError } from '../exit.ts';
import { parsedJson } from '../target/json.ts';

const file = 'writing.json';
const schema = z.object({ pid: z.number().int().positive(), host: z.string() });

/** Leaves word in a history's folder that this process is writing it. */
export async function markWriting(dir: string): Promise<void> {
  await writeFile(join(dir, file), `${JSON.stringify({ pid: process.pid, host: hostname() })}\n`);
}

export async function unmarkWriting(dir: string): Promise<void> {
  await rm(join(dir, file), { force: true });
}

/**
 * Throws a usage error if another process of this machine is still writing the history: recovery would cut the file
 * that it writes. A killed writer leaves its lock file, but its process is gone.
 */
export async function assertNotWritten(dir: string): Promise<void> {
  const text = await readFile(join(dir, file), 'utf8').catch(() => '');
  const { data } = schema.safeParse(parsedJson(text));
  if (data === undefined || data.host !== hostname() || data.pid === process.pid || !isAlive(data.pid))
    return;
  throw usageError(
    `${dir}: process ${data.pid} is still writing this history; wait for the run to end (or, if that process is no run of tryon, remove ${file} there)`,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

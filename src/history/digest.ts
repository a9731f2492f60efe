import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { programFile } from '../program-files.ts';
import { bytesOf, oneThreadBytes } from './storage.ts';

/** The state of a file, to the byte. */
export interface FileState {
  readonly bytes: number;
  readonly sha256: string;
}

const chunkBytes = 1 << 20;
/** One for all files: each is read to its end at once. A new one for each of thousands of small files costs more than reading them. */
const chunk = Buffer.allocUnsafeSlow(chunkBytes);

/** The state of a file; undefined if there is none. */
export function digestFile(path: string): FileState | undefined {
  const hash = createHash('sha256');
  let bytes = 0;
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      hash.update(read === chunkBytes ? chunk : chunk.subarray(0, read));
      bytes += read;
    }
  } finally {
    closeSync(file);
  }
  return { bytes, sha256: hash.digest('hex') };
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** The first bytes of a file as text; empty when there is none. */
export function beginningOf(path: string, bytes: number): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
  try {
    const beginning = Buffer.alloc(bytes);
    return beginning.toString('utf8', 0, readSync(file, beginning, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/** More threads than this read from one disk no faster. */
const mostThreads = 4;

/**
 * The states of files, undefined for missing ones. A long history's files are read several at a time, each in a
 * thread.
 */
export async function digestFiles(paths: readonly string[]): Promise<Map<string, FileState | undefined>> {
  const found = new Map<string, FileState | undefined>();
  const sizes = new Map(await Promise.all(paths.map(async (path) => [path, await bytesOf([path])] as const)));
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (total < oneThreadBytes) {
    for (const path of paths) found.set(path, digestFile(path));
    return found;
  }
  const largestFirst = paths.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
  const take = async (): Promise<void> => {
    const thread = new Worker(programFile('history/digest-worker'));
    try {
      for (let path = largestFirst.shift(); path !== undefined; path = largestFirst.shift()) {
        thread.postMessage(path);
        const [state] = (await once(thread, 'message')) as [FileState | undefined];
        found.set(path, state);
      }
    } finally {
      await thread.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(mostThreads, availableParallelism()) }, take));
  return found;
}

import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { programFile } from '../program-files.ts';
import { digestFile, type FileState } from './digest.ts';
import { bytesOf, oneThreadBytes } from './storage.ts';

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

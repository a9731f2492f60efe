import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

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

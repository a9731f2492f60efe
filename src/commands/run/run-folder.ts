import { mkdir } from 'node:fs/promises';
import { usageError } from '../../exit.ts';

/** Makes a folder for a command's output. Throws a usage error if that fails. */
export async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true });
  } catch (error) {
    throw usageError(`--out: cannot make ${dir}: ${error instanceof Error ? error.message : ''}`, error);
  }
}

/** `2026-05-01T12-00-00Z`: sorts by time and suits every file system. */
export function utcStamp(date: Date): string {
  return date.toISOString().slice(0, 19).replaceAll(':', '-').concat('Z');
}

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../../exit.ts';

/** Makes a folder for a command's output. Throws a usage error if that fails. */
export async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true });
  } catch (error) {
    throw notMade(dir, error);
  }
}

function notMade(dir: string, error: unknown): Error {
  return usageError(`--out: cannot make ${dir}: ${error instanceof Error ? error.message : ''}`, error);
}

/** Where a command writes that was told no folder: `reports/launch-2026-05-01T12-00-00Z`, or that with a number. */
export function freeFolder(name: string, parent = 'reports'): string {
  const folder = join(parent, `${name}-${utcStamp(new Date())}`);
  for (let at = 1; ; at++) {
    const numbered = at === 1 ? folder : `${folder}-${at}`;
    if (!existsSync(numbered)) return numbered;
  }
}

/** Makes such a folder, which no other command that begins at the same time gets. Throws a usage error if that fails. */
export async function makeFreeFolder(name: string, parent = 'reports'): Promise<string> {
  await makeFolder(parent);
  for (;;) {
    const dir = freeFolder(name, parent);
    try {
      await mkdir(dir);
      return dir;
    } catch (error) {
      if (!existsSync(dir)) throw notMade(dir, error);
    }
  }
}

/** `2026-05-01T12-00-00Z`: sorts by time and suits every file system. */
function utcStamp(date: Date): string {
  return date.toISOString().slice(0, 19).replaceAll(':', '-').concat('Z');
}

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { usageError } from '../../exit.ts';
import type { History } from '../../history/history.ts';
import { visible } from '../../report/text.ts';

/** Throws a usage error where a profile would be written over something: to be known before a run has begun. */
export function assertNoFile(file: string | undefined): void {
  if (file !== undefined && existsSync(file))
    throw usageError(`--write-profile: ${file} exists already; it is not overwritten`);
}

/**
 * Writes the run's findings about its target as a profile, and prints the values that the run was not given.
 */
export async function writeProfile(file: string, history: History): Promise<void> {
  // Loaded here: a run only asks beforehand whether the file is there.
  const { foundProfile } = await import('../../checks/found-profile.ts');
  const { changes, profile } = await foundProfile(history);
  try {
    await writeFile(file, `${JSON.stringify(profile, null, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    throw usageError(
      `--write-profile: ${file} cannot be written: ${error instanceof Error ? error.message : ''}`,
      error,
    );
  }
  const lines = changes.map(({ field, was, is }) => `  ${visible(`${field}: ${is} (was ${was})`)}`);
  process.stdout.write(
    `\nProfile written to ${file}${lines.length === 0 ? ' without changes' : `, with\n${lines.join('\n')}`}\n`,
  );
}

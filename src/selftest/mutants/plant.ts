import { writeFile } from 'node:fs/promises';
import type { Mutant } from './enumerate.ts';

/**
 * Writes into `file` what the service is to run with: a mutant or none, and further arguments of `tryon serve`. Returns
 * the environment for the program of a run.
 */
export async function plant(
  file: string,
  mutant: Pick<Mutant, 'path' | 'text'> | undefined,
  serve: readonly string[],
): Promise<Record<string, string>> {
  const change = mutant === undefined ? {} : { url: urlOf(mutant.path), text: mutant.text };
  await writeFile(file, JSON.stringify({ ...change, serve }));
  const hook = new URL('./planted.ts', import.meta.url).href;
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${hook}`.trim(), TRYON_PLANTED: file };
}

/** The URL by which a file of the service, named below `src/`, is loaded. */
export function urlOf(path: string): string {
  return new URL(`../../${path}`, import.meta.url).href;
}

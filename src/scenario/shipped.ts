import { readdir } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extension, shippedScenarios } from '../program-files.ts';

export const shippedFolder = fileURLToPath(shippedScenarios);

/** Names of the shipped scenarios, sorted. */
export async function shippedNames(): Promise<string[]> {
  const files = await readdir(shippedFolder);
  return files
    .filter((file) => extname(file) === extension)
    .map((file) => basename(file, extension))
    .sort();
}

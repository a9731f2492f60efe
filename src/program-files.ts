import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** The ending of this program's files: `.ts` in a clone, `.js` in the package. */
export const extension = extname(import.meta.url);

/** The folder of the package: this file is in `src/` there, or in `dist/src/` when it is bundled. */
const root = new URL(extension === '.ts' ? '../' : '../../', import.meta.url);

/**
 * A file of this program that is started or loaded by its name, such as `drive/shard-worker`. `path` is its place below
 * `src/`, without the ending. `rolldown.config.ts` must list it: in the package, other modules are no files.
 */
export function programFile(path: string): URL {
  return new URL(`./${path}${extension}`, import.meta.url);
}

/** The folder of the scenarios that come with the program. */
export const shippedScenarios = new URL('../scenarios/', import.meta.url);

/** The file that starts a command line. */
export const launcher = new URL('src/launcher.js', root);

export const packageFile = new URL('package.json', root);

/** The JSON Schema of a profile. */
export const profileSchemaFile = new URL('docs/profile.schema.json', root);

/** The version of this program, of its package file. */
export function programVersion(): string {
  const parsed: unknown = JSON.parse(readFileSync(packageFile, 'utf8'));
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed
    ? String(parsed.version)
    : 'unknown';
}

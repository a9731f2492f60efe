import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { systemWords, usageError } from '../exit.ts';
import { visible, wrap } from '../report/text.ts';

/**
 * The environment of a command, with the variables of `--env-file` that are not set. Throws a usage error that names the
 * file and repeats none of it: it holds keys.
 */
export function environment(
  file: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  if (file === undefined) return env;
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')), ...env };
  } catch (error) {
    throw usageError(`--env-file ${file}: cannot be read: ${systemWords(error)}`, error);
  }
}

/** Prints a text in lines that fit the terminal. */
export function say(text: string, indent = 0): void {
  const columns = Math.min(100, process.stdout.columns ?? 80) - indent;
  const lines = text === '' ? [''] : wrap(visible(text), columns);
  process.stdout.write(lines.map((line) => `${' '.repeat(indent)}${line}\n`).join(''));
}

/** Throws a usage error where there is something already. `what`: the option with the path. */
export function assertNew(what: string, path: string, why = 'it is not overwritten'): void {
  if (existsSync(path)) throw usageError(`${what} exists already; ${why}`);
}

/** Throws a usage error where `--write-profile` would write over something: to be known before a run has begun. */
export function assertNoProfile(file: string | undefined): void {
  if (file !== undefined) assertNew(`--write-profile: ${file}`, file);
}

/** The folder that `--out` names for a run. Throws a usage error if it exists. */
export function newRunFolder(out: string): string {
  assertNew(`--out: ${out}`, out, 'a run needs a new folder');
  return out;
}

/** Writes a new file. Throws a usage error if that fails. `what`: the option with the path. */
export function writeNew(what: string, file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    throw usageError(`${what} cannot be written: ${systemWords(error)}`, error);
  }
}

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
  // It sorts by time and suits every file system.
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const folder = join(parent, `${name}-${stamp}Z`);
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

/**
 * One Ctrl-C may arrive more than once: the terminal signals every process in the foreground, and npm and the
 * launcher forward it. Signals within this time are the same key press.
 */
const samePressMs = 300;

/** Calls `first` at the first SIGINT or SIGTERM, and `again` at each further one. Returns the function that ends this. */
export function onInterrupt(first: () => void, again: () => void): () => void {
  let firstMs: number | undefined;
  const interrupt = (): void => {
    const nowMs = performance.now();
    if (firstMs === undefined) {
      firstMs = nowMs;
      first();
    } else if (nowMs - firstMs > samePressMs) again();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  };
}

/** In a pipeline always the same, so that a run can be compared with that of the commit before. */
export const newSeed = ({ CI }: NodeJS.ProcessEnv): number =>
  CI === undefined || CI === '' || CI === 'false' ? Math.floor(Math.random() * 2 ** 32) : 1;

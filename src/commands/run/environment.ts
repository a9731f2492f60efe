import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { systemWords, usageError } from '../../exit.ts';

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

import { extname } from 'node:path';
import { usageError } from '../exit.ts';

/** Throws a usage error in the published package, which has neither the source nor the packages to parse it. */
export function assertSource(option: string): void {
  if (extname(import.meta.url) !== '.ts')
    throw usageError(`${option}: only a clone of the repository has the source that is changed`);
}

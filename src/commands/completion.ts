import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FallbackCompletionFunction } from 'yargs';
import { shippedNames } from '../scenario/files.ts';

/** Completes the command line that a shell passes on. yargs knows commands, options and choices; here are the other values. */
export function completeBy(argv: readonly string[]): FallbackCompletionFunction {
  const words = argv.slice(argv.indexOf('--get-yargs-completions') + 2);
  return (current, _parsed, byYargs, done) => {
    void valuesFor(words).then((values) =>
      values === undefined ? byYargs() : done(values.filter((value) => value.startsWith(current))),
    );
  };
}

/** The values that the last of the words may have. None: the shell completes the name of a file. Undefined: yargs knows. */
async function valuesFor(words: readonly string[]): Promise<readonly string[] | undefined> {
  const [command = '', first = ''] = words;
  const before = words.at(-2) ?? '';
  const current = words.at(-1) ?? '';
  if (words.length < 2 || current.startsWith('-') || command === 'adapter' || before === '--limiter')
    return undefined;
  if (before.startsWith('--')) return valuesOfOption(before.slice(2), current);
  if (['run', 'simulate', 'doctor'].includes(command)) return shippedNames();
  return command === 'reproduce' && words.length === 3 ? causesOf(first) : [];
}

async function valuesOfOption(option: string, current: string): Promise<readonly string[]> {
  if (option === 'scenario') return shippedNames();
  if (option !== 'defect' && option !== 'variant') return [];
  const { alterationNames } = await import('./serve/serve-alterations.ts');
  // Several have commas between them.
  const others = current.slice(0, current.lastIndexOf(',') + 1);
  return alterationNames(option).map((name) => others + name);
}

/** The probable causes of a run. None if it cannot be read: a completion has no place for an error. */
function causesOf(dir: string): readonly string[] {
  try {
    const { diagnosis } = JSON.parse(readFileSync(join(dir, 'verdicts.json'), 'utf8')) as {
      readonly diagnosis: readonly { readonly cause: string }[];
    };
    return diagnosis.map(({ cause }) => cause);
  } catch {
    return [];
  }
}

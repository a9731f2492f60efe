import { usageError } from '../exit.ts';

/**
 * The settings of an option that takes a number. yargs turns other text into `NaN` and loses what was typed, so it is
 * read here. `expected` names the accepted numbers, as in `a whole number from 0`; the command checks that.
 */
export function numberOption<Rest extends object>(
  name: string,
  expected: string,
  rest: Rest,
): Rest & { readonly requiresArg: true; readonly coerce: (typed: unknown) => number } {
  return { ...rest, requiresArg: true, coerce: (typed) => readNumber(`--${name}`, expected, typed) };
}

/** Throws a usage error that quotes the typed text. */
function readNumber(option: string, expected: string, typed: unknown): number {
  if (Array.isArray(typed)) throw usageError(`${option}: given twice: ${typed.map(String).join(', ')}`);
  const number = typeof typed === 'string' && typed.trim() === '' ? Number.NaN : Number(typed);
  if (Number.isNaN(number)) throw usageError(`${option}: expected ${expected}, got ${JSON.stringify(typed)}`);
  return number;
}

import { usageError } from '../exit.ts';

/** An option with a text. */
export function text<Rest extends object = Record<never, never>>(describe: string, rest?: Rest) {
  return { type: 'string', requiresArg: true, describe, ...(rest as Rest) } as const;
}

/** An option that may be given several times. */
export function texts<Rest extends object = Record<never, never>>(describe: string, rest?: Rest) {
  return { type: 'string', array: true, requiresArg: true, describe, ...(rest as Rest) } as const;
}

/** An option without a value. */
export function flag(describe: string) {
  return { type: 'boolean', default: false, describe } as const;
}

/** Examples of `--help`, as lines of a shell: yargs would break a command in the middle of a line. */
export function examples(rows: Readonly<Record<string, string>>): [string, string][] {
  const width = Math.max(...Object.keys(rows).map(({ length }) => length));
  return Object.entries(rows).map(([line, what]) => [`$0 ${line.padEnd(width)}  # ${what}`, '']);
}

/** Numbers that an option takes. */
export interface Numbers {
  /** In words: `a whole number from 0`. */
  readonly words: string;
  readonly has: (number: number) => boolean;
}

export function wholeFrom(least: number, most?: number, of = ''): Numbers {
  return {
    words: `a whole number ${of}from ${least}${most === undefined ? '' : ` to ${most}`}`,
    has: (number) => Number.isSafeInteger(number) && number >= least && number <= (most ?? number),
  };
}

/**
 * An option that takes a number. yargs turns other text into `NaN` and loses what was typed, so it is read here. Throws
 * a usage error for what is no such number.
 */
export function numberOption<Rest extends object = Record<never, never>>(
  name: string,
  numbers: Numbers,
  describe: string,
  rest?: Rest,
) {
  const coerce = (typed: unknown): number => readNumber(`--${name}`, numbers, typed);
  return { requiresArg: true, coerce, describe, ...(rest as Rest) } as const;
}

/** Throws a usage error that quotes the typed text. */
function readNumber(option: string, { has, words }: Numbers, typed: unknown): number {
  if (Array.isArray(typed)) throw usageError(`${option}: given twice: ${typed.map(String).join(', ')}`);
  const number = typeof typed === 'string' && typed.trim() === '' ? Number.NaN : Number(typed);
  if (Number.isNaN(number)) throw usageError(`${option}: expected ${words}, got ${JSON.stringify(typed)}`);
  if (!has(number)) throw usageError(`${option}: expected ${words}, got ${number}`);
  return number;
}

type ValueOf<Option> = Option extends { coerce: (typed: unknown) => infer Value }
  ? Value
  : Option extends { choices: readonly (infer Choice)[] }
    ? Choice
    : Option extends { type: 'boolean' }
      ? boolean
      : Option extends { array: true }
        ? readonly string[]
        : string;

type AlwaysGiven<Options> = {
  [Name in keyof Options]: Options[Name] extends { default: unknown } | { demandOption: true } ? Name : never;
}[keyof Options];

/** The arguments that options give. Without a default, they may be missing. */
export type ArgumentsOf<Options> = {
  readonly [Name in AlwaysGiven<Options>]: ValueOf<Options[Name]>;
} & {
  readonly [Name in Exclude<keyof Options, AlwaysGiven<Options>>]?: ValueOf<Options[Name]> | undefined;
};

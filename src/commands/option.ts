import type { CommandModule, Options, PositionalOptions } from 'yargs';
import { type ExitCode, usageError } from '../exit.ts';

/** An option with a text. */
export function text<const Rest extends object = Record<never, never>>(describe: string, rest?: Rest) {
  return { type: 'string', requiresArg: true, describe, ...(rest as Rest) } as const;
}

/** An option that may be given several times. */
export function texts<const Rest extends object = Record<never, never>>(describe: string, rest?: Rest) {
  return { type: 'string', array: true, requiresArg: true, describe, ...(rest as Rest) } as const;
}

/** An option without a value. */
export function flag(describe: string) {
  return { type: 'boolean', default: false, describe } as const;
}

/** An argument without a name, where the command line of its command has it. */
export function positional<const Rest extends object = Record<never, never>>(describe: string, rest?: Rest) {
  return { type: 'string', isPositional: true, describe, ...(rest as Rest) } as const;
}

/** Some of the options. */
export function pick<Options extends object, Name extends keyof Options>(
  options: Options,
  ...names: readonly Name[]
): Pick<Options, Name> {
  return Object.fromEntries(names.map((name) => [name, options[name]])) as Pick<Options, Name>;
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
export function numberOption<const Rest extends object = Record<never, never>>(
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

type OptionRows = Readonly<Record<string, Options & PositionalOptions & { readonly isPositional?: true }>>;

/** A command: a row of `commands.ts`. */
interface CommandRow<Given> {
  /** Its name, with the arguments that have no name: `compare <base> [others..]`. */
  readonly command: string;
  /** The first word of a command of two words. */
  readonly parent?: string;
  readonly describe: string;
  /** What its help says below that. */
  readonly about?: string;
  readonly epilogue?: string;
  readonly options: Given;
  /** Command lines, and what each is for. */
  readonly examples: Readonly<Record<string, string>>;
  /** Where a required argument is missing: what was expected. */
  readonly expects?: string;
  /** Whether options of another command may follow `--`. */
  readonly takesOthers?: boolean;
  /** Loads what it does, and does it; returns the exit code if that may be another than 0. */
  readonly run: (args: ArgumentsOf<Given>) => Promise<ExitCode> | Promise<void>;
}

/** A command for yargs, with what `mistyped.ts` and the completion ask of it. */
export interface KnownCommand extends CommandModule {
  readonly command: string;
  readonly options: OptionRows;
  readonly expects?: string | undefined;
  /** The second words of a command that has some. */
  readonly children: readonly KnownCommand[];
}

export function command<Given extends OptionRows>(row: CommandRow<Given>): KnownCommand {
  const rows: OptionRows = row.options;
  const named = Object.entries(rows).filter(([, { isPositional }]) => isPositional !== true);
  return {
    command: row.command,
    describe: row.describe,
    options: rows,
    expects: row.expects,
    children: [],
    builder: (line) => {
      const usage = `$0 ${row.parent === undefined ? '' : `${row.parent} `}${row.command}${named.length === 0 ? '' : ' [options]'}`;
      line.usage(
        `${usage}${row.takesOthers === true ? ' -- [options of run]' : ''}\n\n${row.describe}${row.about ?? ''}`,
      );
      for (const [name, option] of Object.entries(rows))
        if (option.isPositional === true) line.positional(name, option);
      line.options(Object.fromEntries(named)).example(examples(row.examples));
      if (row.takesOthers === true) line.parserConfiguration({ 'populate--': true });
      return row.epilogue === undefined ? line : line.epilogue(row.epilogue);
    },
    handler: async (args: object) => {
      const code = await row.run(args as ArgumentsOf<Given>);
      if (typeof code === 'number') process.exitCode = code;
    },
  };
}

/** A command of two words. */
export function commandOf(
  row: Pick<KnownCommand, 'command' | 'describe' | 'expects'>,
  children: readonly KnownCommand[],
): KnownCommand {
  return {
    ...row,
    children,
    options: {},
    builder: (line) => line.command([...children]).demandCommand(1),
    handler: () => undefined,
  };
}

/** Examples of `--help`, as lines of a shell: yargs would break a command in the middle of a line. */
function examples(rows: Readonly<Record<string, string>>): [string, string][] {
  const width = Math.max(...Object.keys(rows).map(({ length }) => length));
  return Object.entries(rows).map(([line, what]) => [`$0 ${line.padEnd(width)}  # ${what}`, '']);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FallbackCompletionFunction } from 'yargs';
import { closest } from '../vocabulary/closest.ts';
import { commands } from './commands.ts';
import type { KnownCommand } from './option.ts';

/** A command line that yargs cannot make sense of. */
export class Mistyped extends Error {
  override readonly name = 'Mistyped';
  /** The options of the command that it got to, or of all where it got to none. */
  readonly options: readonly string[];

  constructor(message: string, options: readonly string[]) {
    super(message);
    this.options = options;
  }
}

/**
 * One line on what is wrong with a command line, and what to type instead. yargs counts arguments and shows option
 * names without dashes. `commands`: to suggest one for a mistyped name. `scenarios`: names easily mistaken for one.
 */
export function inWords(
  { message, options }: Mistyped,
  argv: readonly string[],
  commands: readonly KnownCommand[],
  scenarios: readonly string[],
): string {
  const commandNames = commands.map(nameOf);
  const known = commands.find((each) => nameOf(each) === argv[0]);
  const command = known === undefined ? undefined : nameOf(known);
  const help = `tryon ${command === undefined ? '' : `${command} `}--help`;
  const about = command === undefined ? '' : `${command}: `;
  if (message.startsWith('Not enough non-option arguments')) {
    return known?.expects === undefined
      ? 'expected a command, such as: tryon run smoke (tryon --help lists them all)'
      : `${about}expected ${known.expects}`;
  }
  const [, unvalued] = /^Not enough arguments following: (.*)$/.exec(message) ?? [];
  if (unvalued !== undefined) return `${about}--${unvalued}: expected a value; ${help} says which`;
  const [, option, given, choices] = /Argument: (.*), Given: (.*), Choices: (.*)$/.exec(message) ?? [];
  if (choices !== undefined) return `${about}--${option}: expected one of ${choices}, got ${given}`;
  const [, unknown] = /^Unknown (?:arguments?|commands?): (.*)$/.exec(message) ?? [];
  if (unknown === undefined) return `${about}${message.replaceAll(/\s*\n\s*/g, ' ')}`;
  const names = unknown.split(', ');
  const isOption = (name: string): boolean =>
    argv.some((each) => /^--?/.test(each) && each.replace(/^--?(?:no-)?/, '').split('=')[0] === name);
  const mistypedOptions = names.filter(isOption);
  if (mistypedOptions.length > 0) {
    const said = mistypedOptions.map((name) => {
      const meant = closest(name, options);
      return `there is no option --${name}${meant === undefined ? '' : `; did you mean --${meant}?`}`;
    });
    return `${about}${said.join('; ')} (${help} lists them)`;
  }
  if (command !== undefined)
    return `${about}${names.map((name) => JSON.stringify(name)).join(', ')}: unexpected (${help} lists what the command takes)`;
  const [first = ''] = names;
  if (scenarios.includes(first)) return `${first} is a scenario, not a command: tryon run ${first}`;
  const meant = closest(first, [...commandNames, ...scenarios]);
  const instead = meant !== undefined && scenarios.includes(meant) ? `run ${meant}` : meant;
  return `there is no command ${first}${instead === undefined ? '' : `; did you mean tryon ${instead}?`} (tryon --help lists them all)`;
}

async function shippedNames(): Promise<readonly string[]> {
  return (await import('../scenario/files.ts')).shippedNames();
}

/** The name of a command, without its arguments. */
function nameOf({ command }: KnownCommand): string {
  return command.replace(/ .*/, '');
}

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
  const known = commands.find((each) => nameOf(each) === command);
  const option = before.startsWith('--') ? before.slice(2) : undefined;
  const hasChoices = option !== undefined && known?.options[option]?.choices !== undefined;
  if (words.length < 2 || current.startsWith('-') || known?.children.length !== 0 || hasChoices)
    return undefined;
  if (option !== undefined) return valuesOfOption(option, current);
  if (known.options.scenario?.isPositional === true) return shippedNames();
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

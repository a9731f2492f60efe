import { closest } from '../vocabulary/closest.ts';

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

/** The required arguments of a command, with an example. */
const missing: Readonly<Record<string, string>> = {
  simulate: 'expected a scenario, such as: tryon simulate analytics (tryon scenarios lists them)',
  verify: 'expected the folder of a run, such as: tryon verify reports/sample-short',
  report: 'expected the folder of a run, such as: tryon report reports/launch-2026-05-01T12-00-00Z',
  compare: 'expected folders of runs, such as: tryon compare reports/before reports/after',
  merge: 'expected the folder that all shards were given by --gather, such as: tryon merge shards',
  replay: 'expected the folder of a run, such as: tryon replay reports/before',
  reproduce: 'expected the folder of a run, such as: tryon reproduce reports/before',
  adapter: 'expected what to do, such as: tryon adapter check --profile staging.json',
};

/**
 * One line on what is wrong with a command line, and what to type instead. yargs counts arguments and shows option
 * names without dashes. `commandNames`: to suggest one for a mistyped name. `scenarios`: names easily mistaken for one.
 */
export function inWords(
  { message, options }: Mistyped,
  argv: readonly string[],
  commandNames: readonly string[],
  scenarios: readonly string[],
): string {
  const command = commandNames.find((name) => name === argv[0]);
  const help = `tryon ${command === undefined ? '' : `${command} `}--help`;
  const about = command === undefined ? '' : `${command}: `;
  if (message.startsWith('Not enough non-option arguments')) {
    const expected = command === undefined ? undefined : missing[command];
    return expected === undefined
      ? 'expected a command, such as: tryon run smoke (tryon --help lists them all)'
      : `${about}${expected}`;
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

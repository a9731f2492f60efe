import type { CommandModule } from 'yargs';
import { limiterNames } from '../simulate/limiter.ts';
import { type ArgumentsOf, examples, flag, numberOption, text, wholeFrom } from './options.ts';

const mostDays = 3_660;

/** The options of `tryon simulate`. */
export const simulateOptions = {
  'sessions-per-day': numberOption(
    'sessions-per-day',
    wholeFrom(1),
    'Number of shoppers a day, who arrive by the day curve. Replaces the load of the scenario',
  ),
  days: numberOption('days', wholeFrom(1, mostDays), 'With --sessions-per-day: number of days. Default: 1'),
  'rate-limit': text('Rate limit, such as 1000/1m'),
  limiter: {
    choices: limiterNames,
    requiresArg: true,
    describe: 'Kind of limiter. Default: that of the profile, otherwise sliding-log',
  },
  quota: numberOption(
    'quota',
    wholeFrom(1, undefined, 'of sessions '),
    'Session quota of an account: that of the load key with --sessions-per-day, otherwise of the quota key',
  ),
  profile: text('Target profile, a JSON file: limits and conventions'),
  seed: numberOption('seed', wholeFrom(0), 'Seed of the plan: the same seed gives the same plan', {
    default: 1,
  }),
  json: flag('Print everything as JSON'),
} as const;

export type SimulateArguments = ArgumentsOf<typeof simulateOptions> & { readonly scenario: string };

const describe = 'Play a scenario against models of limiter and quota, in virtual time, without a network';

/** `tryon simulate SCENARIO`: plays its plan in virtual time, without a network. */
export const simulateCommand: CommandModule<object, SimulateArguments> = {
  command: 'simulate <scenario>',
  describe,
  builder: (yargs) =>
    yargs
      .usage(`$0 simulate <scenario> [options]\n\n${describe}`)
      .positional('scenario', {
        type: 'string',
        demandOption: true,
        describe: 'Name of a scenario (tryon scenarios lists them), or path of a .ts file',
      })
      .options(simulateOptions)
      .example(
        examples({
          'simulate launch': 'what a run would send',
          'simulate analytics --sessions-per-day 50000': 'a day of shoppers',
        }),
      ),
  handler: async (args) => {
    const { simulateScenario } = await import('./run/simulate-scenario.ts');
    await simulateScenario(args);
  },
};

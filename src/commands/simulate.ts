import type { CommandModule } from 'yargs';
import { type LimiterName, limiterNames } from '../simulate/limiter.ts';
import { numberOption } from './number-option.ts';

export interface SimulateArguments {
  readonly scenario: string;
  readonly 'sessions-per-day'?: number | undefined;
  readonly days?: number | undefined;
  readonly limiter?: LimiterName | undefined;
  readonly 'rate-limit'?: string | undefined;
  readonly quota?: number | undefined;
  readonly profile?: string | undefined;
  readonly seed: number;
  readonly json: boolean;
}

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
      .option(
        'sessions-per-day',
        numberOption('sessions-per-day', 'a whole number from 1', {
          describe:
            'Number of shoppers a day, who arrive by the day curve. Replaces the load of the scenario',
        }),
      )
      .option(
        'days',
        numberOption('days', 'a whole number from 1', {
          describe: 'With --sessions-per-day: number of days. Default: 1',
        }),
      )
      .option('rate-limit', {
        type: 'string',
        requiresArg: true,
        describe: 'Rate limit, such as 1000/1m',
      })
      .option('limiter', {
        choices: limiterNames,
        requiresArg: true,
        describe: 'Kind of limiter. Default: that of the profile, otherwise sliding-log',
      })
      .option(
        'quota',
        numberOption('quota', 'a whole number of sessions from 1', {
          describe:
            'Session quota of an account: that of the load key with --sessions-per-day, otherwise of the quota key',
        }),
      )
      .option('profile', {
        type: 'string',
        requiresArg: true,
        describe: 'Target profile, a JSON file: limits and conventions',
      })
      .option(
        'seed',
        numberOption('seed', 'a whole number from 0', {
          default: 1,
          describe: 'Seed of the plan: the same seed gives the same plan',
        }),
      )
      .option('json', { type: 'boolean', default: false, describe: 'Print everything as JSON' }),
  handler: async (args) => {
    const { simulateScenario } = await import('./simulate-scenario.ts');
    await simulateScenario(args);
  },
};

import type { CommandModule } from 'yargs';
import type { CapArguments } from './caps.ts';
import { numberOption } from './number-option.ts';
import type { TargetArguments } from './open-target.ts';

export interface RunArguments extends TargetArguments, CapArguments {
  readonly scenario: string;
  readonly seed?: number | undefined;
  readonly out?: string | undefined;
  readonly budget?: string | undefined;
  readonly workers?: string | undefined;
  readonly 'write-profile'?: string | undefined;
}

const describe = 'Run a scenario against a target, or against the embedded reference service';

/** `tryon run [SCENARIO]`: the main job. */
export const runCommand: CommandModule<object, RunArguments> = {
  command: 'run [scenario]',
  describe,
  builder: (yargs) =>
    yargs
      .usage(`$0 run [scenario] [options]\n\n${describe}`)
      .positional('scenario', {
        type: 'string',
        default: 'launch',
        describe: 'Name of a scenario (tryon scenarios lists them), or path of a .ts file',
      })
      .option('target', {
        type: 'string',
        requiresArg: true,
        describe: 'Base URL, with /v1. Default: the embedded service',
      })
      .option('profile', { type: 'string', requiresArg: true, describe: 'Target profile, a JSON file' })
      .option('key', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'ROLE=ENV_VAR: environment variable with the key for load, quota, twin or bystander',
      })
      .option('allow-host', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'Host that tryon may load, other than loopback',
      })
      .option(
        'seed',
        numberOption('seed', 'a whole number from 0', {
          describe: 'Seed of the plan: the same seed gives the same plan',
        }),
      )
      .option('out', {
        type: 'string',
        requiresArg: true,
        describe: 'New folder for the run; it must not exist',
      })
      .option('budget', {
        type: 'string',
        requiresArg: true,
        describe:
          'Time, such as 10m, for the study of the scenario (limits, capacity). For acceptance: time for the whole scenario; its parts that do not fit are left out',
      })
      .option('workers', {
        type: 'string',
        requiresArg: true,
        describe: 'Threads that share the planned load: a number, or auto (all cores but one, at most 8)',
      })
      .option('write-profile', {
        type: 'string',
        requiresArg: true,
        describe:
          'FILE to write: a profile with the results of the run. The next run can check the target against it',
      })
      .option('rate-limit', {
        type: 'string',
        requiresArg: true,
        describe: 'Promised rate limit, such as 1000/1m',
      })
      .option(
        'quota',
        numberOption('quota', 'a whole number of sessions from 1', {
          describe: 'Session quota of the account of the quota key',
        }),
      )
      .option('defect', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe:
          'ID[,ID…]: defects to plant in the embedded service (tryon serve --list-defects lists them; tryon selftest --defect runs what detects them)',
      })
      .option('variant', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'NAME[,NAME…]: harmless variants of the embedded service (the same command lists them)',
      })
      .option('yes', {
        type: 'boolean',
        default: false,
        describe: 'Do not ask for confirmation before loading a host other than loopback',
      })
      .option(
        'max-requests',
        numberOption('max-requests', 'a whole number from 1', {
          describe: 'End the load after this number of requests',
        }),
      )
      .option(
        'max-sessions',
        numberOption('max-sessions', 'a whole number from 1', {
          describe: 'End the load after this number of new sessions',
        }),
      )
      .option(
        'max-minutes',
        numberOption('max-minutes', 'a number of minutes above 0', {
          describe: 'End the load after this number of minutes',
        }),
      ),
  handler: async (args) => {
    const { runScenario } = await import('./run-scenario.ts');
    process.exitCode = await runScenario(args);
  },
};

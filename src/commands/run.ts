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
        describe: 'A name (see tryon scenarios), or the path of a .ts file',
      })
      .option('target', {
        type: 'string',
        requiresArg: true,
        describe: 'Base URL, with /v1; without it: embedded',
      })
      .option('profile', { type: 'string', requiresArg: true, describe: 'Target profile, a JSON file' })
      .option('key', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'ROLE=ENV_VAR: where the key for load, quota, twin or bystander is',
      })
      .option('allow-host', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'A host other than loopback that may be loaded',
      })
      .option(
        'seed',
        numberOption('seed', 'a whole number from 0', { describe: 'The same seed plans the same run' }),
      )
      .option('out', { type: 'string', requiresArg: true, describe: 'Folder for the run; must not exist' })
      .option('budget', {
        type: 'string',
        requiresArg: true,
        describe:
          'Time, such as 10m: of a scenario in parts for all of it, and parts are left out (acceptance); else for its study (limits, capacity)',
      })
      .option('workers', {
        type: 'string',
        requiresArg: true,
        describe: 'Threads that share the planned load: a number, or auto for the cores but one',
      })
      .option('write-profile', {
        type: 'string',
        requiresArg: true,
        describe: 'Write what the run finds out as a profile, for the next to hold the target to',
      })
      .option('rate-limit', {
        type: 'string',
        requiresArg: true,
        describe: 'Promised limit, such as 1000/1m',
      })
      .option(
        'quota',
        numberOption('quota', 'a whole number of sessions from 1', {
          describe: "Sessions that the quota key's plan allows",
        }),
      )
      .option('defect', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'ID[,ID…]: plant defects in the embedded service; see tryon serve --list-defects',
      })
      .option('variant', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'NAME[,NAME…]: a harmless variant of the embedded service; see there too',
      })
      .option('yes', {
        type: 'boolean',
        default: false,
        describe: 'Do not ask before loading a host that is not loopback',
      })
      .option(
        'max-requests',
        numberOption('max-requests', 'a whole number from 1', {
          describe: 'End the load after so many requests',
        }),
      )
      .option(
        'max-sessions',
        numberOption('max-sessions', 'a whole number from 1', {
          describe: 'End the load after so many new sessions',
        }),
      )
      .option(
        'max-minutes',
        numberOption('max-minutes', 'a number of minutes above 0', {
          describe: 'End the load after so many minutes',
        }),
      ),
  handler: async (args) => {
    const { runScenario } = await import('./run-scenario.ts');
    process.exitCode = await runScenario(args);
  },
};

import type { CommandModule } from 'yargs';
import { observeOptions } from './observe-options.ts';
import { type ArgumentsOf, examples, flag, type Numbers, numberOption, text, wholeFrom } from './options.ts';
import {
  alterationOptions,
  descriptionOptions,
  promiseOptions,
  sampleOptions,
  type TargetArguments,
  targetOptions,
} from './target-options.ts';

const minutes: Numbers = { words: 'a number of minutes above 0', has: (number) => number > 0 };

/** The options of `tryon run`. */
export const runOptions = {
  ...targetOptions,
  seed: numberOption('seed', wholeFrom(0), 'Seed of the plan: the same seed gives the same plan'),
  out: text('New folder for the run; it must not exist'),
  budget: text(
    'Time, such as 10m, for the study of the scenario (limits, capacity). For acceptance: time for the whole scenario; its parts that do not fit are left out. For others, such as explore: time for the whole run; the explorer gets what the rest leaves',
  ),
  repeat: numberOption('repeat', wholeFrom(1), 'Runs of each side, in the order A B B A; needs --against'),
  against: text('Target profile of side B, which is compared with the target of this command'),
  workers: text('Threads that share the planned load: a number, or auto (all cores but one, at most 8)'),
  shard: text('Send one part of the plan, such as 2/4; auto or auto/4 where an array engine says which'),
  gather: text(
    'Folder, or s3://BUCKET/PREFIX, where all shards meet and leave their histories, for tryon merge',
  ),
  'start-at': text('Instant at which the load of all shards starts. Default: once all are ready'),
  'wait-ready': text('Time, such as 30s, for the target to become ready. Default: 5s'),
  'write-profile': text(
    'FILE to write: a profile with the results of the run. The next run can check the target against it',
  ),
  ...promiseOptions,
  ...descriptionOptions,
  ...sampleOptions,
  ...alterationOptions,
  ...observeOptions,
  verbose: flag('Print all that is known of each check that no cause explains'),
  yes: flag('Do not ask for confirmation before loading a host other than loopback'),
  'max-requests': numberOption('max-requests', wholeFrom(1), 'End the load after this number of requests'),
  'max-sessions': numberOption(
    'max-sessions',
    wholeFrom(1),
    'End the load after this number of new sessions',
  ),
  'max-minutes': numberOption(
    'max-minutes',
    minutes,
    'End the load after this number of minutes (default: the run ends after 4 times what it announces, and 2 minutes)',
  ),
} as const;

export type RunArguments = ArgumentsOf<typeof runOptions> &
  Pick<TargetArguments, 'earlier'> & { readonly scenario: string };

/** What bounds a run. */
export type CapArguments = Pick<RunArguments, 'yes' | 'max-requests' | 'max-sessions' | 'max-minutes'>;

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
      .options(runOptions)
      .example(
        examples({
          'run smoke': 'the embedded service',
          'run launch --profile staging.json': 'your deployment',
          'run smoke --defect N12': 'a service that is wrong',
        }),
      ),
  handler: async (args) => {
    if (args.repeat !== undefined || args.against !== undefined) {
      const { repeatRuns } = await import('./again/repeat-runs.ts');
      process.exitCode = await repeatRuns(args);
      return;
    }
    const { runScenario } = await import('./run/run-scenario.ts');
    process.exitCode = await runScenario(args);
  },
};

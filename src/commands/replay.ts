import type { CommandModule } from 'yargs';
import { compareOptions } from './compare.ts';
import { type ArgumentsOf, examples, text } from './options.ts';
import { runOptions } from './run.ts';
import { targetOptions } from './target-options.ts';

/** The options that say where an earlier run is sent again. */
export const againOptions = {
  ...targetOptions,
  target: text('Base URL, with /v1. Default: the target of the run'),
  profile: text('Target profile, a JSON file. Default: the profile of the run'),
  scenario: text('Name or path of the scenario. Default: as the run was started'),
  out: runOptions.out,
  yes: runOptions.yes,
} as const;
export type AgainArguments = ArgumentsOf<typeof againOptions> & { readonly dir: string };

const replayOptions = { ...againOptions, ...compareOptions } as const;
export type ReplayArguments = ArgumentsOf<typeof replayOptions> & AgainArguments;

/** `tryon replay DIR`: the same plan again, compared with the run. */
export const replayCommand: CommandModule<object, ReplayArguments> = {
  command: 'replay <dir>',
  describe: 'Send the plan of a run again, and compare both runs',
  builder: (yargs) =>
    yargs
      .positional('dir', { type: 'string', demandOption: true, describe: 'Folder of a run' })
      .options(replayOptions)
      .example(
        examples({
          'replay reports/last': 'the same target',
          'replay reports/last --profile new.json': 'another one',
        }),
      ),
  handler: async (args) => {
    const { replay } = await import('./again/replay-run.ts');
    process.exitCode = await replay(args);
  },
};

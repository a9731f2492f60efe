import type { CommandModule } from 'yargs';
import { examples } from './options.ts';
import { type AgainArguments, againOptions } from './replay.ts';

export type ReproduceArguments = AgainArguments & { readonly cause?: string | undefined };

/** `tryon reproduce DIR [CAUSE]`: whether a cause of a failure is still there. */
export const reproduceCommand: CommandModule<object, ReproduceArguments> = {
  command: 'reproduce <dir> [cause]',
  describe: 'Send the part of a run again that shows a cause, and say whether it still fails',
  builder: (yargs) =>
    yargs
      .positional('dir', { type: 'string', demandOption: true, describe: 'Folder of a run' })
      .positional('cause', {
        type: 'string',
        describe: 'Cause, such as shade-count-wrong. Without it: the causes of the run',
      })
      .options(againOptions)
      .example(
        examples({
          'reproduce reports/last': 'list the causes of the run',
          'reproduce reports/last shade-count-wrong': 'send what shows this one',
        }),
      ),
  handler: async (args) => {
    const { reproduce } = await import('./again/reproduce-cause.ts');
    process.exitCode = await reproduce(args);
  },
};

import { existsSync } from 'node:fs';
import type { CommandModule } from 'yargs';
import { usageError } from '../exit.ts';
import { examples } from './options.ts';
import { type RunArguments, runOptions } from './run.ts';

type MergeArguments = Pick<RunArguments, 'write-profile' | 'verbose'> & { readonly dir: string };

/** `tryon merge DIR`: one run, and its verdicts, of all shards that were gathered there. */
export const mergeCommand: CommandModule<object, MergeArguments> = {
  command: 'merge <dir>',
  describe: 'Make one run of the shards gathered in a folder, and judge it',
  builder: (yargs) =>
    yargs
      .positional('dir', { type: 'string', demandOption: true, describe: 'Folder given to --gather' })
      .option('write-profile', runOptions['write-profile'])
      .option('verbose', runOptions.verbose)
      .example(
        examples({
          'merge shards': 'the folder of --gather',
          'merge shards --write-profile found.json': 'also what was found',
        }),
      ),
  handler: async ({ dir, verbose, 'write-profile': profileFile }) => {
    if (!existsSync(dir)) throw usageError(`${dir}: there is no such folder`);
    const { mergeAndJudge } = await import('./merge-and-judge.ts');
    process.exitCode = await mergeAndJudge(dir, { profileFile, verbose });
  },
};

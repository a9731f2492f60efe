import type { CommandModule } from 'yargs';
import { examples } from './options.ts';
import { environment } from './run/environment.ts';
import { type RunArguments, runOptions } from './run.ts';
import { targetOptions } from './target-options.ts';

type MergeArguments = Pick<RunArguments, 'write-profile' | 'verbose' | 'env-file'> & {
  readonly place: string;
};

/** `tryon merge PLACE`: one run, and its verdicts, of all shards that were gathered there. */
export const mergeCommand: CommandModule<object, MergeArguments> = {
  command: 'merge <place>',
  describe: 'Make one run of the shards gathered in a folder or bucket, and judge it',
  builder: (yargs) =>
    yargs
      .positional('place', {
        type: 'string',
        demandOption: true,
        describe: 'Folder, or s3://BUCKET/PREFIX, given to --gather',
      })
      .option('env-file', targetOptions['env-file'])
      .option('write-profile', runOptions['write-profile'])
      .option('verbose', runOptions.verbose)
      .example(
        examples({
          'merge shards': 'the folder of --gather',
          'merge shards --write-profile merged.json': 'also what was found',
        }),
      ),
  handler: async ({ place, verbose, 'env-file': envFile, 'write-profile': profileFile }) => {
    const { mergeAndJudge } = await import('./run/merge-and-judge.ts');
    process.exitCode = await mergeAndJudge(place, environment(envFile), { profileFile, verbose });
  },
};

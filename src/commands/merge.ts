import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { usageError } from '../exit.ts';
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
      .option('verbose', runOptions.verbose),
  handler: async ({ dir, verbose, 'write-profile': profileFile }) => {
    if (!existsSync(dir)) throw usageError(`${dir}: there is no such folder`);
    const [{ conclude, exitFor }, { assertNoFile }, { mergeShards }, { addColumnarCopy }, { segmentCount }] =
      await Promise.all([
        import('./conclude.ts'),
        import('./write-profile.ts'),
        import('../gather/merge.ts'),
        import('../history/columnar.ts'),
        import('../history/files.ts'),
      ]);
    assertNoFile(profileFile);
    const run = await mergeShards(dir);
    await addColumnarCopy(dir, segmentCount(run)).catch(() => undefined);
    process.stdout.write(`Merged ${run.shards?.length} shards into ${join(dir, 'run.json')}\n`);
    process.exitCode = exitFor(await conclude(dir, { profileFile, verbose }));
  },
};

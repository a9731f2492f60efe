import type { CommandModule } from 'yargs';
import { examples } from './options.ts';
import { type RunArguments, runOptions } from './run.ts';

type VerifyArguments = Pick<RunArguments, 'write-profile' | 'verbose'> & { readonly dir: string };

/** `tryon verify DIR`: every verdict again, from the history alone. */
export const verifyCommand: CommandModule<object, VerifyArguments> = {
  command: 'verify <dir>',
  describe: 'Compute the verdicts of a run again, from its folder alone',
  builder: (yargs) =>
    yargs
      .positional('dir', { type: 'string', demandOption: true, describe: 'Folder of a run' })
      .option('write-profile', runOptions['write-profile'])
      .option('verbose', runOptions.verbose)
      .example(
        examples({
          'verify reports/last': 'all verdicts again',
          'verify reports/last --write-profile found.json': 'also what was found',
        }),
      ),
  handler: async ({ dir, verbose, 'write-profile': profileFile }) => {
    const { reconsider, exitFor } = await import('./run/conclude.ts');
    process.exitCode = exitFor(await reconsider(dir, { profileFile, verbose }));
  },
};

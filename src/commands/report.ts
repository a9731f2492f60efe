import type { CommandModule } from 'yargs';
import { examples } from './options.ts';
import { type RunArguments, runOptions } from './run.ts';

type ReportArguments = Pick<RunArguments, 'verbose'> & { readonly dir: string };

/** `tryon report DIR`: every report again. */
export const reportCommand: CommandModule<object, ReportArguments> = {
  command: 'report <dir>',
  describe: 'Write the verdicts and reports of a run again, from its folder alone',
  builder: (yargs) =>
    yargs
      .positional('dir', { type: 'string', demandOption: true, describe: 'Folder of a run' })
      .option('verbose', runOptions.verbose)
      .example(
        examples({
          'report reports/last': 'all reports again',
          'report reports/last --verbose': 'more on each check',
        }),
      ),
  handler: async ({ dir, verbose }) => {
    const { conclude, exitFor } = await import('./run/conclude.ts');
    process.exitCode = exitFor(await conclude(dir, { verbose }));
  },
};

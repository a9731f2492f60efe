import type { CommandModule } from 'yargs';
import { type ArgumentsOf, examples, text } from './options.ts';

const trendOptions = {
  html: text('FILE to write: one page, with a picture of each figure'),
  markdown: text('FILE to write, for a pull request'),
} as const;

export type TrendArguments = ArgumentsOf<typeof trendOptions> & { readonly dir: string };

/** `tryon trend DIR`: where the figures of many runs changed. */
export const trendCommand: CommandModule<object, TrendArguments> = {
  command: 'trend <dir>',
  describe: 'Find the runs at which response time, capacity or verdicts changed',
  builder: (yargs) =>
    yargs
      .positional('dir', { type: 'string', demandOption: true, describe: 'Folder with the folders of runs' })
      .options(trendOptions)
      .example(
        examples({
          'trend reports': 'all runs in the folder',
          'trend reports --html trend.html': 'one page, with pictures',
        }),
      ),
  handler: async (args) => {
    const { showTrend } = await import('./again/compare-runs.ts');
    await showTrend(args);
  },
};

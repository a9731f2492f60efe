import type { CommandModule } from 'yargs';
import { type ArgumentsOf, examples, flag, numberOption, text } from './options.ts';

/** The options of `tryon compare`. */
export const compareOptions = {
  margin: numberOption(
    'margin',
    { words: 'a percentage above 0, at most 100', has: (number) => number > 0 && number <= 100 },
    'The answer is “same” if the change is shown to be smaller than this percentage',
    { default: 5 },
  ),
  force: flag('Show runs that cannot be compared, too; the exit code is still 2'),
  strict: flag('Exit with 3 where a difference in response time cannot be excluded'),
  html: text('FILE to write: one page'),
  markdown: text('FILE to write, for a pull request'),
} as const;

export type CompareArguments = ArgumentsOf<typeof compareOptions> & {
  readonly base: string;
  readonly others: readonly string[];
  readonly baseline?: boolean;
};

/** `tryon compare A B …`: what differs between runs. `tryon compare DIR`: at which runs of a folder something changed. */
export const compareCommand: CommandModule<object, CompareArguments> = {
  command: 'compare <base> [others..]',
  describe: 'Compare runs: verdicts, limiter, quota, response time and capacity',
  builder: (yargs) =>
    yargs
      .positional('base', {
        type: 'string',
        demandOption: true,
        describe: 'Folder of a run, or a folder with repetitions of it',
      })
      .positional('others', {
        type: 'string',
        array: true,
        default: [],
        describe:
          'The same; each is compared with the base. Without any: the trend of the runs in the folder',
      })
      .options(compareOptions)
      .option(
        'baseline',
        flag(
          'For a pipeline: a base that is missing or of another plan is said, and exits with 0; a percentile that is worse by half within these runs is a regression',
        ),
      )
      .example(
        examples({
          'compare reports/a reports/b': 'or folders of runs',
          'compare reports/a reports/b --html diff.html': 'one page',
          'compare reports': 'where a figure changed',
        }),
      ),
  handler: async (args) => {
    const { compareRuns } = await import('./again/compare-runs.ts');
    process.exitCode = await compareRuns(args);
  },
};

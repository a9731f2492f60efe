import type { CommandModule } from 'yargs';
import { type ArgumentsOf, examples, flag, numberOption, text, texts, wholeFrom } from './options.ts';

const selftestOptions = {
  defect: texts('ID[,ID…]: run only these defects'),
  variant: texts('NAME[,NAME…]: run only these harmless variants; "honest" is the service without changes'),
  grade: text(
    'Run only defects of these grades, such as 1 or 1-3. Grade 1 needs one request; 2: a few requests; 3: history, timing or relations between answers; 4: concurrency, load or statistics',
  ),
  jobs: numberOption('jobs', wholeFrom(1), 'Number of parallel runs. Default: twice the number of CPUs'),
  seeds: numberOption('seeds', wholeFrom(1), 'Number of seeds for each harmless variant', { default: 1 }),
  'first-seed': numberOption('first-seed', wholeFrom(0), 'The first seed', { default: 1 }),
  foreign: flag(
    'Start each service apart and give its URL to the run, as with a deployment: the run then knows nothing of its past',
  ),
  keep: flag('Keep the folder of every run, not only of runs with an unexpected result'),
  json: flag('Print everything as JSON'),
  out: text('New folder for the results; it must not exist'),
} as const;

export type SelftestArguments = ArgumentsOf<typeof selftestOptions>;

/** `tryon selftest`: does the harness find what is wrong, and leave alone what is not? */
export const selftestCommand: CommandModule<object, SelftestArguments> = {
  command: 'selftest',
  describe: 'Plant each defect in the reference service, and count detected defects and false alarms',
  builder: (yargs) =>
    yargs.options(selftestOptions).example(
      examples({
        'selftest --defect R18,Q3': 'these two, in under a minute',
        'selftest --foreign --variant slow': 'is there a false alarm?',
      }),
    ),
  handler: async (args) => {
    const { runSelftest } = await import('./selftest/selftest-run.ts');
    process.exitCode = await runSelftest(args);
  },
};

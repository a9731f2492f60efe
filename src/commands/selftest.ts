import type { CommandModule } from 'yargs';
import { usageError } from '../exit.ts';
import { numberOption } from './number-option.ts';

export interface SelftestArguments {
  readonly defect?: readonly string[] | undefined;
  readonly variant?: readonly string[] | undefined;
  readonly grade?: string | undefined;
  readonly jobs?: number | undefined;
  readonly seeds: number;
  readonly 'first-seed': number;
  readonly keep: boolean;
  readonly json: boolean;
  readonly out?: string | undefined;
  readonly mutants?: number | undefined;
  readonly seed: number;
  readonly 'write-docs': boolean;
}

/** `tryon selftest`: does the harness find what is wrong, and leave alone what is not? */
export const selftestCommand: CommandModule<object, SelftestArguments> = {
  command: 'selftest',
  describe: 'Plant each defect in the reference service, and count detected defects and false alarms',
  builder: {
    defect: { type: 'string', array: true, requiresArg: true, describe: 'ID[,ID…]: run only these defects' },
    variant: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'NAME[,NAME…]: run only these harmless variants; "honest" is the service without changes',
    },
    grade: {
      type: 'string',
      requiresArg: true,
      describe:
        'Run only defects of these grades, such as 1 or 1-3. Grade 1 needs one request; 2: a few requests; 3: history, timing or relations between answers; 4: concurrency, load or statistics',
    },
    jobs: numberOption('jobs', 'a whole number from 1', {
      describe:
        'Number of parallel runs. Default: twice the number of CPUs; with --mutants, the number of CPUs',
    }),
    seeds: numberOption('seeds', 'a whole number from 1', {
      default: 1,
      describe: 'Number of seeds for each harmless variant',
    }),
    'first-seed': numberOption('first-seed', 'a whole number from 0', {
      default: 1,
      describe: 'The first seed',
    }),
    keep: {
      type: 'boolean',
      default: false,
      describe: 'Keep the folder of every run, not only of runs with an unexpected result',
    },
    json: { type: 'boolean', default: false, describe: 'Print everything as JSON' },
    out: {
      type: 'string',
      requiresArg: true,
      describe:
        'New folder for the results; it must not exist. With --mutants it may hold results, which are added to',
    },
    mutants: numberOption('mutants', 'a whole number from 1', {
      describe:
        'Instead of defects: change the code of the reference service in N random places, one at a time',
    }),
    seed: numberOption('seed', 'a whole number from 0', {
      default: 1,
      describe: 'With --mutants: seed of the sample. A longer sample holds the shorter ones',
    }),
    'write-docs': {
      type: 'boolean',
      default: false,
      describe: 'With --mutants: write the results into docs/mutants.md',
    },
  },
  handler: async (args) => {
    const { mutants } = args;
    if (mutants !== undefined) {
      if (args.defect !== undefined || args.variant !== undefined || args.grade !== undefined)
        throw usageError('--mutants cannot be used with --defect, --variant or --grade');
      const { assertSource } = await import('./clone.ts');
      assertSource('--mutants');
      const { runMutants } = await import('./selftest-mutants.ts');
      process.exitCode = await runMutants({ ...args, mutants });
      return;
    }
    const { runSelftest } = await import('./selftest-run.ts');
    process.exitCode = await runSelftest(args);
  },
};

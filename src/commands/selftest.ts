import type { CommandModule } from 'yargs';
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
}

/** `tryon selftest`: does the harness find what is wrong, and leave alone what is not? */
export const selftestCommand: CommandModule<object, SelftestArguments> = {
  command: 'selftest',
  describe: 'Plant each defect in the reference service, and see that it is found and nothing harmless is',
  builder: {
    defect: { type: 'string', array: true, requiresArg: true, describe: 'ID[,ID…]: only these defects' },
    variant: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'NAME[,NAME…]: only these harmless variants; "honest" is the service as it is',
    },
    grade: {
      type: 'string',
      requiresArg: true,
      describe:
        'Only defects of this grade, such as 1 or 1-3: one request shows those of grade 1, a few those of 2, history, timing or relations those of 3, concurrency, load or statistics those of 4',
    },
    jobs: numberOption('jobs', 'a whole number from 1', {
      describe: 'Runs at once; twice as many as there are CPUs if not given',
    }),
    seeds: numberOption('seeds', 'a whole number from 1', {
      default: 1,
      describe: 'Seeds with which each harmless variant is run',
    }),
    'first-seed': numberOption('first-seed', 'a whole number from 0', {
      default: 1,
      describe: 'The first of them',
    }),
    keep: { type: 'boolean', default: false, describe: 'Keep every run, not only those that went wrong' },
    json: { type: 'boolean', default: false, describe: 'Print everything as JSON' },
    out: { type: 'string', requiresArg: true, describe: 'Folder for the results; must not exist' },
  },
  handler: async (args) => {
    const { runSelftest } = await import('./selftest-run.ts');
    process.exitCode = await runSelftest(args);
  },
};

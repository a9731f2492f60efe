import type { CommandModule } from 'yargs';

interface ReportArguments {
  readonly dir: string;
}

/** `tryon report DIR`: every report again. */
export const reportCommand: CommandModule<object, ReportArguments> = {
  command: 'report <dir>',
  describe: 'Write the verdicts and reports of a run again, from its folder alone',
  builder: (yargs) =>
    yargs.positional('dir', { type: 'string', demandOption: true, describe: 'Folder of a run' }),
  handler: async ({ dir }) => {
    const { conclude, exitFor } = await import('./conclude.ts');
    process.exitCode = exitFor(await conclude(dir));
  },
};

import type { CommandModule } from 'yargs';

interface VerifyArguments {
  readonly dir: string;
  readonly 'write-profile'?: string | undefined;
}

/** `tryon verify DIR`: every verdict again, from the history alone. */
export const verifyCommand: CommandModule<object, VerifyArguments> = {
  command: 'verify <dir>',
  describe: 'Compute the verdicts of a run again, from its folder alone',
  builder: (yargs) =>
    yargs
      .positional('dir', { type: 'string', demandOption: true, describe: 'Folder of a run' })
      .option('write-profile', {
        type: 'string',
        requiresArg: true,
        describe:
          'FILE to write: a profile with the results of the run. The next run can check the target against it',
      }),
  handler: async ({ dir, 'write-profile': profileFile }) => {
    const [{ reconsider, exitFor }, { assertNoFile }] = await Promise.all([
      import('./conclude.ts'),
      import('./write-profile.ts'),
    ]);
    assertNoFile(profileFile);
    process.exitCode = exitFor(await reconsider(dir, profileFile));
  },
};

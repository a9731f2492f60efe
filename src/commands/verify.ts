import type { CommandModule } from 'yargs';

interface Arguments {
  readonly dir: string;
  readonly 'write-profile'?: string | undefined;
}

/** `tryon verify DIR`: every verdict again, from the history alone. */
export const verifyCommand: CommandModule<object, Arguments> = {
  command: 'verify <dir>',
  describe: 'Judge the history of a run again, from its folder alone',
  builder: (yargs) =>
    yargs
      .positional('dir', { type: 'string', demandOption: true, describe: 'Folder of a run' })
      .option('write-profile', {
        type: 'string',
        requiresArg: true,
        describe: 'Write what the run found out as a profile, for the next to hold the target to',
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

import type { CommandModule } from 'yargs';

interface Arguments {
  readonly dir: string;
}

/** `tryon verify DIR`: every verdict again, from the history alone. */
export const verifyCommand: CommandModule<object, Arguments> = {
  command: 'verify <dir>',
  describe: 'Judge the history of a run again, from its folder alone',
  builder: (yargs) =>
    yargs.positional('dir', { type: 'string', demandOption: true, describe: 'Folder of a run' }),
  handler: async ({ dir }) => {
    const { reconsider, exitFor } = await import('./conclude.ts');
    process.exitCode = exitFor(await reconsider(dir));
  },
};

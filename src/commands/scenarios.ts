import type { CommandModule } from 'yargs';

/** `tryon scenarios`: what there is to run. */
export const scenariosCommand: CommandModule = {
  command: 'scenarios',
  describe: 'List the scenarios that come along',
  handler: async () => {
    const { loadScenario, shippedNames } = await import('../scenario/files.ts');
    for (const name of await shippedNames()) {
      const { scenario } = await loadScenario(name);
      process.stdout.write(`${name.padEnd(12)} ${scenario.title}\n`);
    }
  },
};

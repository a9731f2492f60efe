import type { CommandModule } from 'yargs';
import { examples } from './options.ts';

/** `tryon scenarios`: what there is to run, and how long it takes against the embedded service. */
export const scenariosCommand: CommandModule = {
  command: 'scenarios',
  describe: 'List the scenarios that tryon includes',
  builder: (yargs) =>
    yargs.example(
      examples({
        scenarios: 'what there is',
        'run smoke': 'run one of them',
      }),
    ),
  handler: async () => {
    const { listScenarios } = await import('./run/list-scenarios.ts');
    await listScenarios();
  },
};

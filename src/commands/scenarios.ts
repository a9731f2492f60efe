import type { CommandModule } from 'yargs';
import { loadScenario, shippedNames } from '../scenario/files.ts';
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
    const [{ usualDuration }, { wrap }] = await Promise.all([
      import('./duration.ts'),
      import('../report/text.ts'),
    ]);
    const names = await shippedNames();
    const indent = Math.max(...names.map(({ length }) => length)) + 2;
    const columns = Math.max(indent + 30, Math.min(100, process.stdout.columns ?? 80));
    for (const name of names) {
      const { scenario } = await loadScenario(name);
      const lines = wrap(`${scenario.title} (${usualDuration(scenario)})`, columns - indent);
      const text = lines.map((line, index) => `${(index === 0 ? name : '').padEnd(indent)}${line}\n`);
      process.stdout.write(text.join(''));
    }
  },
};

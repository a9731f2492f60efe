/** Starts an example service: `node docs/examples/start.ts widget`. Prints what a run against it needs; Ctrl-C ends it. */
import { startGraphService } from './graph/service.ts';
import { startWidgetService } from './widget/service.ts';

const services = { widget: startWidgetService, graph: startGraphService };

const [, , name = ''] = process.argv;
const start = Object.entries(services).find(([known]) => known === name)?.[1];
if (start === undefined) {
  process.stderr.write(
    `node docs/examples/start.ts NAME, with a name of ${Object.keys(services).join(', ')}\n`,
  );
  process.exitCode = 2;
} else {
  const { baseUrl, keys } = await start();
  const variables = Object.entries(keys).map(([role, key]) => `export ${role.toUpperCase()}_KEY=${key}`);
  const options = Object.keys(keys).map((role) => `--key ${role}=${role.toUpperCase()}_KEY`);
  process.stdout.write(
    `${variables.join('\n')}\nnpx tryon run smoke --profile docs/examples/${name}/profile.json --target ${baseUrl} ${options.join(' ')}\n`,
  );
}

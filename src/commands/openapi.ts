import { writeFileSync } from 'node:fs';
import type { CommandModule } from 'yargs';
import { systemWords, usageError } from '../exit.ts';
import { type ArgumentsOf, examples, text } from './options.ts';

const options = { out: text('New file for the description; it must not exist') } as const;

const describe = 'Print the interface as an OpenAPI 3.1 description (JSON)';

/** `tryon openapi`: the interface, made from the schemas that read answers. It sends nothing. */
export const openApiCommand: CommandModule<object, ArgumentsOf<typeof options>> = {
  command: 'openapi',
  describe,
  builder: (yargs) =>
    yargs
      .usage(`$0 openapi [options]\n\n${describe}`)
      .options(options)
      .example(
        examples({
          openapi: 'print it',
          'openapi --out interface.json': 'write it to a file',
        }),
      )
      .epilogue('What the interface document does not show is marked x-tryon-unknown.'),
  handler: async ({ out }) => {
    const { interfaceDescription } = await import('../openapi/interface.ts');
    const json = `${JSON.stringify(interfaceDescription(), null, 2)}\n`;
    if (out === undefined) {
      process.stdout.write(json);
      return;
    }
    try {
      writeFileSync(out, json, { flag: 'wx' });
    } catch (error) {
      throw usageError(`--out: ${out} cannot be written: ${systemWords(error)}`, error);
    }
    process.stdout.write(`Wrote ${out}\n`);
  },
};

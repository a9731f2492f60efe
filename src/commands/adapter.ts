import type { CommandModule } from 'yargs';
import { type ArgumentsOf, examples, text } from './options.ts';

const checkOptions = {
  profile: text('Target profile that names the adapter, or has a map'),
} as const;

type CheckArguments = ArgumentsOf<typeof checkOptions> & { readonly file?: string | undefined };

const describe = 'Check an adapter, or the map of a profile, without a network';

const check: CommandModule<object, CheckArguments> = {
  command: 'check [file]',
  describe,
  builder: (yargs) =>
    yargs
      .usage(
        `$0 adapter check [file]\n\n${describe}: show each request, and read the examples of the adapter`,
      )
      .positional('file', { type: 'string', describe: 'File with an adapter; not needed with --profile' })
      .options(checkOptions)
      .example(
        examples({
          'adapter check adapter.ts': 'reads the examples in the file',
          'adapter check --profile staging.json': 'shows what goes out',
        }),
      ),
  handler: async (args) => {
    const { checkAdapter } = await import('./first-steps/check-adapter.ts');
    process.exitCode = await checkAdapter(args.file, args.profile);
  },
};

/** `tryon adapter`: what helps to write an adapter. It sends nothing. */
export const adapterCommand: CommandModule = {
  command: 'adapter',
  describe: 'Check how requests and answers are adapted to a service: adapter check',
  builder: (yargs) => yargs.command(check).demandCommand(1),
  handler: () => undefined,
};

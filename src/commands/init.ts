import type { CommandModule } from 'yargs';
import { examples } from './options.ts';
import { promiseOptions, type TargetArguments, targetOptions } from './target-options.ts';

export type InitArguments = TargetArguments & { readonly file: string };

const describe = 'Write a profile for your service: five questions, and a few reads of the service';

/** `tryon init [FILE]`: a commented profile to start with. */
export const initCommand: CommandModule<object, InitArguments> = {
  command: 'init [file]',
  describe,
  builder: (yargs) =>
    yargs
      .usage(
        `$0 init [file] [options]\n\n${describe}. A question is not asked if its option is given. Without a terminal tryon asks nothing: give --target and --key load=ENV_VAR.`,
      )
      .positional('file', {
        type: 'string',
        default: 'tryon.json',
        describe: 'File to write; it must not exist',
      })
      .options({
        target: { ...targetOptions.target, describe: 'Base URL of your service, with its version' },
        key: targetOptions.key,
        'env-file': targetOptions['env-file'],
      })
      .options(promiseOptions)
      .example(
        examples({
          init: 'asks',
          'init --target http://127.0.0.1:8080/v1 --key load=K': 'asks less',
        }),
      ),
  handler: async (args) => {
    const { writeFirstProfile } = await import('./first-steps/first-profile.ts');
    await writeFirstProfile(args);
  },
};

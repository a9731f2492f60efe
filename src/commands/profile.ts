import type { CommandModule } from 'yargs';
import { examples } from './options.ts';
import {
  descriptionOptions,
  promiseOptions,
  sampleOptions,
  type TargetArguments,
  targetOptions,
} from './target-options.ts';

const describe = 'Show the profile of a run: each value, and where it comes from';

/** `tryon profile`: the layers of a profile put together. It sends nothing. */
export const profileCommand: CommandModule<object, TargetArguments> = {
  command: 'profile',
  describe,
  builder: (yargs) =>
    yargs
      .usage(`$0 profile [options]\n\n${describe}`)
      .options(targetOptions)
      .options(promiseOptions)
      .options(descriptionOptions)
      .options(sampleOptions)
      .example(
        examples({
          'profile --profile staging.json': 'what a run with this file would use',
          'profile --rate-limit 600/1m': 'the defaults, and one promise',
        }),
      ),
  handler: async (args) => {
    const { showProfile } = await import('./first-steps/show-profile.ts');
    showProfile(args);
  },
};

import type { CommandModule } from 'yargs';
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
      .example('$0 profile --profile staging.json', 'What a run with this profile would use'),
  handler: async (args) => {
    const { showProfile } = await import('./show-profile.ts');
    showProfile(args);
  },
};

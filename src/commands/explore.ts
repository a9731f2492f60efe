import type { CommandModule } from 'yargs';
import { type ArgumentsOf, examples, flag, numberOption, text, wholeFrom } from './options.ts';
import { alterationOptions, targetOptions } from './target-options.ts';

/** The options of `tryon explore`. */
export const exploreOptions = {
  ...targetOptions,
  ...alterationOptions,
  seed: numberOption('seed', wholeFrom(0), 'Seed: the same seed draws the same calls', { default: 1 }),
  calls: numberOption('calls', wholeFrom(50, 100_000), 'Number of calls', { default: 500 }),
  rate: numberOption('rate', wholeFrom(1, 1_000), 'Calls per second', { default: 40 }),
  record: text('FILE: keep the calls with their answers, as JSON'),
  json: flag('Print the findings as JSON'),
} as const;

export type ExploreArguments = ArgumentsOf<typeof exploreOptions>;

const describe = 'Send calls that tell a sound service from a faulty one, and name what is wrong';

/** `tryon explore`: judges keys, shades, sessions and events by the model of the interface. */
export const exploreCommand: CommandModule<object, ExploreArguments> = {
  command: 'explore',
  describe,
  builder: (yargs) =>
    yargs
      .usage(`$0 explore [options]\n\n${describe}`)
      .options(exploreOptions)
      .example(
        examples({
          explore: 'the embedded service',
          'explore --defect N6': 'with a planted defect',
          'explore --profile staging.json': 'your deployment',
        }),
      ),
  handler: async (args) => {
    const { exploreTarget } = await import('./explore/explore-target.ts');
    await exploreTarget(args);
  },
};

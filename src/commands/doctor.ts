import type { CommandModule } from 'yargs';
import { examples } from './options.ts';
import { promiseOptions, sampleOptions, type TargetArguments, targetOptions } from './target-options.ts';

export type DoctorArguments = TargetArguments & { readonly scenario?: string | undefined };

const describe = 'Say what is missing for a scenario, or for each: keys, promises, Node.js, disk space';

/** `tryon doctor [SCENARIO]`: what a run would lack, before it is made. */
export const doctorCommand: CommandModule<object, DoctorArguments> = {
  command: 'doctor [scenario]',
  describe,
  builder: (yargs) =>
    yargs
      .usage(
        `$0 doctor [scenario] [options]\n\n${describe}. It reads analytics of the target once for each key, and changes nothing there.`,
      )
      .positional('scenario', {
        type: 'string',
        describe: 'Name of a scenario, or path of a .ts file. Default: all that tryon includes',
      })
      .options(targetOptions)
      .options(promiseOptions)
      .options(sampleOptions)
      .example(
        examples({
          doctor: 'what each scenario would lack',
          'doctor launch --profile staging.json': 'what a launch would lack',
        }),
      ),
  handler: async (args) => {
    const { examine } = await import('./first-steps/examine.ts');
    process.exitCode = await examine(args);
  },
};

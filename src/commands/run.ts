import type { CommandModule } from 'yargs';
import type { CapArguments } from './announce.ts';
import type { TargetArguments } from './prepare.ts';

export interface RunArguments extends TargetArguments, CapArguments {
  readonly scenario: string;
  readonly seed?: number | undefined;
  readonly out?: string | undefined;
}

/** `tryon run [scenario]`: the main job. */
export const runCommand: CommandModule<object, RunArguments> = {
  command: 'run [scenario]',
  describe: 'Run a scenario against a target, or against the embedded reference service',
  builder: (yargs) =>
    yargs
      .positional('scenario', {
        type: 'string',
        default: 'launch',
        describe: 'A name (see tryon scenarios), or the path of a .ts file',
      })
      .option('target', {
        type: 'string',
        requiresArg: true,
        describe: 'Base URL, with /v1; without it: embedded',
      })
      .option('profile', { type: 'string', requiresArg: true, describe: 'Target profile, a JSON file' })
      .option('key', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'ROLE=ENV_VAR: where the key for load, quota or bystander is',
      })
      .option('allow-host', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'A host other than loopback that may be loaded',
      })
      .option('seed', { type: 'number', requiresArg: true, describe: 'The same seed plans the same run' })
      .option('out', { type: 'string', requiresArg: true, describe: 'Folder for the run; must not exist' })
      .option('rate-limit', {
        type: 'string',
        requiresArg: true,
        describe: 'Promised limit, such as 1000/1m',
      })
      .option('quota', {
        type: 'number',
        requiresArg: true,
        describe: "Sessions that the quota key's plan allows",
      })
      .option('yes', {
        type: 'boolean',
        default: false,
        describe: 'Do not ask before loading a host that is not loopback',
      })
      .option('max-requests', {
        type: 'number',
        requiresArg: true,
        describe: 'End the load after so many requests',
      })
      .option('max-sessions', {
        type: 'number',
        requiresArg: true,
        describe: 'End the load after so many new sessions',
      })
      .option('max-minutes', {
        type: 'number',
        requiresArg: true,
        describe: 'End the load after so many minutes',
      }),
  handler: async (args) => {
    const { runScenario } = await import('./run-scenario.ts');
    process.exitCode = await runScenario(args);
  },
};

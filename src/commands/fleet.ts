import type { CommandModule } from 'yargs';
import {
  type FleetRunArguments,
  fleetRunOptions,
  type WorkerArguments,
  workerOptions,
} from './fleet-options.ts';
import { examples } from './options.ts';

const worker: CommandModule<object, WorkerArguments> = {
  command: 'worker',
  describe: 'Send shards as they come, one at a time, with the keys of this machine, until Ctrl-C',
  builder: (yargs) =>
    yargs.options(workerOptions).example(
      examples({
        'fleet worker': 'for a Redis on this machine',
        'fleet worker --env-file keys.env': 'with the keys of a file',
      }),
    ),
  handler: async (args) => (await import('./fleet/fleet-worker.ts')).runWorker(args),
};

const run: CommandModule<object, FleetRunArguments> = {
  command: 'run [scenario]',
  describe: 'Run a scenario on the workers: each sends a shard, and this program judges all',
  builder: (yargs) =>
    yargs
      .positional('scenario', {
        type: 'string',
        default: 'launch',
        describe: 'Name of a scenario, or path of a .ts file that each worker has',
      })
      .options(fleetRunOptions)
      .example(
        examples({
          'fleet run launch --shards 4 --gather /mnt/a': 'with --target, --key',
          'fleet run --shards 2 --gather s3://bucket/a': 'they meet in a bucket',
        }),
      ),
  handler: async (args) => {
    process.exitCode = await (await import('./fleet/fleet-run.ts')).runFleet(args);
  },
};

/** `tryon fleet`: shards on machines that wait for work at a Redis. */
export const fleetCommand: CommandModule = {
  command: 'fleet',
  describe: 'Send a plan from several machines that wait at a Redis: fleet worker, fleet run',
  builder: (yargs) => yargs.command(worker).command(run).demandCommand(1),
  handler: () => undefined,
};

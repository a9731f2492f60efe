import { setImmediate } from 'node:timers/promises';
import type { ExitCode } from '../../exit.ts';
import { loadScenario } from '../../scenario/files.ts';
import type { RunArguments } from '../options.ts';
import { assertNoProfile, environment, newRunFolder, newSeed } from '../shell.ts';
import { joinShards, shardWanted } from './join-shards.ts';
import { readObserveSettings } from './observe.ts';
import { openTarget } from './open-target.ts';
import { parseWorkers } from './plan-run.ts';

/** Runs a scenario from the command line; returns the exit code. Throws usage and target errors. */
export async function runScenario(args: RunArguments): Promise<ExitCode> {
  const file = await loadScenario(args.scenario);
  if (args.budget !== undefined) {
    const { assertBudget } = await import('./fit-budget.ts');
    assertBudget(file, args);
  }
  const env = environment(args['env-file']);
  const observing = readObserveSettings(args, env);
  const wantedShard = shardWanted(args, env);
  assertNoProfile(args['write-profile']);
  const wanted = parseWorkers(args.workers);
  const outDir = wantedShard?.outDir ?? args.out;
  if (outDir !== undefined) newRunFolder(outDir);
  const opening = openTarget(args, file.scenario, env);
  // Each takes a third of a second: the embedded service is started first, and starts while this loads what drives a run.
  const driving = setImmediate().then(() => import('./run-against.ts'));
  const target = await opening;
  try {
    const { runAgainst } = await driving;
    const joined = wantedShard === undefined ? undefined : await joinShards(wantedShard, target);
    const seed = args.seed ?? joined?.plan?.seed ?? newSeed(process.env);
    return await runAgainst(target, args, {
      ...{ file, seed, outDir, wanted, observing },
      ...(joined === undefined ? {} : { joined, shard: joined.meeting.shard, tag: joined.plan?.id }),
    });
  } finally {
    await target.close();
  }
}

import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type ExitCode, usageError } from '../../exit.ts';
import { loadScenario } from '../../scenario/files.ts';
import { readObserveSettings } from '../observe-options.ts';
import type { RunArguments } from '../run.ts';
import { environment } from './environment.ts';
import { joinShards, shardWanted } from './join-shards.ts';
import { openDescription } from './open-description.ts';
import { openTarget } from './open-target.ts';
import { parseWorkers } from './workers.ts';
import { assertNoFile } from './write-profile.ts';

/** Runs a scenario from the command line; returns the exit code. Throws usage and target errors. */
export async function runScenario(args: RunArguments): Promise<ExitCode> {
  const file = await loadScenario(args.scenario);
  if (args.budget !== undefined) {
    const { assertBudget } = await import('./fit-budget.ts');
    assertBudget(file, args);
  }
  const env = environment(args['env-file']);
  const observing = { settings: readObserveSettings(args, env), env };
  const wantedShard = shardWanted(args, env);
  assertNoFile(args['write-profile']);
  const wanted = parseWorkers(args.workers);
  const outDir = wantedShard?.outDir ?? args.out;
  if (outDir !== undefined && existsSync(outDir))
    throw usageError(`--out: ${outDir} exists already; a run needs a new folder`);
  const opening = openTarget(args, file.scenario, env);
  // Each takes a third of a second: the embedded service is started first, and starts while this loads what drives a run.
  const driving = setImmediate().then(() => import('./run-against.ts'));
  const target = await opening;
  try {
    const description = await openDescription(target);
    const { runAgainst } = await driving;
    const joined = wantedShard === undefined ? undefined : await joinShards(wantedShard, target);
    const seed = args.seed ?? joined?.plan?.seed ?? newSeed(process.env);
    return await runAgainst(target, args, {
      ...{ file, seed, outDir, wanted, description, observing },
      ...(joined === undefined ? {} : { joined, shard: joined.meeting.shard, tag: joined.plan?.id }),
    });
  } finally {
    await target.close();
  }
}

/** In a pipeline always the same, so that a run can be compared with that of the commit before. */
export const newSeed = ({ CI }: NodeJS.ProcessEnv): number =>
  CI === undefined || CI === '' || CI === 'false' ? Math.floor(Math.random() * 2 ** 32) : 1;

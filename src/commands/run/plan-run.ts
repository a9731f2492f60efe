import { createHash } from 'node:crypto';
import { type Budget, budgetOf } from '../../drive/budget.ts';
import { makeExploration } from '../../explore/exploration.ts';
import type { ShardName } from '../../gather/shard-name.ts';
import type { RunInfo } from '../../history/run.ts';
import type { Excerpt } from '../../plan/plan.ts';
import type { ScenarioFile } from '../../scenario/files.ts';
import type { RunArguments } from '../run.ts';
import { type FittedScenario, fitBudget } from './fit-budget.ts';
import { shardInfo } from './join-shards.ts';
import type { GivenDescription } from './open-description.ts';
import type { Target } from './open-target.ts';
import { type Prepared, prepare } from './prepare.ts';
import { describeRun } from './run-info.ts';
import { type Workers, type WorkersWanted, workersFor } from './workers.ts';

/** What the arguments of a run have been found to say. */
export interface PlanParameters {
  readonly file: ScenarioFile;
  readonly seed: number;
  readonly wanted: WorkersWanted;
  /** The target's own, if the run was given one. */
  readonly description?: GivenDescription | undefined;
  /** Of a run of several shards: which of them this is, and the tag of all. */
  readonly shard?: ShardName | undefined;
  readonly tag?: string | undefined;
  /** Of a part of an earlier run. */
  readonly excerpt?: Excerpt | undefined;
}

/** A run before its first request. */
export interface PlannedRun extends FittedScenario {
  readonly prepared: Prepared;
  readonly budget: Budget;
  readonly workers: Workers;
  /**
   * What `run.json` will say; `zeroEpochMs`: the zero of the history's clock, `traceRun`: the run's digits of trace ids.
   */
  readonly describe: (zeroEpochMs: number, traceRun?: string) => RunInfo;
}

/** Plans a run against a target. Throws usage errors. */
export function planRun(
  target: Target,
  args: RunArguments,
  { description, excerpt, file, seed, shard, tag, wanted }: PlanParameters,
): PlannedRun {
  const { exploreMs, leftOut, scenario } = fitBudget(file, args, target);
  const budgetFor = (each: Prepared): Budget => budgetOf(each, scenario.scenario, target.profile, shard?.of);
  const all = prepare(scenario.scenario, target, { seed, tag, excerpt, exploreMs });
  const prepared = withinCap(all, budgetFor(all), args, { seed, target });
  const { plan } = prepared;
  const budget = budgetFor(prepared);
  const workers = workersFor(wanted, { scenario: scenario.scenario, plan, profile: target.profile });
  const common = { scenario, leftOut, seed, target, prepared, budget, workers: workers.count, description };
  const part = shard === undefined ? undefined : shardInfo(shard, prepared.planInput);
  const describe = (zeroEpochMs: number, traceRun?: string): RunInfo =>
    describeRun({ ...common, asked: askedOf(args, file), shard: part, zeroEpochMs, traceRun });
  return { scenario, leftOut, prepared, budget, workers, describe };
}

/** Of a cap on requests, the explorer gets what the rest of the run leaves, or this share. */
const exploredShare = 0.2;
/** Fewer calls than these are not worth sending. */
const fewestCalls = 100;

/** Where a cap has no room for the whole run, with fewer calls of the explorer, and none during the load. */
function withinCap(
  prepared: Prepared,
  { exploreRequests, rows }: Budget,
  { 'max-requests': most = Number.POSITIVE_INFINITY }: RunArguments,
  { seed, target }: { readonly seed: number; readonly target: Target },
): Prepared {
  const inAll = rows.reduce((sum, { requests }) => sum + requests, 0);
  if (inAll <= most) return prepared;
  const { exploration, explorationBeside, ...rest } = prepared;
  if (exploration === undefined) return rest;
  const left = most - (inAll - exploreRequests - (explorationBeside?.groups.flat().length ?? 0));
  const calls = Math.min(exploreRequests, Math.floor(Math.max(left, exploredShare * most)));
  const { given, tag } = prepared;
  const fewer =
    calls < fewestCalls ? undefined : makeExploration({ calls, seed, tag }, target.profile, given);
  return { ...rest, exploration: fewer };
}

/** What `run.json` keeps of the command line. */
function askedOf(args: RunArguments, file: ScenarioFile): NonNullable<RunInfo['asked']> {
  const { budget, scenario } = args;
  const numbers = { max_requests: args['max-requests'], max_sessions: args['max-sessions'] };
  const given = { budget, ...numbers, max_minutes: args['max-minutes'] };
  return {
    scenario,
    scenario_sha256: scenarioDigest(file),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

/** SHA-256 of what a scenario's file defines: it stays the same where only a comment changes. */
export function scenarioDigest({ scenario }: ScenarioFile): string {
  return createHash('sha256').update(JSON.stringify(scenario)).digest('hex');
}

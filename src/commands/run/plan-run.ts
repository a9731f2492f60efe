import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { counted, number } from '../../amounts.ts';
import { type Budget, budgetOf, mostOf } from '../../drive/budget.ts';
import type { ShardName } from '../../drive/gather/shards.ts';
import { usageError } from '../../exit.ts';
import { makeExploration } from '../../explore/exploration.ts';
import { mostWorkers } from '../../history/files.ts';
import type { RunInfo } from '../../history/run.ts';
import type { Excerpt, Plan } from '../../plan/plan.ts';
import type { Scenario } from '../../scenario/define.ts';
import type { ScenarioFile } from '../../scenario/files.ts';
import type { Profile } from '../../target/profile.ts';
import type { RunArguments } from '../options.ts';
import { type FittedScenario, fewestCalls, fitBudget } from './fit-budget.ts';
import type { GivenDescription } from './open-description.ts';
import type { Target } from './open-target.ts';
import { type Prepared, prepare } from './prepare.ts';

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

/** A run before its first request: the whole of what is known of it. */
export interface PlannedRun extends PlanParameters, FittedScenario, Prepared {
  readonly target: Target;
  readonly args: RunArguments;
  readonly tag: string;
  readonly budget: Budget;
  readonly loadCap: LoadCap;
  readonly workers: Workers;
}

/** What the load may send, create and take under the caps of a run: the rest of the run keeps its share. */
interface LoadCap {
  readonly requests: number;
  readonly sessions: number;
  readonly ms: number;
}

/** Plans a run against a target. Throws usage errors. */
export function planRun(target: Target, args: RunArguments, parameters: PlanParameters): PlannedRun {
  const fitted = fitBudget(parameters.file, args, target, parameters.seed);
  const { scenario } = fitted;
  const budgetFor = (each: Prepared): Budget =>
    budgetOf(each, scenario, target.profile, parameters.shard?.of);
  const all = prepare(scenario, target, { ...parameters, ...fitted });
  const prepared = withinCap(all, budgetFor(all), args, { ...parameters, target });
  const whole = budgetFor(prepared);
  const loadCap = {
    requests:
      (args['max-requests'] ?? Number.POSITIVE_INFINITY) -
      (mostOf(whole, 'requests') - whole.plannedRequests),
    sessions: args['max-sessions'] ?? Number.POSITIVE_INFINITY,
    ms: (args['max-minutes'] ?? Number.POSITIVE_INFINITY) * 60_000 - whole.aroundMs,
  };
  const budget = cappedBudget(whole, prepared, loadCap, args);
  const workers = workersFor(parameters.wanted, { ...prepared, scenario, profile: target.profile });
  return { ...parameters, ...fitted, ...prepared, target, args, budget, loadCap, workers };
}

/** Of a cap on requests, the explorer gets what the rest of the run leaves, or this share. */
const exploredShare = 0.2;

/** Where a cap has no room for the whole run, with fewer calls of the explorer, and none during the load. */
function withinCap(
  prepared: Prepared,
  budget: Budget,
  { 'max-requests': most = Number.POSITIVE_INFINITY }: RunArguments,
  { seed, target }: { readonly seed: number; readonly target: Target },
): Prepared {
  const inAll = mostOf(budget, 'requests');
  if (inAll <= most) return prepared;
  const { exploration, explorationBeside, ...rest } = prepared;
  if (exploration === undefined) return rest;
  const { exploreRequests } = budget;
  const left = most - (inAll - exploreRequests - (explorationBeside?.groups.flat().length ?? 0));
  const calls = Math.min(exploreRequests, Math.floor(Math.max(left, exploredShare * most)));
  const { given, tag } = prepared;
  const fewer =
    calls < fewestCalls ? undefined : makeExploration({ calls, seed, tag }, target.profile, given);
  return { ...rest, exploration: fewer };
}

type Caps = Pick<RunArguments, 'max-minutes' | 'max-requests' | 'max-sessions'>;

/** What a run sends at most under its caps: no key sends more than all may, and the load ends with the last request that may be sent. */
function cappedBudget(
  budget: Budget,
  { plan }: Pick<Prepared, 'plan'>,
  forLoad: LoadCap,
  {
    'max-minutes': minutes = Number.POSITIVE_INFINITY,
    'max-requests': most = Number.POSITIVE_INFINITY,
  }: Caps,
): Budget {
  const loadMs = plan.horizonNs / 1e6;
  const sentMs = forLoad.requests < budget.plannedRequests ? instantOf(plan, forLoad.requests) / 1e6 : loadMs;
  return {
    ...budget,
    rows: budget.rows.map((row) => ({
      ...row,
      requests: Math.min(row.requests, most),
      sessions: Math.min(row.sessions, forLoad.sessions, most),
      imports: Math.min(row.imports, most),
    })),
    totalMs: Math.min(budget.totalMs - loadMs + sentMs, minutes * 60_000),
  };
}

/** When the plan has sent this number of requests, nanoseconds from the start of the load. */
function instantOf(plan: Plan, count: number): number {
  let sent = 0;
  for (const { atNs } of plan.requests()) if (++sent > count) return atNs;
  return plan.horizonNs;
}

/** What `run.json` keeps of the command line. */
export function askedOf({ args, file }: Pick<PlannedRun, 'args' | 'file'>): NonNullable<RunInfo['asked']> {
  const { budget, scale, scenario } = args;
  const numbers = { max_requests: args['max-requests'], max_sessions: args['max-sessions'] };
  const given = { budget, scale, ...numbers, max_minutes: args['max-minutes'] };
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

/** What `--workers` says. */
export type WorkersWanted = number | 'auto';

/** How many threads drive a run's load; `why` gives the reason if it is not obvious. */
export interface Workers {
  readonly count: number;
  readonly why?: string;
}

/** Each worker goes through all slots and arrivals to find its own, so that from some number on more of them gain little. */
const mostByItself = 8;

/** Throws a usage error for what is no number of workers. */
export function parseWorkers(argument: string | undefined): WorkersWanted {
  if (argument === undefined) return 1;
  if (argument === 'auto') return 'auto';
  const count = /^\d+$/.test(argument) ? Number(argument) : 0;
  if (count < 1 || count > mostWorkers)
    throw usageError(`--workers: expected auto or a whole number from 1 to ${mostWorkers}, got ${argument}`);
  return count;
}

/**
 * The number of workers that share the load. `auto` leaves a core to the rest of the program, and takes one worker if
 * the run has nothing to share. With an explicit number, that throws a usage error that says what to do.
 */
export function workersFor(
  wanted: WorkersWanted,
  run: {
    readonly scenario: Pick<Scenario, 'name' | 'study'>;
    readonly profile: Pick<Profile, 'connections'>;
  },
  cores = availableParallelism(),
): Workers {
  if (wanted === 1) return { count: 1 };
  const { connections } = run.profile;
  const { name, study } = run.scenario;
  const obstacle =
    study.length === 0
      ? undefined
      : `the studies of ${name} choose each request by all earlier answers, so one thread sends them`;
  if (wanted === 'auto') {
    if (obstacle !== undefined) return { count: 1, why: obstacle };
    const count = Math.max(1, Math.min(cores - 1, connections, mostByItself));
    return { count, why: `${counted(cores, 'core')}` };
  }
  if (obstacle !== undefined) throw usageError(`--workers ${wanted}: ${obstacle}; leave --workers out`);
  if (connections < wanted)
    throw usageError(
      `--workers ${wanted}: each needs a connection, and the profile allows ${number(connections)} (connections); raise that, or use fewer workers`,
    );
  return { count: wanted };
}

/** For the announcement; nothing for what is always so. */
export function workersLine({ count, why }: Workers): string | undefined {
  if (count === 1 && why === undefined) return undefined;
  const reason = why === undefined ? '' : ` (auto: ${why})`;
  return count === 1
    ? `one thread drives the load${reason}`
    : `${counted(count, 'thread')} share the load${reason}`;
}

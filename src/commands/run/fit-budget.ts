import { counted, number, span } from '../../amounts.ts';
import { shortestLoadMs } from '../../checks/core/monotone-trend.ts';
import { budgetOf, mostOf } from '../../drive/budget.ts';
import { goesPast } from '../../drive/load/load-probe.ts';
import { costOf, type LeastBudget, leastBudgetOf } from '../../drive/study/cost.ts';
import { readOption, usageError } from '../../exit.ts';
import type { RunInfo } from '../../history/run.ts';
import { type Plan, placePhases } from '../../plan/plan.ts';
import { type Scenario, scaledTo, withParts } from '../../scenario/define.ts';
import type { ScenarioFile } from '../../scenario/files.ts';
import { fitParts, type Room, type Spending } from '../../scenario/parts.ts';
import type { Study } from '../../scenario/study.ts';
import { parseDurationMs, type RateLimit } from '../../vocabulary/quantities.ts';
import type { RunArguments } from '../options.ts';
import { callsBeside, type PreparedFor, prepare, withKeys } from './prepare.ts';

/** What a command takes beside its run: the program starts, and judges, which is mostly the replay of each known fault. */
export const besideMs = 3_000;

/** Of a budget, what the program takes beside the run, and a second: the explorer's calls differ from seed to seed. */
const keptMs = besideMs + 1_000;

type BudgetArguments = Pick<RunArguments, 'budget' | 'max-requests' | 'scale'>;

/** A scenario reduced to what a run may spend, and the parts left out. */
export interface FittedScenario {
  readonly scenario: Scenario;
  readonly leftOut: NonNullable<RunInfo['left_out']>;
  /** How many calls the explorer has time for, where `--budget` says how long the run takes. */
  readonly exploreCalls?: number | undefined;
}

/** Throws a usage error for an invalid budget, or one that the scenario cannot use. */
export function assertBudget({ scenario }: ScenarioFile, { budget, scale }: BudgetArguments): void {
  if (budget === undefined) return;
  if (scale !== undefined)
    throw usageError('--scale and --budget both say how long the run takes: give one of them');
  const takesOne = scenario.parts.length > 0 || studiesInTime(scenario) || scenario.explore > 0;
  if (!takesOne) throw noUse(scenario);
  readBudgetMs(budget);
}

const studiesInTime = ({ study }: Scenario): boolean => study.some((each) => 'budgetMs' in each);
const noUse = ({ name }: Scenario): Error =>
  usageError(`--budget: scenario ${name} has neither parts, nor a study with a budget, nor the explorer`);

/**
 * Reduces the scenario to what the command line allows: `--budget` is the time of the whole run. A scenario of parts drops those, of
 * least weight first, that do not fit into it or into `--max-requests`. A study with a budget gets what the rest of the run leaves; if
 * that is too little for it, the other studies are left out. Without such a study, the explorer gets what the rest leaves. Throws a usage
 * error if nothing would be left. `seed`: of the run, since the explorer's calls differ from seed to seed.
 */
export function fitBudget(
  file: ScenarioFile,
  args: BudgetArguments,
  target: PreparedFor,
  seed = 0,
): FittedScenario {
  const { leftOut, scenario } = scaledFor(file.scenario, args.scale ?? 1, target);
  const room: Room = {
    ms: args.budget === undefined ? Number.POSITIVE_INFINITY : readBudgetMs(args.budget) - keptMs,
    requests: args['max-requests'] ?? Number.POSITIVE_INFINITY,
  };
  if (scenario.parts.length > 0) {
    const fitted = fitToRoom(scenario, room, target);
    return { ...fitted, leftOut: [...leftOut, ...fitted.leftOut] };
  }
  if (args.budget === undefined) return { scenario, leftOut };
  return studiesInTime(scenario)
    ? fitStudies(scenario, room, target)
    : { scenario, leftOut: [], exploreCalls: callsIn(scenario, room.ms, target, seed) };
}

type LeftOut = FittedScenario['leftOut'][number];

/** What is not known where a study is left out. */
const unknownWithout: Readonly<Record<Study['kind'], Pick<LeftOut, 'question' | 'checks'>>> = {
  limits: {
    question: 'Which kind of limiter is it, with which limit, window and scope?',
    checks: ['rate-limit'],
  },
  quota: { question: 'Is the session quota exact?', checks: ['quota'] },
  audit: { question: 'Are analytics consistent?', checks: ['analytics'] },
  capacity: { question: 'Which load does the target hold?', checks: ['capacity'] },
};

/** The scenario at a scale, and what it tells no more at that scale. No study gets less time than it needs to find something out. */
function scaledFor(whole: Scenario, scale: number, target: PreparedFor): FittedScenario {
  if (scale === 1) return { scenario: whole, leftOut: [] };
  const scaled = scaledTo(whole, scale);
  const enough = (study: Study): Study => {
    if (!('budgetMs' in study)) return study;
    const { ms } = leastBudgetOf(study, target.profile) ?? { ms: 0 };
    return { ...study, budgetMs: Math.max(study.budgetMs, Math.min(ms, study.budgetMs / scale)) };
  };
  const parts = scaled.parts.map((part) => ({ ...part, study: part.study.map(enough) }));
  const scenario =
    parts.length > 0
      ? withParts({ ...scaled, parts }, parts)
      : { ...scaled, study: scaled.study.map(enough) };
  return { scenario, leftOut: untold(whole, scale, target) };
}

/** The smallest scale, in hundredths, at which something holds. */
function leastScale(holds: (scale: number) => boolean): number {
  let [low, high] = [0, 100];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (holds(middle / 100)) high = middle;
    else low = middle;
  }
  return high / 100;
}

/** What a run tells only if there is enough of it; `why` is so where it is not told. */
interface ToldByEnough extends LeftOut {
  readonly isTold: (
    scenario: Scenario,
    plan: Pick<Plan, 'phases' | 'horizonNs'>,
    limit: RateLimit,
  ) => boolean;
}

const pastLimit: Pick<ToldByEnough, 'isTold' | 'why'> = {
  isTold: (_, { phases }, limit) => phases.some((placed) => goesPast(placed, limit)),
  why: 'no phase goes past the rate limit',
};
const toldByEnough: readonly ToldByEnough[] = [
  {
    name: 'past-limit',
    question: 'Is the rate limit enforced, and are requests admitted again afterwards?',
    checks: ['rate-limit'],
    ...pastLimit,
  },
  {
    name: 'keys-past-limit',
    question: 'Are unknown keys rejected past the rate limit, too?',
    checks: ['contract'],
    ...pastLimit,
  },
  {
    name: 'over-time',
    question: 'Does the target get slower with time?',
    checks: ['latency'],
    isTold: (_, { horizonNs }) => horizonNs > shortestLoadMs * 1e6,
    why: `the load takes less than ${span(shortestLoadMs)}`,
  },
  {
    name: 'calls-beside-load',
    question: 'Do calls of the explorer during the load get right answers?',
    checks: ['contract'],
    isTold: (scenario, { horizonNs }, limit) => callsBeside(scenario, horizonNs, limit) > 0,
    why: 'there is room for too few of them',
  },
];

function untold(whole: Scenario, scale: number, { keys, profile }: PreparedFor): LeftOut[] {
  const isTold = (row: ToldByEnough, share: number): boolean => {
    const scenario = scaledTo(whole, share);
    return row.isTold(
      scenario,
      placePhases(withKeys(scenario.load, keys), profile.quota.sessions),
      profile.rate_limit,
    );
  };
  return toldByEnough
    .filter((row) => isTold(row, 1) && !isTold(row, scale))
    .map((row) => {
      const { checks, name, question } = row;
      const enough = leastScale((share) => isTold(row, share));
      return { name, question, checks, why: `at scale ${scale}, ${row.why}; --scale ${enough} is enough.` };
    });
}

function spendingOf(scenario: Scenario, target: PreparedFor): Spending {
  const budget = budgetOf(prepare(scenario, target, { seed: 0, tag: 'fitting' }), scenario, target.profile);
  return { ms: budget.totalMs, requests: mostOf(budget, 'requests') };
}

function fitToRoom(scenario: Scenario, room: Room, target: PreparedFor): FittedScenario {
  const { leftOut, taken } = fitParts(scenario.parts, room, (parts) =>
    spendingOf(withParts(scenario, parts), target),
  );
  const [first] = leftOut;
  if (taken.length === 0 && first !== undefined) {
    throw usageError(
      `scenario ${scenario.name}: part ${first.part.name}: ${noRoom(room, first.needs)}; no other part fits either`,
    );
  }
  return {
    scenario: withParts(scenario, taken),
    leftOut: leftOut.map(({ part: { checks, name, question }, needs }) => ({
      name,
      question,
      checks: [...checks],
      why: `${noRoom(room, needs)}.`,
    })),
  };
}

/** Studies with a budget get the room that the rest of the run leaves. Throws a usage error if they would find nothing out in it. */
function fitStudies(scenario: Scenario, room: Room, target: PreparedFor): FittedScenario {
  const timed = scenario.study.filter((each) => 'budgetMs' in each);
  const alone = { ...scenario, study: timed };
  const whole = timeFor(scenario, room.ms, target);
  const {
    restMs,
    scenario: fitted,
    tooShort,
  } = whole.tooShort === undefined ? whole : timeFor(alone, room.ms, target);
  if (tooShort !== undefined) {
    const needsMs = Math.ceil((room.ms + keptMs - restMs + tooShort.least.ms) / 1e3) * 1e3;
    throw usageError(
      `--budget: ${span(room.ms + keptMs)} is too short for the study of ${tooShort.study.kind} in scenario ${scenario.name}. Reason: ${tooShort.least.why}. Set ${needsMs / 1e3}s or more`,
    );
  }
  if (whole.tooShort === undefined) return { scenario: fitted, leftOut: [] };
  const [all, without] = [spendingOf(scenario, target), spendingOf(alone, target)];
  const needs = { ms: all.ms - without.ms, requests: all.requests - without.requests };
  return {
    scenario: fitted,
    leftOut: scenario.study.flatMap(({ kind }) =>
      kind === 'quota' ? [{ name: kind, ...unknownWithout[kind], why: `${noRoom(room, needs)}.` }] : [],
    ),
  };
}

/** The scenario with its studies in the time that the rest of the run leaves, and the first that it is too short for. */
function timeFor(
  scenario: Scenario,
  roomMs: number,
  target: PreparedFor,
): {
  readonly scenario: Scenario;
  readonly restMs: number;
  readonly tooShort: { readonly study: Study; readonly least: LeastBudget } | undefined;
} {
  const timed = scenario.study.filter((each) => 'budgetMs' in each);
  const theirsMs = timed.reduce(
    (sum, study) => sum + (study.kind === 'audit' ? costOf(study, target.profile).ms : study.budgetMs),
    0,
  );
  const restMs = Math.floor((roomMs - (spendingOf(scenario, target).ms - theirsMs)) / timed.length);
  const tooShort = timed
    .map((study) => ({
      study,
      least: leastBudgetOf(study, target.profile) ?? { ms: 0, why: 'the rest of the run takes it all' },
    }))
    .find(({ least }) => restMs <= 0 || restMs < least.ms);
  const study = scenario.study.map((each) => ('budgetMs' in each ? { ...each, budgetMs: restMs } : each));
  return { scenario: { ...scenario, study }, restMs, tooShort };
}

/** Fewer calls of the explorer than these are not worth sending; more take minutes to judge. */
export const fewestCalls = 100;
const mostCalls = 4_000;

/** The most calls of the explorer with which a run is announced to take no longer. Throws a usage error if that is too few. */
function callsIn(scenario: Scenario, budgetMs: number, target: PreparedFor, seed: number): number {
  const fits = (exploreCalls: number): boolean => {
    const prepared = prepare(scenario, target, { seed, tag: 'fitting', exploreCalls });
    if (prepared.exploration === undefined) throw noUse(scenario);
    return budgetOf(prepared, scenario, target.profile).totalMs <= budgetMs;
  };
  if (!fits(fewestCalls))
    throw usageError(
      `--budget: ${span(budgetMs + keptMs)} is too short for scenario ${scenario.name}: the explorer has no time for ${counted(fewestCalls, 'call')}`,
    );
  let [calls, over] = [fewestCalls, 2 * fewestCalls];
  while (over < mostCalls && fits(over)) [calls, over] = [over, 2 * over];
  over = Math.min(over, mostCalls);
  // To a tenth: each step draws all of them.
  while (over - calls > calls / 10) {
    const middle = (calls + over) >> 1;
    if (fits(middle)) calls = middle;
    else over = middle;
  }
  return calls;
}

function noRoom(room: Room, needs: Spending): string {
  const bounds = [
    ...(Number.isFinite(room.ms) ? [`the budget of ${span(room.ms + keptMs)}`] : []),
    ...(Number.isFinite(room.requests) ? [`the cap of ${number(room.requests)} requests`] : []),
  ].join(' or ');
  return `it needs about ${span(needs.ms)} and up to ${counted(needs.requests, 'request')}, more than ${bounds} leaves`;
}

function readBudgetMs(budget: string): number {
  return readOption('--budget', () => parseDurationMs(budget));
}

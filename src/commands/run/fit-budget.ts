import { counted, number, span } from '../../amounts.ts';
import { budgetOf } from '../../drive/budget.ts';
import { leastBudgetOf } from '../../drive/study/cost.ts';
import { readOption, usageError } from '../../exit.ts';
import type { RunInfo } from '../../history/run.ts';
import { type Scenario, withParts } from '../../scenario/define.ts';
import type { ScenarioFile } from '../../scenario/files.ts';
import { fitParts, type Room, type Spending } from '../../scenario/parts.ts';
import { parseDurationMs } from '../../vocabulary/quantities.ts';
import type { RunArguments } from '../options.ts';
import type { Target } from './open-target.ts';
import { callsWithin, prepare } from './prepare.ts';

type BudgetArguments = Pick<RunArguments, 'budget' | 'max-requests'>;

/** A scenario reduced to what a run may spend, and the parts left out. */
export interface FittedScenario {
  readonly scenario: ScenarioFile;
  readonly leftOut: NonNullable<RunInfo['left_out']>;
  /** How long the explorer may take, where `--budget` says so. */
  readonly exploreMs?: number;
}

/** Throws a usage error for an invalid budget, or one that the scenario cannot use. */
export function assertBudget({ scenario }: ScenarioFile, { budget }: BudgetArguments): void {
  if (budget === undefined) return;
  const takesOne = scenario.parts.length > 0 || studiesInTime(scenario) || scenario.explore > 0;
  if (!takesOne) throw noUse(scenario);
  readBudgetMs(budget);
}

const studiesInTime = ({ study }: Scenario): boolean => study.some((each) => 'budgetMs' in each);
const noUse = ({ name }: Scenario): Error =>
  usageError(`--budget: scenario ${name} has neither parts, nor a study with a budget, nor the explorer`);

/**
 * Reduces the scenario to what the command line allows. A scenario of parts drops those, of least weight first, that
 * do not fit into `--budget` or `--max-requests`; any other gets the time for its study whole. Without a study with a budget, the explorer
 * gets what the rest leaves. Throws a usage error
 * if nothing would be left.
 */
export function fitBudget(file: ScenarioFile, args: BudgetArguments, target: Target): FittedScenario {
  const { scenario } = file;
  const room: Room = {
    ms: args.budget === undefined ? Number.POSITIVE_INFINITY : readBudgetMs(args.budget),
    requests: args['max-requests'] ?? Number.POSITIVE_INFINITY,
  };
  if (scenario.parts.length === 0) {
    if (args.budget === undefined) return { scenario: file, leftOut: [] };
    if (!studiesInTime(scenario))
      return { scenario: file, leftOut: [], exploreMs: forExplorer(scenario, room.ms, target) };
    assertUseful(scenario, room.ms, target);
    const study = scenario.study.map((each) => ('budgetMs' in each ? { ...each, budgetMs: room.ms } : each));
    return { scenario: { ...file, scenario: { ...scenario, study } }, leftOut: [] };
  }
  const { leftOut, taken } = fitParts(scenario.parts, room, (parts) => {
    const made = withParts(scenario, parts);
    const prepared = prepare(made, target, { seed: 0, tag: 'fitting' });
    const { rows, totalMs } = budgetOf(prepared, made, target.profile);
    return {
      ms: totalMs,
      requests: rows.reduce((sum, { requests }) => sum + requests, 0),
    };
  });
  const [first] = leftOut;
  if (taken.length === 0 && first !== undefined) {
    throw usageError(
      `scenario ${scenario.name}: part ${first.part.name}: ${noRoom(room, first.needs)}; no other part fits either`,
    );
  }
  return {
    scenario: { ...file, scenario: withParts(scenario, taken) },
    leftOut: leftOut.map(({ part: { checks, name, question }, needs }) => ({
      name,
      question,
      checks: [...checks],
      why: `${noRoom(room, needs)}.`,
    })),
  };
}

/** Fewer calls than these are not worth a run. */
const fewestCalls = 100;

/** What a budget leaves for the explorer. Throws a usage error if that is too little. */
function forExplorer(scenario: Scenario, budgetMs: number, target: Target): number {
  const { exploration, ...rest } = prepare(scenario, target, { seed: 0, tag: 'fitting' });
  if (exploration === undefined) throw noUse(scenario);
  const leftMs = budgetMs - budgetOf(rest, scenario, target.profile).totalMs;
  const wanting = fewestCalls - callsWithin(target.profile.rate_limit, leftMs);
  if (wanting <= 0) return leftMs;
  throw usageError(
    `--budget: ${span(budgetMs)} is too short for scenario ${scenario.name}: the explorer has time for ${counted(fewestCalls - wanting, 'call')}. Expected ${fewestCalls} or more`,
  );
}

/** Throws a usage error for a budget with which a study would end without having found out anything. */
function assertUseful(scenario: Scenario, budgetMs: number, target: Target): void {
  for (const study of scenario.study) {
    if (!('budgetMs' in study)) continue;
    const least = leastBudgetOf(study, target.profile);
    if (least === undefined || budgetMs >= least.ms) continue;
    throw usageError(
      `--budget: ${span(budgetMs)} is too short for the study of ${study.kind} in scenario ${scenario.name}. Reason: ${least.why}. Set ${Math.ceil(least.ms / 1e3)}s or more`,
    );
  }
}

function noRoom(room: Room, needs: Spending): string {
  const bounds = [
    ...(Number.isFinite(room.ms) ? [`the budget of ${span(room.ms)}`] : []),
    ...(Number.isFinite(room.requests) ? [`the cap of ${number(room.requests)} requests`] : []),
  ].join(' or ');
  return `it needs about ${span(needs.ms)} and up to ${counted(needs.requests, 'request')}, more than ${bounds} leaves`;
}

function readBudgetMs(budget: string): number {
  return readOption('--budget', () => parseDurationMs(budget));
}

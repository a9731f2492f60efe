import type { RunInfo } from '../history/run.ts';
import type { Plan } from '../plan/plan.ts';
import type { Scenario } from '../scenario/define.ts';
import type { Keys } from '../target/keys.ts';
import { type Role, roles } from '../target/profile.ts';

/** What a run will send at most. */
export interface Budget {
  readonly rows: RunInfo['budget'];
  readonly plannedRequests: number;
  /** Requests of set-up and settling, on top of the plan. */
  readonly aroundRequests: number;
  readonly minutes: number;
}

/** Set-up asks about this many questions, settling about this many besides reads back and analytics. */
const setupQuestions = 30;
const settleQuestions = 6;
/** Settling, in minutes, as announced: it is paced, and short beside the load. */
const aroundMinutes = 0.5;

/** Counts a plan through; what has no key is not sent and not counted. */
export function budgetOf(plan: Plan, scenario: Scenario, keys: Keys, shades: Readonly<Record<Role, number>>): Budget {
  const requests: Record<Role, number> = { load: 0, quota: 0, bystander: 0 };
  const sessions: Record<Role, number> = { load: scenario.probes ? 1 : 0, quota: 0, bystander: 0 };
  let plannedRequests = 0;
  for (const { role, step } of plan.requests()) {
    plannedRequests++;
    requests[role]++;
    if (step.kind === 'create-session') sessions[role]++;
  }
  for (const placed of plan.phases) {
    if (placed.kind !== 'closed') continue;
    const most = placed.phase.capPerStep * placed.phase.connections.length;
    requests.load += most;
    if (placed.phase.traffic === 'sessions') sessions.load += most;
  }
  const around =
    setupQuestions + settleQuestions + scenario.settle.readBack + 2 * (scenario.catalog.products + 4);
  requests.load += around;
  return {
    rows: roles
      .filter((role) => keys[role] !== undefined)
      .map((role) => ({
        role,
        requests: requests[role],
        sessions: sessions[role],
        imports: Math.ceil(shades[role] / 500) + (role === 'load' && scenario.probes ? 2 : 0),
      })),
    plannedRequests,
    aroundRequests: around,
    minutes: Math.ceil((plan.horizonNs / 60e9 + aroundMinutes) * 10) / 10,
  };
}

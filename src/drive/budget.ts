import type { Catalog } from '../catalog/catalog.ts';
import type { RunInfo } from '../history/run.ts';
import type { Plan } from '../plan/plan.ts';
import type { Scenario } from '../scenario/define.ts';
import type { Profile, Role } from '../target/profile.ts';
import { fastestPerSecond } from './governor.ts';
import { batchLimit } from './setup.ts';

/** What a run will send at most. */
export interface Budget {
  readonly rows: RunInfo['budget'];
  readonly plannedRequests: number;
  /** Requests of set-up and settling, on top of the plan. */
  readonly aroundRequests: number;
  /** How long set-up and settling take, as far as can be told: they are paced, and analytics get their time to be fresh. */
  readonly aroundMs: number;
  readonly minutes: number;
}

/** Set-up asks about this many questions, settling about this many besides reads back and analytics. */
const setupQuestions = 30;
const settleQuestions = 6;

/** Counts a plan through. */
export function budgetOf(
  prepared: {
    readonly plan: Plan;
    readonly roles: readonly Role[];
    readonly catalogs: Readonly<Record<Role, Catalog>>;
  },
  scenario: Scenario,
  profile: Profile,
): Budget {
  const requests: Record<Role, number> = { load: 0, quota: 0, bystander: 0 };
  const sessions: Record<Role, number> = { load: scenario.probes ? 1 : 0, quota: 0, bystander: 0 };
  let plannedRequests = 0;
  for (const { role, step } of prepared.plan.requests()) {
    plannedRequests++;
    requests[role]++;
    if (step.kind === 'create-session') sessions[role]++;
  }
  for (const placed of prepared.plan.phases) {
    if (placed.kind !== 'closed') continue;
    const most = placed.phase.capPerStep * placed.phase.connections.length;
    requests.load += most;
    if (placed.phase.traffic === 'sessions') sessions.load += most;
  }
  const analyticsRounds = scenario.checks.includes('analytics') ? 2 * (scenario.catalog.products + 4) : 0;
  const aroundRequests = setupQuestions + settleQuestions + scenario.settle.readBack + analyticsRounds;
  requests.load += aroundRequests;
  const aroundMs = (aroundRequests / fastestPerSecond) * 1e3 + profile.analytics.freshness;
  return {
    rows: prepared.roles.map((role) => ({
      role,
      requests: requests[role],
      sessions: sessions[role],
      imports:
        Math.ceil(
          prepared.catalogs[role].products.reduce((sum, each) => sum + each.shades.length, 0) / batchLimit,
        ) + (role === 'load' && scenario.probes ? 2 : 0),
    })),
    plannedRequests,
    aroundRequests,
    aroundMs,
    minutes: Math.ceil((prepared.plan.horizonNs / 60e9 + aroundMs / 60e3) * 10) / 10,
  };
}

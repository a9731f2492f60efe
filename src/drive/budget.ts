import type { Catalog } from '../catalog/catalog.ts';
import type { RunInfo } from '../history/run.ts';
import type { Plan } from '../plan/plan.ts';
import type { Scenario } from '../scenario/define.ts';
import type { Profile, Role } from '../target/profile.ts';
import { batchLimit } from './contract-probes.ts';
import { fastestPerSecond } from './governor.ts';
import { rereads } from './settle.ts';

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

/** Questions of set-up on the load key besides imports: a few more than there are. */
const setupQuestions = 20;
/** Requests that are to be refused with 401, and a look for the interaction channel. */
const probesWithoutKey = 11;
/** Lists of a catalog after its import: one to compare, and one to see it there where it was accepted for later. */
const listings = 2;
/** Reads with the quota key once its quota is spent. */
const aftermathQuestions = 3;

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
  const sessions: Record<Role, number> = { load: 1, quota: 0, bystander: 0 };
  const imports = (role: Role): number =>
    Math.ceil(
      prepared.catalogs[role].products.reduce((sum, each) => sum + each.shades.length, 0) / batchLimit,
    );
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
  const analyticsRounds = scenario.checks.includes('analytics')
    ? 2 * (scenario.catalog.products + 4) + rereads
    : 0;
  const around: Record<Role, number> = {
    load: imports('load') + setupQuestions + scenario.settle.readBack + analyticsRounds,
    quota: imports('quota') + listings + aftermathQuestions,
    bystander: imports('bystander') + listings,
  };
  for (const role of prepared.roles) requests[role] += around[role];
  const aroundRequests = prepared.roles.reduce((sum, role) => sum + around[role], probesWithoutKey);
  const aroundMs = (aroundRequests / fastestPerSecond) * 1e3 + profile.analytics.freshness;
  return {
    rows: prepared.roles.map((role) => ({
      role,
      requests: requests[role],
      sessions: sessions[role],
      imports: imports(role) + (role === 'load' && scenario.probes ? 2 : 0),
    })),
    plannedRequests,
    aroundRequests,
    aroundMs,
    minutes: Math.ceil((prepared.plan.horizonNs / 60e9 + aroundMs / 60e3) * 10) / 10,
  };
}

import type { Catalog } from '../catalog/catalog.ts';
import type { RunInfo } from '../history/run.ts';
import { clockPlan } from '../plan/clock-moves.ts';
import type { Plan } from '../plan/plan.ts';
import type { Scenario } from '../scenario/define.ts';
import { onlyAudits } from '../scenario/study.ts';
import { mostEvents } from '../target/channel.ts';
import type { Profile } from '../target/profile.ts';
import { nearKeys } from '../vocabulary/probes.ts';
import { dayMs } from '../vocabulary/quantities.ts';
import { eachRole, type Role } from '../vocabulary/roles.ts';
import { sessionsAfterQuota } from './aftermath.ts';
import { readBackOf } from './assured.ts';
import { batchLimit } from './contract-probes.ts';
import { cornerCost, furtherCost, reachOf } from './corner-cost.ts';
import { crossedCostOf } from './crossed-probes.ts';
import { mostPeriods } from './days.ts';
import { eventQuestions, eventSessions } from './event-probes.ts';
import { mostPolls } from './freshness.ts';
import { fastestPerSecond } from './governor.ts';
import { importProbeCost } from './import-probes.ts';
import { loadProbeInstants } from './load-probe.ts';
import { malformedCost, malformedRows, malformedSessions } from './malformed-probes.ts';
import { mostPagesFor } from './page-budget.ts';
import {
  otherKeysOf,
  queriesBeside,
  queriesPerPeriod,
  questionsByOthers,
  rereads,
  unsoldQueries,
} from './settle.ts';
import { setupSessions } from './setup.ts';
import { costOf } from './study/cost.ts';
import { shardScopeCost } from './study/shard-scope-cost.ts';
import { updateCost } from './update-probes.ts';

/** The most that a run will send. */
export interface Budget {
  readonly rows: RunInfo['budget'];
  /**
   * Requests during set-up and load without a valid key: with no or an unknown key, and with one that resembles the
   * load key.
   */
  readonly invalidKeys: { readonly unlike: number; readonly near: number };
  /** Requests of the plan, and how many of them are in each of its lanes. */
  readonly plannedRequests: number;
  readonly plannedByLane: readonly number[];
  /** Requests of settling, which a cap leaves room for. */
  readonly settleRequests: number;
  /** How long set-up and settling take, as far as can be told: they are paced, and analytics get their time to be fresh. */
  readonly aroundMs: number;
  /** How long its studies may take. */
  readonly studyMs: number;
  /** The whole run: load, studies, and what comes around them. */
  readonly totalMs: number;
}

/** On each of the two keys, and what the load key lists then. */
const foreignImports = { imports: 1, lists: 1 } as const;
/** Set-up questions on the load key, without imports: slightly more than there are. */
const setupQuestions = 21;
/**
 * Probes that import their own shades or send their own events, and the reads of their sessions and analytics
 * afterwards.
 */
const ownProbes =
  updateCost.imports +
  updateCost.lists +
  updateCost.waits +
  updateCost.sessions +
  updateCost.kept +
  importProbeCost.imports +
  importProbeCost.lists +
  // Opened, and read back.
  2 * importProbeCost.sessions +
  eventQuestions +
  eventSessions +
  analyticsOf(1) +
  foreignImports.imports +
  foreignImports.lists;
/** Imports of the contract probes: the full batch, the one over the limit, and the small ones. */
const probeImports = 2 + importProbeCost.imports + updateCost.imports + foreignImports.imports;
/** With the bystander's key: reads of data that the load key made, and an import into a catalog of the same id. */
const tenancyQuestions = 2 + foreignImports.imports;
/**
 * Requests with no key, with none at another spelling of the path, and with one that was never issued: one of each on every
 * endpoint, one more on analytics of a product, and an event.
 */
const probesWithoutKey = 19;
/** Requests with a key that resembles one. A session's token is tried on one more endpoint. */
const nearKeyProbes = nearKeys.length + 1;
/** Looks for the interaction channel. */
const channelProbes = 2;
/** Lists of a catalog after its import: one to compare, and one to see it there where it was accepted for later. */
const listings = 2;
/** What the quota key's account holds before the run. */
const baselineOfQuota = 1;
/** With the quota key once its quota is spent: reads, an import, an empty batch of events, and one more session. */
const aftermathQuestions = 6;
const aftermathImports = 1;
/** Reads after 429: the rejected sessions must not exist. */
const refusedQuestions = 1;

const none = { beside: 0, after: 0, patient: 0 };

/** Counts a plan through. */
export function budgetOf(
  prepared: {
    readonly plan: Plan;
    readonly roles: readonly Role[];
    /** The roles that a key was given for. */
    readonly given: readonly Role[];
    /** Whose catalogs are imported; none where nothing is to be written. */
    readonly imported: readonly Role[];
    readonly catalogs: Readonly<Record<Role, Catalog>>;
    /** Keys that take turns where no limit should interfere; 0 means the load key only. */
    readonly poolKeys: number;
  },
  scenario: Scenario,
  profile: Profile,
  shards = 1,
): Budget {
  const requests = eachRole(() => 0);
  const isProbed = scenario.probes && prepared.imported.includes('load');
  const reach = isProbed ? reachOf(scenario) : undefined;
  const corners = cornerCost(reach, mostEvents(profile.channel));
  const further = furtherCost(reach, mostEvents(profile.channel));
  const malformed = malformedCost(malformedRows(reach, false));
  const furtherMalformed = malformedCost(malformedRows(reach, true));
  const crossed = crossedCostOf(isProbed ? scenario : undefined);
  const mostPages = mostPagesFor(reach);
  const opened = isProbed
    ? setupSessions.most + corners.sessions + malformedSessions(reach) + crossed.sessions
    : prepared.imported.includes('load')
      ? setupSessions.least
      : 0;
  const sessions = eachRole((role) => (role === 'load' ? opened : 0));
  const imports = (role: Role): number =>
    prepared.imported.includes(role)
      ? Math.ceil(
          prepared.catalogs[role].products.reduce((sum, each) => sum + each.shades.length, 0) / batchLimit,
        )
      : 0;
  const pages = (role: Role): number =>
    prepared.imported.includes(role) ? (role === 'load' ? mostPages.load : mostPages.other) : 0;
  const { laneCount } = prepared.plan;
  const plannedByLane = new Array<number>(laneCount).fill(0);
  for (const { number, role, step } of prepared.plan.requests()) {
    plannedByLane[number % laneCount] = (plannedByLane[number % laneCount] ?? 0) + 1;
    requests[role]++;
    if (step.kind === 'create-session') sessions[role]++;
  }
  for (const placed of prepared.plan.phases) {
    if (placed.kind !== 'closed') continue;
    const most = placed.phase.capPerStep * placed.phase.connections.length;
    requests.load += most;
    if (placed.phase.traffic === 'sessions') sessions.load += most;
  }
  if (prepared.roles.includes('quota')) sessions.quota += sessionsAfterQuota;
  // More than were opened cannot be read.
  const readBack = Math.min(readBackOf(scenario, profile), sessions.load);
  const asksAnalytics = scenario.checks.includes('analytics') && !onlyAudits(scenario);
  const polls = asksAnalytics ? mostPolls(profile, prepared.plan.horizonNs, scenario.catalog.products) : none;
  const analyticsRounds = asksAnalytics
    ? analyticsOf(scenario.catalog.products + queriesBeside) +
      rereads +
      unsoldQueries +
      queriesPerPeriod * mostPeriods(daysOf(prepared.plan)) +
      polls.after
    : 0;
  requests.load += polls.beside + polls.patient;
  const around: Record<Role, number> = {
    load:
      imports('load') +
      pages('load') +
      setupQuestions +
      (isProbed ? ownProbes : 0) +
      malformed.requests +
      furtherMalformed.requests +
      corners.imports +
      corners.lists +
      corners.sessions +
      corners.deliveries +
      corners.reads +
      crossed.requests +
      readBack +
      analyticsRounds,
    quota: baselineOfQuota + imports('quota') + pages('quota') + listings + aftermathQuestions,
    twin: imports('twin') + pages('twin') + listings,
    bystander: imports('bystander') + pages('bystander') + listings + (isProbed ? tenancyQuestions : 0),
  };
  // A key that the load has no use for is asked whose sessions it sees.
  const asked: readonly Role[] =
    isProbed && prepared.given.includes('bystander') && !prepared.roles.includes('bystander')
      ? [...prepared.roles, 'bystander']
      : prepared.roles;
  for (const role of asked) requests[role] += prepared.roles.includes(role) ? around[role] : tenancyQuestions;
  const others = asksAnalytics ? otherKeysOf(prepared.imported, prepared.given, isProbed) : [];
  for (const role of others) requests[role] += questionsByOthers([role]);
  const ofShards = shards === 1 ? undefined : shardScopeCost(scenario, prepared.plan, profile.rate_limit);
  requests.load += ofShards?.load ?? 0;
  requests.bystander += ofShards?.bystander ?? 0;
  let studyMs = ofShards?.ms ?? 0;
  const pool = { role: 'pool', requests: 0, sessions: 0, imports: 0 };
  for (const cost of scenario.study.map((study) => costOf(study, profile))) {
    studyMs += cost.ms;
    if (cost.pool !== undefined && prepared.poolKeys > 0) {
      pool.requests += cost.pool.requests;
      pool.sessions += cost.pool.sessions;
    } else {
      requests.load += cost.pool?.requests ?? 0;
      sessions.load += cost.pool?.sessions ?? 0;
    }
    for (const role of prepared.roles) {
      requests[role] += cost.requests;
      sessions[role] += cost.sessions[role] ?? 0;
    }
  }
  const governed = prepared.roles.reduce(
    (sum, role) => sum + around[role],
    probesWithoutKey + nearKeyProbes + channelProbes + tenancyQuestions + questionsByOthers(others),
  );
  const companions = isProbed ? loadProbeInstants(prepared.plan, profile.rate_limit).length : 0;
  const settleRequests =
    readBack +
    corners.reads +
    (isProbed ? updateCost.kept : 0) +
    further.imports +
    further.lists +
    further.sessions +
    further.deliveries +
    furtherMalformed.requests +
    crossed.requests +
    (reach === undefined ? 0 : mostPages.load - mostPagesFor('single').load) +
    analyticsRounds +
    (isProbed ? analyticsOf(1) : 0) +
    (prepared.roles.includes('quota') ? aftermathQuestions : 0) +
    (scenario.study.some(({ kind }) => kind === 'limits') ? refusedQuestions : 0) +
    questionsByOthers(others);
  // Most targets list a catalog whole, so further pages count in the budget of requests and not of time.
  const furtherPages = prepared.roles.reduce((sum, role) => sum + pages(role), 0);
  const aroundMs = ((governed - furtherPages) / fastestPerSecond) * 1e3 + profile.analytics.freshness;
  return {
    invalidKeys: isProbed
      ? { unlike: probesWithoutKey + companions, near: nearKeyProbes }
      : { unlike: 0, near: 0 },
    rows: [
      ...asked.map((role) => ({
        role,
        requests: requests[role],
        sessions: sessions[role],
        imports:
          imports(role) +
          (role === 'bystander' && isProbed ? foreignImports.imports : 0) +
          (role === 'quota' ? aftermathImports : 0) +
          (role === 'load' && isProbed
            ? probeImports + corners.imports + crossed.imports + malformed.imports + furtherMalformed.imports
            : 0),
      })),
      ...(pool.requests > 0 ? [pool] : []),
    ],
    plannedRequests: plannedByLane.reduce((sum, count) => sum + count, 0),
    plannedByLane,
    settleRequests,
    aroundMs,
    studyMs,
    totalMs: prepared.plan.horizonNs / 1e6 + aroundMs + studyMs,
  };
}

/** How many days of the target's clock a run touches at most: it may begin shortly before midnight. */
function daysOf(plan: Plan): number {
  const clock = clockPlan(plan);
  const last = clock?.moves.at(-1);
  const spanMs =
    clock === undefined || last === undefined ? plan.horizonNs / 1e6 : last.toEpochMs - clock.eveEpochMs;
  return Math.ceil(spanMs / dayMs) + 1;
}

/** Requests for this many queries: asked once after the load, and again when they have to be fresh. */
function analyticsOf(queries: number): number {
  return 2 * queries;
}

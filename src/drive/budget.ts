import { type Exploration, explorerRoles } from '../explore/exploration.ts';
import type { RunInfo } from '../history/run.ts';
import { clockPlan } from '../plan/clock-moves.ts';
import type { Plan } from '../plan/plan.ts';
import type { Catalog } from '../scenario/catalog/catalog.ts';
import type { Scenario } from '../scenario/define.ts';
import { onlyAudits } from '../scenario/study.ts';
import type { Profile } from '../target/profile.ts';
import { dayMs } from '../vocabulary/quantities.ts';
import { eachRole, type Role } from '../vocabulary/roles.ts';
import { fastestPerSecond, mostPages, share } from './ask/governor.ts';
import { mostPeriods } from './clock/days.ts';
import { mostPolls } from './load/freshness.ts';
import { limitProbeInstants, loadProbeInstants } from './load/load-probe.ts';
import { sessionsAfterQuota } from './settle/aftermath.ts';
import {
  analyticsRounds,
  otherKeysOf,
  queriesAskedOnce,
  queriesBeside,
  queriesPerPeriod,
  questionsByOthers,
  readBackOf,
  rereads,
} from './settle/settle.ts';
import { crossedCostOf } from './setup/crossed-probes.ts';
import { batchLimit, cornerCost, largeListCost, usesCorners } from './setup/lists.ts';
import { channelProbes, sessionRequests, setupSessions } from './setup/setup.ts';
import { costOf } from './study/cost.ts';
import { shardScopeCost } from './study/shard-scope.ts';

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
  /** And for the explorer after the load, whose calls are sent if a cap has room for the whole run. */
  readonly exploreRequests: number;
  /** How long set-up and settling take, as far as can be told: they are paced, and analytics get their time to be fresh. */
  readonly aroundMs: number;
  /** How long its studies may take. */
  readonly studyMs: number;
  /** The whole run: load, studies, and what comes around them. */
  readonly totalMs: number;
}

/** Of all keys together. */
export function mostOf({ rows }: Pick<Budget, 'rows'>, what: 'requests' | 'sessions'): number {
  return rows.reduce((sum, row) => sum + row[what], 0);
}

/** A plan, and the keys and catalogs that it is sent with. */
export interface KeyedPlan {
  readonly plan: Plan;
  /** The roles that the plan or a study has requests for, `load` always. */
  readonly roles: readonly Role[];
  /** The roles that a key was given for, used or not. */
  readonly given: readonly Role[];
  /** Whose catalogs are imported; none where nothing is to be written. */
  readonly imported: readonly Role[];
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  /** Keys that take turns where no limit should interfere; 0 means the load key only. */
  readonly poolKeys: number;
  /** The calls that look for faults after the load; undefined where the run sends none. */
  readonly exploration?: Exploration | undefined;
  /** The same during the load. */
  readonly explorationBeside?: Exploration | undefined;
}

/** What some part of a run sends with a key at most. */
type Amounts = Readonly<Partial<Record<'requests' | 'sessions' | 'imports', number | undefined>>>;
/** Counts it in. */
type Add = (role: Role, more: Amounts) => void;

/** Some questions wait for more than their pace: for an answer, or for what has to show first. */
export const usualPerSecond = 0.75 * fastestPerSecond;
/** Set-up questions on the load key, without imports and probes: slightly more than there are. */
const setupQuestions = 10;
/** With the bystander's key: what its account holds before the run, and a read of a session that the load key opened. */
const tenancyQuestions = 2;
/** Lists of a catalog after its import: one to compare, and one to see it there where it was accepted for later. */
const listings = 2;
/** What the quota key's account holds before the run. */
const baselineOfQuota = 1;
/** With the quota key once its quota is spent: reads, an import, an empty batch of events, and one more session. */
const aftermathQuestions = 6;
const aftermathImports = 1;
/** Reads after 429: the rejected sessions must not exist. */
const refusedQuestions = 1;

/** What probes send at most, all of it with the load key. */
interface ProbeCost {
  readonly isProbed: boolean;
  /** During set-up and after the load. */
  readonly requests: number;
  /** Of these, after the load. */
  readonly afterLoad: number;
  readonly sessions: number;
  readonly imports: number;
}

/** The probes of a scenario. `imported`: the keys that may write. */
export function probeCost(scenario: Scenario, imported: readonly Role[]): ProbeCost {
  const writes = imported.includes('load');
  const isProbed = scenario.probes && writes;
  if (!isProbed)
    return {
      isProbed,
      requests: 0,
      afterLoad: 0,
      imports: 0,
      sessions: writes ? setupSessions : 0,
    };
  const corners = usesCorners(scenario) ? cornerCost : { imports: 0, lists: 0 };
  const crossed = crossedCostOf(scenario);
  const imports = largeListCost.imports + corners.imports;
  return {
    isProbed,
    requests: sessionRequests + imports + largeListCost.lists + corners.lists + crossed.requests,
    afterLoad: crossed.requests,
    sessions: setupSessions + crossed.sessions,
    imports: imports + crossed.imports,
  };
}

/** Counts a plan through, and adds what comes around it. */
export function budgetOf(prepared: KeyedPlan, scenario: Scenario, profile: Profile, shards = 1): Budget {
  const { exploration, explorationBeside, given, imported, plan, roles } = prepared;
  const totals = eachRole(() => ({ requests: 0, sessions: 0, imports: 0 }));
  const add: Add = (role, { imports = 0, requests = 0, sessions = 0 }) => {
    const own = totals[role];
    own.requests += requests;
    own.sessions += sessions;
    own.imports += imports;
  };
  const probes = probeCost(scenario, imported);
  const plannedByLane = addPlanned(plan, add);
  add('load', { sessions: probes.sessions, imports: probes.imports });
  const settling = settlingCost(prepared, scenario, profile, totals.load.sessions);
  const around = aroundCost(prepared, probes, settling.requests);
  for (const role of roles) add(role, { requests: around.requests[role], imports: around.imports[role] });
  if (roles.includes('quota')) add('quota', { sessions: sessionsAfterQuota, imports: aftermathImports });
  // A key that the load has no use for is asked whose sessions it sees.
  const isAsked = probes.isProbed && given.includes('bystander') && !roles.includes('bystander');
  if (isAsked) add('bystander', { requests: tenancyQuestions });
  const others = settling.asksAnalytics ? otherKeysOf(imported, given, probes.isProbed) : [];
  for (const role of others) add(role, { requests: questionsByOthers([role]) });
  const ofShards = shards === 1 ? undefined : shardScopeCost(scenario, plan, profile.rate_limit);
  add('load', { requests: settling.pollsBeside + (ofShards?.load ?? 0) });
  add('bystander', { requests: ofShards?.bystander });
  if (given.includes('load')) add('load', { requests: questionsAtTheLimit(plan, scenario, profile).length });
  const studies = addStudies(add, prepared, scenario, profile);
  const studyMs = studies.ms + (ofShards?.ms ?? 0);
  // Most targets list a catalog whole, so further pages count in the budget of requests and not of time.
  const paced = roles.reduce(
    (sum, role) => sum + around.requests[role] - around.pages[role],
    channelProbes + questionsByOthers(others) + (exploration?.groups.flat().length ?? 0),
  );
  const { requests: limit, windowMs } = profile.rate_limit;
  // A first window of them goes at once.
  const windows = (around.requests.load - around.pages.load) / (share * limit) - 1;
  // The explorer sends as fast as it may, and waits for each further window; invalid keys take room of the load key.
  const { nearKey = 0, requests: explored, unknownKey = 0 } = exploration?.cost ?? {};
  const exploredWindows = Math.ceil(((explored?.load ?? 0) + unknownKey + nearKey) / (share * limit)) - 1;
  const pacedMs = (paced / usualPerSecond) * 1e3;
  const waitMs = (Math.max(windows, 0) + Math.max(exploredWindows, 0)) * windowMs;
  const aroundMs = Math.max(pacedMs, waitMs) + (settling.asksAnalytics ? profile.analytics.freshness : 0);
  const companions = probes.isProbed ? loadProbeInstants(plan, profile.rate_limit).length : 0;
  for (const cost of [exploration?.cost, explorationBeside?.cost])
    for (const role of cost === undefined ? [] : explorerRoles)
      add(role, {
        requests: cost?.requests[role],
        sessions: cost?.sessions[role],
        imports: cost?.imports[role],
      });
  const isExploring = (explored?.bystander ?? 0) + (explorationBeside?.cost.requests.bystander ?? 0) > 0;
  // The explorer reads further pages of its lists with it.
  if (isExploring && !imported.includes('bystander')) add('bystander', { requests: mostPages.other });
  const shown = new Set<Role>([...roles, ...(isAsked || isExploring ? (['bystander'] as const) : [])]);
  return {
    invalidKeys: { unlike: companions + unknownKey, near: nearKey },
    rows: [
      ...[...shown].map((role) => ({ role, ...totals[role] })),
      ...(studies.pool.requests > 0 ? [{ role: 'pool', ...studies.pool, imports: 0 }] : []),
    ],
    plannedRequests: plannedByLane.reduce((sum, count) => sum + count, 0),
    plannedByLane,
    settleRequests:
      settling.requests +
      probes.afterLoad +
      (roles.includes('quota') ? aftermathQuestions : 0) +
      (scenario.study.some(({ kind }) => kind === 'limits') ? refusedQuestions : 0) +
      questionsByOthers(others),
    exploreRequests: explorerRoles.reduce((sum, role) => sum + (explored?.[role] ?? 0), 0),
    aroundMs,
    studyMs,
    totalMs: plan.horizonNs / 1e6 + aroundMs + studyMs,
  };
}

/** When analytics are asked for while the load is beyond the limit: only where the profile says that they spend it. */
export function questionsAtTheLimit(
  plan: Pick<Plan, 'phases'>,
  { checks, probes }: Pick<Scenario, 'checks' | 'probes'>,
  { limit_endpoints: endpoints, rate_limit: limit }: Pick<Profile, 'limit_endpoints' | 'rate_limit'>,
): readonly number[] {
  return probes && checks.includes('rate-limit') && endpoints === 'together'
    ? limitProbeInstants(plan, limit)
    : [];
}

/** What the plan sends. Returns how many requests are in each of its lanes. */
function addPlanned(plan: Plan, add: Add): readonly number[] {
  const byLane = new Array<number>(plan.laneCount).fill(0);
  for (const { number, role, step } of plan.requests()) {
    const lane = number % plan.laneCount;
    byLane[lane] = (byLane[lane] ?? 0) + 1;
    add(role, { requests: 1, sessions: step.kind === 'create-session' ? 1 : 0 });
  }
  return byLane;
}

/** Sessions that are read back and analytics that are asked after the load, and polls of analytics beside it. */
function settlingCost(
  { plan }: Pick<KeyedPlan, 'plan'>,
  scenario: Scenario,
  profile: Profile,
  sessions: number,
): { readonly requests: number; readonly pollsBeside: number; readonly asksAnalytics: boolean } {
  // More than were opened cannot be read.
  const readBack = Math.min(readBackOf(scenario, profile), sessions);
  const { products } = scenario.catalog;
  if (!scenario.checks.includes('analytics') || onlyAudits(scenario))
    return { requests: readBack, pollsBeside: 0, asksAnalytics: false };
  const polls = mostPolls(profile, plan.horizonNs, products);
  const queries =
    analyticsRounds * (products + queriesBeside) +
    rereads +
    queriesAskedOnce +
    queriesPerPeriod * mostPeriods(daysOf(plan)) +
    polls.after;
  return {
    requests: readBack + queries,
    pollsBeside: polls.beside + polls.patient,
    asksAnalytics: true,
  };
}

/** What each key sends around the load. `pages` of `requests`: further pages of lists. */
function aroundCost(
  { catalogs, imported }: KeyedPlan,
  probes: ProbeCost,
  settling: number,
): Readonly<Record<'requests' | 'pages' | 'imports', Readonly<Record<Role, number>>>> {
  const writes = (role: Role): boolean => imported.includes(role);
  const imports = eachRole((role) => (writes(role) ? batchesOf(catalogs[role]) : 0));
  const { load, other } = mostPages;
  const pages = eachRole((role) => (writes(role) ? (role === 'load' ? load : other) : 0));
  const own: Readonly<Record<Role, number>> = {
    load: setupQuestions + probes.requests + settling,
    quota: baselineOfQuota + listings + aftermathQuestions,
    twin: listings,
    bystander: listings + (probes.isProbed ? tenancyQuestions : 0),
  };
  return { requests: eachRole((role) => imports[role] + pages[role] + own[role]), pages, imports };
}

function batchesOf({ products }: Catalog): number {
  return Math.ceil(products.reduce((sum, { shades }) => sum + shades.length, 0) / batchLimit);
}

/** Adds what the studies send with each key; returns what they send with the pool, and how long they may take. */
function addStudies(
  add: Add,
  { poolKeys, roles }: KeyedPlan,
  scenario: Scenario,
  profile: Profile,
): { readonly pool: { requests: number; sessions: number }; readonly ms: number } {
  const pool = { requests: 0, sessions: 0 };
  const costs = scenario.study.map((study) => costOf(study, profile));
  for (const cost of costs) {
    if (poolKeys > 0) {
      pool.requests += cost.pool?.requests ?? 0;
      pool.sessions += cost.pool?.sessions ?? 0;
    } else if (cost.pool?.orLoad === true) add('load', cost.pool);
    for (const role of roles) add(role, { requests: cost.requests, sessions: cost.sessions[role] });
  }
  return { pool, ms: costs.reduce((sum, { ms }) => sum + ms, 0) };
}

/** How many days of the target's clock a run touches at most: it may begin shortly before midnight. */
function daysOf(plan: Plan): number {
  const clock = clockPlan(plan);
  const last = clock?.moves.at(-1);
  const spanMs =
    clock === undefined || last === undefined ? plan.horizonNs / 1e6 : last.toEpochMs - clock.eveEpochMs;
  return Math.ceil(spanMs / dayMs) + 1;
}

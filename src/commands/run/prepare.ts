import { randomBytes } from 'node:crypto';
import { share, shareBeside } from '../../drive/ask/governor.ts';
import type { KeyedPlan } from '../../drive/budget.ts';
import { quotaAttemptsOf } from '../../drive/study/quota/quota-cost.ts';
import { makeBesideLoad, makeExploration } from '../../explore/exploration.ts';
import { clockPlan } from '../../plan/clock-moves.ts';
import { type Excerpt, makePlan, type PlanInput, quotaAttempts } from '../../plan/plan.ts';
import type { Catalog } from '../../scenario/catalog/catalog.ts';
import { generateCatalog } from '../../scenario/catalog/generate.ts';
import type { Scenario } from '../../scenario/define.ts';
import type { Phase } from '../../scenario/load.ts';
import { onlyReads } from '../../scenario/study.ts';
import type { Keys } from '../../target/keys.ts';
import { interactionsCount, mostEvents, type Profile } from '../../target/profile.ts';
import type { RateLimit } from '../../vocabulary/quantities.ts';
import { roles } from '../../vocabulary/roles.ts';
import type { Target } from './open-target.ts';

/** A scenario made concrete for a target: its catalogs, and the plan. */
export interface Prepared extends KeyedPlan {
  /** Unique to the run; part of every product and catalog id and every SKU that it creates. */
  readonly tag: string;
  /** What the plan is made from, for workers to make it again. */
  readonly planInput: PlanInput;
  readonly quotaAttempts: number;
}

/** What a plan has beside its scenario and its target. */
interface Preparing {
  readonly seed: number;
  /** Random by default; a preview may always have the same one. */
  readonly tag?: string | undefined;
  readonly excerpt?: Excerpt | undefined;
  /** How many calls the explorer sends, whatever the scenario says. */
  readonly exploreCalls?: number | undefined;
}

/** What a plan depends on. */
export type PreparedFor = Pick<Target, 'profile' | 'keys'> & Partial<Pick<Target, 'pool'>>;

export function prepare(
  scenario: Scenario,
  target: PreparedFor,
  { excerpt, exploreCalls, seed, tag = randomBytes(4).toString('hex') }: Preparing,
): Prepared {
  const { finishes, locales } = target.profile;
  const { kinds, products } = scenario.catalog;
  const catalog = (role: string, count: number): Catalog =>
    generateCatalog({
      seed,
      tag: `${tag}${role}`,
      products: count,
      finishes,
      locale: locales?.[0],
      ...(kinds === undefined ? {} : { kinds }),
    });
  const catalogs = {
    load: catalog('', products),
    quota: catalog('q', 1),
    twin: catalog('t', 1),
    bystander: catalog('b', 1),
  };
  const quota = target.profile.quota.sessions;
  const shoppers = shoppersFor(scenario.shoppers, target.profile);
  const planInput = {
    seed,
    load: withKeys(scenario.load, target.keys),
    catalogs,
    shoppers,
    quota,
    excerpt,
    interactionsSpend:
      interactionsCount(target.profile.channel) === true ? target.profile.rate_limit : undefined,
  };
  const plan = makePlan(planInput);
  // A study of limits or quota uses every key that there is; the others have enough in one, or in a pool.
  const isStudied = scenario.study.some(({ kind }) => kind === 'limits' || kind === 'quota');
  const planned = new Set(plan.phases.map(({ phase }) => phase.role));
  const used = roles.filter(
    (role) => role === 'load' || planned.has(role) || (isStudied && target.keys[role] !== undefined),
  );
  const given = roles.filter((role) => target.keys[role] !== undefined);
  const imported = onlyReads(scenario) ? [] : used;
  const { checks, probes } = scenario;
  const { rate_limit: limit } = target.profile;
  const calls = exploreCalls ?? callsUnder(limit, scenario.explore);
  // On other days sessions expire, and instants of this day are none of the target's.
  const mayExplore =
    probes && checks.includes('contract') && imported.includes('load') && clockPlan(plan) === undefined;
  const beside = callsBeside(scenario, plan.horizonNs, limit);
  return {
    tag,
    catalogs,
    plan,
    planInput,
    roles: used,
    given,
    imported,
    exploration:
      mayExplore && calls > 0 ? makeExploration({ calls, seed, tag }, target.profile, given) : undefined,
    explorationBeside:
      mayExplore && beside > 0
        ? makeBesideLoad({ calls: beside, seed, tag }, target.profile, given)
        : undefined,
    quotaAttempts: scenario.study.reduce(
      (sum, study) => sum + (study.kind === 'quota' ? quotaAttemptsOf(study, quota) : 0),
      quotaAttempts(scenario.load, quota),
    ),
    poolKeys: target.pool?.length ?? 0,
  };
}

/** Fewer calls during the load are not worth sending. */
const fewestBeside = 40;

/** How many calls there are during a load of this length. On several keys, one limit may count all. */
export function callsBeside(
  { exploreBeside }: Pick<Scenario, 'exploreBeside'>,
  horizonNs: number,
  { requests, windowMs }: RateLimit,
): number {
  const room = Math.floor((shareBeside * requests * horizonNs) / (windowMs * 1e6));
  const calls = Math.min(exploreBeside, room);
  return calls < fewestBeside ? 0 : calls;
}

/** Under a small limit, the explorer takes at most this time, but sends at least this number of calls. */
const longestExplorationMs = 120_000;
const fewestCalls = 150;

/** How many of these calls a limit has room for in reasonable time: they are paced under it. */
function callsUnder({ requests, windowMs }: RateLimit, calls: number): number {
  const inTime = Math.floor((share * requests * longestExplorationMs) / windowMs);
  return Math.min(calls, Math.max(fewestCalls, inTime));
}

/** Shoppers send no more events in a request than the channel takes, and come with locales that the target takes. */
function shoppersFor(shoppers: Scenario['shoppers'], { channel, locales }: Profile): Scenario['shoppers'] {
  const most = mostEvents(channel) ?? Number.POSITIVE_INFINITY;
  const [one, two, three] = shoppers.actsPerRequest;
  return {
    ...shoppers,
    locales: locales === undefined ? shoppers.locales : weightsOf(locales, shoppers.locales),
    actsPerRequest: [one, most < 2 ? 0 : two, most < 3 ? 0 : three],
  };
}

/** The weights of the locales that are taken; where the scenario has none of them, all are alike. */
function weightsOf(
  taken: readonly string[],
  weights: Readonly<Record<string, number>>,
): Record<string, number> {
  const known = taken.filter((locale) => (weights[locale] ?? 0) > 0);
  return Object.fromEntries(
    known.length === 0
      ? taken.map((locale) => [locale, 1])
      : known.map((locale) => [locale, weights[locale] ?? 0]),
  );
}

/** The phases whose key was given. The others are left out of the plan, and their checks say so. */
export function withKeys(load: readonly Phase[], keys: Keys): Phase[] {
  return load.flatMap((phase): Phase[] => {
    if (phase.kind === 'together')
      return [{ ...phase, tracks: phase.tracks.map((track) => withKeys(track, keys)) }];
    const role = phase.kind === 'open' ? phase.role : phase.kind === 'quota' ? 'quota' : 'load';
    return keys[role] === undefined ? [] : [phase];
  });
}

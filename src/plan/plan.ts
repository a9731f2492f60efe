import type { Catalog } from '../scenario/catalog/catalog.ts';
import type { CornerCatalog } from '../scenario/catalog/unusual-shades.ts';
import { isIdle, type OpenPhase, type Phase, type QuotaPhase, type Segment } from '../scenario/load.ts';
import { arrivalTimes, burstSettingsSchema, constantRate, dayCurve } from '../scenario/shoppers/arrivals.ts';
import { createPopulation } from '../scenario/shoppers/population.ts';
import type { ShopperSettings } from '../scenario/shoppers/settings.ts';
import { parseRate, type RateLimit } from '../vocabulary/quantities.ts';
import type { Role } from '../vocabulary/roles.ts';
import { Lanes, laneCount, mostSlotsWithin, type Shard, slotsNs, whole } from './lanes.ts';
import {
  journeysFrom,
  journeysInSlots,
  type PhaseContext,
  type PlannedRequest,
  readsInSlots,
  sessionsInSlots,
} from './phase-plan.ts';

/** Shoppers of phase p are numbered from p times this, so that a phase's shoppers do not depend on other phases. */
export const shoppersPerPhase = 10_000_000;

/** The requests of a race leave within a millisecond: at once, for any service. */
const raceMs = 1;

/** A phase with its place in time. Instants are ns since the start of the load. */
export interface PlacedPhase {
  readonly startNs: number;
  readonly endNs: number;
  readonly phase: OpenPhase;
}

/**
 * The requests that a run intends to send: a pure function of scenario, seed, catalogs, the profile's quota, and what set-up
 * found that the target takes.
 */
export interface Plan {
  readonly phases: readonly PlacedPhase[];
  readonly horizonNs: number;
  /** Lanes of all phases together. */
  readonly laneCount: number;
  /**
   * Every open-model request, or every one of a shard, in order of its instant; made lazily, again on each call. `corners`:
   * unusual shades for some shoppers of the load key. They change neither the number of requests nor their instants.
   */
  requests(shard?: Shard, corners?: CornerCatalog): Iterable<PlannedRequest>;
}

export interface PlanInput {
  readonly seed: number;
  readonly load: readonly Phase[];
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  readonly shoppers: ShopperSettings;
  /** Sessions that the quota key's plan allows, if that is known. */
  readonly quota: number | undefined;
  /** The limit that interactions are known to spend, too; absent where they are not. */
  readonly interactionsSpend?: RateLimit | undefined;
  /** Set where the load is a part of a longer one. */
  readonly excerpt?: Excerpt | undefined;
}

/** What a part of a plan has from the whole one, so that its shoppers do the same in both. */
export interface Excerpt {
  /** Names of the phases of the whole plan, in its order. */
  readonly phases: readonly string[];
  /** Only the requests of these shoppers; undefined: of all. */
  readonly shoppers?: ReadonlySet<number> | undefined;
}

export function makePlan(input: PlanInput): Plan {
  const { horizonNs, phases } = placePhases(input.load, input.quota);
  const counts = phases.map(({ phase }) => laneCount(phase));
  const inPlan = counts.reduce((sum, count) => sum + count, 0);
  const requests = (shard = whole, corners?: CornerCatalog): Iterable<PlannedRequest> => {
    let first = 0;
    const streams = phases.map((placed, index) => {
      const count = counts[index] ?? 0;
      const lanes = new Lanes({ first, count, inPlan }, shard);
      first += count;
      const untilNs = nextWithKey(phases, placed)?.startNs ?? horizonNs;
      return phaseRequests(input, placed, { phase: index, horizonNs, untilNs, lanes, corners });
    });
    const only = input.excerpt?.shoppers;
    return only === undefined ? merge(streams) : ofShoppers(merge(streams), only);
  };
  return { phases, horizonNs, laneCount: inPlan, requests };
}

/** The next phase that sends anything with the same key once this one is over. */
function nextWithKey(phases: readonly PlacedPhase[], placed: PlacedPhase): PlacedPhase | undefined {
  return phases
    .filter(
      ({ phase, startNs }) => startNs >= placed.endNs && phase.role === placed.phase.role && !isIdle(phase),
    )
    .toSorted((a, b) => a.startNs - b.startNs)[0];
}

/** How many sessions a quota phase tries to create. */
export function quotaAttempts(load: readonly Phase[], quota: number | undefined): number {
  let attempts = 0;
  for (const phase of load) {
    if (phase.kind === 'quota')
      attempts += quota === undefined ? phase.cap : quota + Math.max(phase.beyond, Math.ceil(phase.race / 2));
    if (phase.kind === 'together') for (const track of phase.tracks) attempts += quotaAttempts(track, quota);
  }
  return attempts;
}

/** The phases of a load in time, and its end. */
export function placePhases(
  load: readonly Phase[],
  quota: number | undefined,
): Pick<Plan, 'phases' | 'horizonNs'> {
  const phases: PlacedPhase[] = [];
  return { horizonNs: place(load, 0, quota, phases), phases };
}

/** Appends the phases with their times; returns the end of the last. */
function place(
  load: readonly Phase[],
  fromNs: number,
  quota: number | undefined,
  into: PlacedPhase[],
): number {
  let atNs = fromNs;
  for (const phase of load) {
    switch (phase.kind) {
      case 'together':
        atNs = Math.max(atNs, ...phase.tracks.map((track) => place(track, atNs, quota, into)));
        break;
      case 'open':
      case 'quota': {
        const open = phase.kind === 'open' ? phase : quotaAsOpen(phase, quota);
        const endNs = atNs + Math.round(open.segments.reduce((sum, each) => sum + each.durationMs, 0) * 1e6);
        into.push({ phase: open, startNs: atNs, endNs });
        atNs = endNs;
        break;
      }
    }
  }
  return atNs;
}

function quotaAsOpen(phase: QuotaPhase, quota: number | undefined): OpenPhase {
  const { count, perMs } = parseRate(phase.rate);
  const rate = count / perMs;
  const paced = (attempts: number): Segment => ({
    durationMs: attempts / rate,
    fromPerMs: rate,
    toPerMs: rate,
  });
  const attempts = quotaAttempts([phase], quota);
  // Where the edge is not known, there is nothing to race for.
  const race = quota === undefined ? 0 : Math.min(phase.race, 2 * quota, attempts);
  const before = quota === undefined ? attempts : quota - Math.floor(race / 2);
  const burst: Segment = { durationMs: raceMs, fromPerMs: race / raceMs, toPerMs: race / raceMs };
  return {
    kind: 'open',
    name: phase.name,
    role: 'quota',
    unit: 'requests',
    traffic: 'sessions',
    pace: phase.rate,
    segments: race === 0 ? [paced(attempts)] : [paced(before), burst, paced(attempts - before - race)],
    bursts: false,
    atOnce: 1,
  };
}

function phaseRequests(
  input: PlanInput,
  placed: PlacedPhase,
  around: Pick<PhaseContext, 'phase' | 'horizonNs' | 'untilNs' | 'lanes' | 'corners'>,
): Iterable<PlannedRequest> {
  const { phase } = placed;
  const catalog = input.catalogs[phase.role];
  const limit = input.interactionsSpend;
  const inWhole = input.excerpt?.phases.indexOf(phase.name) ?? around.phase;
  const context: PhaseContext = {
    ...around,
    role: phase.role,
    corners: phase.role === 'load' ? around.corners : undefined,
    startNs: placed.startNs,
    // A phase under the limit includes its interactions in the count. One past the limit must not depend on them: in rejected
    // sessions they are not sent.
    interactionsTakeSlots:
      limit !== undefined && mostSlotsWithin(phase.segments, limit.windowMs, phase.atOnce) <= limit.requests,
    catalog,
    population: createPopulation({ seed: input.seed, catalog, settings: input.shoppers }),
    firstShopper: inWhole * shoppersPerPhase,
  };
  if (phase.unit === 'shoppers') return journeysFrom(context, shopperArrivals(input.seed, inWhole, phase));
  const slots = slotsNs(phase.segments, phase.atOnce);
  switch (phase.traffic) {
    case 'journeys':
      return journeysInSlots(context, slots);
    case 'sessions':
      return sessionsInSlots(context, slots);
    case 'reads':
      return readsInSlots(context, slots);
  }
}

/** Arrivals of shoppers in a phase, in ns since its start. */
function* shopperArrivals(seed: number, index: number, phase: OpenPhase): Generator<number> {
  const mean = phase.segments[0];
  if (mean === undefined) return;
  const perSecond = mean.fromPerMs * 1_000;
  const { calendar, dayCurveFromHour } = phase;
  const rate =
    dayCurveFromHour === undefined
      ? constantRate(perSecond)
      : dayCurve(perSecond, {
          startHour: dayCurveFromHour,
          ...(calendar === undefined ? {} : { dayMs: calendar.dayTakesMs }),
        });
  const bursts = phase.bursts ? burstSettingsSchema.parse({}) : undefined;
  const options = {
    seed: seed + index,
    rate,
    untilMs: mean.durationMs,
    ...(bursts === undefined ? {} : { bursts }),
  };
  for (const atMs of arrivalTimes(options)) yield Math.round(atMs * 1e6);
}

/** Several ordered streams as one; of equals, the earlier stream's first. There are as many streams as phases: few. */
function* merge(streams: readonly Iterable<PlannedRequest>[]): Generator<PlannedRequest> {
  const heads = streams.map((each) => {
    const stream = each[Symbol.iterator]();
    return { stream, head: stream.next() };
  });
  for (;;) {
    let first: (typeof heads)[number] | undefined;
    for (const each of heads) {
      if (each.head.done !== true && (first === undefined || each.head.value.atNs < first.head.value.atNs))
        first = each;
    }
    if (first === undefined || first.head.done === true) return;
    yield first.head.value;
    first.head = first.stream.next();
  }
}

function* ofShoppers(
  requests: Iterable<PlannedRequest>,
  shoppers: ReadonlySet<number>,
): Generator<PlannedRequest> {
  for (const request of requests) if (shoppers.has(request.shopper)) yield request;
}

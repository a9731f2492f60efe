import type { PlannedRequest, PlannedStep } from '../plan/phase-plan.ts';
import type { Plan } from '../plan/plan.ts';
import type { Catalog } from '../scenario/catalog/catalog.ts';
import { dayMs } from '../vocabulary/quantities.ts';
import { type Role, roles } from '../vocabulary/roles.ts';
import type { InteractionType } from '../wire.ts';
import { type AnalyticsNumbers, type CountedSession, SimulatedAnalytics } from './analytics.ts';
import {
  type BusiestWindow,
  createKeys,
  type Fates,
  type RequestKind,
  requestKinds,
  type ServiceModel,
  type SimulatedKey,
} from './service.ts';

/** Shoppers who requested a session, by the answer. */
export interface ShopperCounts {
  opened: number;
  /** 429. */
  limited: number;
  /** 402. */
  overQuota: number;
}

/** What became of one role's requests of one kind. */
export interface RequestCounts extends Readonly<Fates> {
  readonly role: Role;
  readonly kind: RequestKind;
}

/** One day, or all of a simulation: of every key the shoppers, and what analytics answer to the `load` key. */
export interface SimulatedPeriod {
  readonly shoppers: Readonly<ShopperCounts>;
  readonly analytics: AnalyticsNumbers;
}

/** The outcome of a plan. Instants are ns since the start of the load. */
export interface SimulationOutcome {
  readonly all: SimulatedPeriod;
  /** Empty unless days were played. */
  readonly days: readonly SimulatedPeriod[];
  readonly products: readonly { readonly productId: string; readonly analytics: AnalyticsNumbers }[];
  /** Kinds of request that the plan holds none of are left out. */
  readonly requests: readonly RequestCounts[];
  /** Events that were accepted, on any key. */
  readonly events: Readonly<Record<InteractionType, number>>;
  /** The first request, of any kind, that got a 429. */
  readonly firstLimitedNs: number | undefined;
  /** The session that was the last of a quota. */
  readonly quotaSpentNs: number | undefined;
  /** Shoppers with a session whose next step would have come after the end of the load. */
  readonly unfinished: number;
  /** On the `load` key. */
  readonly busiest: BusiestWindow | undefined;
}

interface PlayOptions {
  readonly plan: Plan;
  /** The load ends with the first of these; without it, with the plan. */
  readonly cap?: { readonly requests: number; readonly sessions: number; readonly ms: number } | undefined;
  readonly model: ServiceModel;
  /** The catalog of the `load` key, whose account the analytics are of. */
  readonly catalog: Catalog;
  /** Whole days of 24 hours that the plan lasts; 0 to count a run as one. */
  readonly days: number;
  /** Told now and then how far in the load it is. */
  readonly onProgress?: (atNs: number) => void;
}

const progressEvery = 2 ** 17;

/**
 * Plays a plan against models of the limiter and the quota, as if every answer came at once. Time is the plan's, so
 * the outcome is a function of the arguments; memory holds only the current shoppers.
 */
export function play({ cap, plan, model, catalog, days, onProgress }: PlayOptions): SimulationOutcome {
  const simulation = new Simulation(model, catalog, days);
  let played = 0;
  for (const planned of plan.requests()) {
    if (cap && (played >= cap.requests || simulation.sessions >= cap.sessions || planned.atNs > cap.ms * 1e6))
      break;
    simulation.take(planned);
    if (++played % progressEvery === 0) onProgress?.(planned.atNs);
  }
  return simulation.outcome();
}

/** A shopper's open session; it is counted if analytics are simulated. */
interface SimulatedVisit {
  readonly counted: CountedSession | undefined;
}

class Simulation {
  readonly #model: ServiceModel;
  readonly #catalog: Catalog;
  readonly #hasDays: boolean;
  readonly #keys: Readonly<Record<Role, SimulatedKey>>;
  readonly #visits = new Map<number, SimulatedVisit>();
  readonly #analytics: SimulatedAnalytics;
  readonly #shoppers: readonly ShopperCounts[];
  readonly #events: Record<InteractionType, number> = { shade_selected: 0, cart_intent: 0 };
  #firstLimitedNs: number | undefined;
  #quotaSpentNs: number | undefined;

  constructor(model: ServiceModel, catalog: Catalog, days: number) {
    const periods = Math.max(1, days);
    this.#model = model;
    this.#catalog = catalog;
    this.#hasDays = days > 0;
    this.#keys = createKeys(model);
    this.#analytics = new SimulatedAnalytics(catalog, periods, model.analytics);
    this.#shoppers = Array.from({ length: periods }, () => ({ opened: 0, limited: 0, overQuota: 0 }));
  }

  get sessions(): number {
    return this.#shoppers.reduce((sum, { opened }) => sum + opened, 0);
  }

  take({ atNs, last, role, shopper, step }: PlannedRequest): void {
    const key = this.#keys[role];
    const fates = key.fates[step.kind];
    switch (step.kind) {
      case 'list-shades':
        if (this.#passes(key, step.kind, atNs)) fates.admitted++;
        break;
      case 'create-session': {
        const visit = this.#open(key, fates, step, atNs);
        if (visit !== undefined && !last) this.#visits.set(shopper, visit);
        break;
      }
      case 'interact':
        this.#interact(key, this.#visits.get(shopper), step, atNs);
        break;
      case 'read-session':
        if (!this.#visits.has(shopper)) fates.noSession++;
        else if (this.#passes(key, step.kind, atNs)) fates.admitted++;
        break;
    }
    if (last) this.#visits.delete(shopper);
  }

  /** Whether the limiter lets a request by; counts it when not. */
  #passes(key: SimulatedKey, kind: RequestKind, atNs: number): boolean {
    if (key.gates[kind].admits(atNs)) return true;
    key.fates[kind].limited++;
    this.#firstLimitedNs ??= atNs;
    return false;
  }

  /** 429 comes before 402, and a request that gets it spends no quota. */
  #open(
    key: SimulatedKey,
    fates: Fates,
    step: Extract<PlannedStep, { kind: 'create-session' }>,
    atNs: number,
  ): SimulatedVisit | undefined {
    const day = this.#hasDays ? Math.floor(atNs / (dayMs * 1e6)) : 0;
    const shoppers = this.#shoppers[day];
    if (shoppers === undefined) throw new RangeError(`expected an instant within the days, got ${atNs} ns`);
    if (!this.#passes(key, step.kind, atNs)) {
      shoppers.limited++;
      return undefined;
    }
    if (!key.takesSession()) {
      fates.overQuota++;
      shoppers.overQuota++;
      return undefined;
    }
    fates.admitted++;
    shoppers.opened++;
    if (key.quotaSpent) this.#quotaSpentNs = atNs;
    return { counted: key.role === 'load' ? this.#analytics.open(day, step.productId) : undefined };
  }

  #interact(
    key: SimulatedKey,
    visit: SimulatedVisit | undefined,
    step: Extract<PlannedStep, { kind: 'interact' }>,
    atNs: number,
  ): void {
    const { channel } = this.#model;
    const fates = key.fates[step.kind];
    if (visit === undefined) {
      fates.noSession++;
    } else if (channel === 'none') {
      fates.noChannel++;
    } else if (channel === 'free' || this.#passes(key, step.kind, atNs)) {
      fates.admitted++;
      for (const event of step.events) {
        this.#events[event.type]++;
        visit.counted?.count(event);
      }
    }
  }

  outcome(): SimulationOutcome {
    const periods = this.#shoppers.map(
      (shoppers, day): SimulatedPeriod => ({ shoppers, analytics: this.#analytics.ofDay(day) }),
    );
    return {
      all: { shoppers: totalOf(this.#shoppers), analytics: this.#analytics.ofAll() },
      days: this.#hasDays ? periods : [],
      products: this.#catalog.products.map(({ id }) => ({
        productId: id,
        analytics: this.#analytics.ofProduct(id),
      })),
      requests: roles.flatMap((role) =>
        requestKinds
          .map((kind): RequestCounts => ({ role, kind, ...this.#keys[role].fates[kind] }))
          .filter((counts) => plannedOf(counts) > 0),
      ),
      events: this.#events,
      firstLimitedNs: this.#firstLimitedNs,
      quotaSpentNs: this.#quotaSpentNs,
      unfinished: this.#visits.size,
      busiest: this.#keys.load.busiest,
    };
  }
}

/** How many requests the plan held of what became this. */
export function plannedOf({ admitted, limited, noChannel, noSession, overQuota }: Readonly<Fates>): number {
  return admitted + limited + overQuota + noSession + noChannel;
}

function totalOf(shoppers: readonly ShopperCounts[]): ShopperCounts {
  const sum = (select: (counts: ShopperCounts) => number): number =>
    shoppers.reduce((total, each) => total + select(each), 0);
  return {
    opened: sum(({ opened }) => opened),
    limited: sum(({ limited }) => limited),
    overQuota: sum(({ overQuota }) => overQuota),
  };
}

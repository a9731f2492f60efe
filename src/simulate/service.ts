import { type Algorithm, type Decide, keyOf, type LimiterKind, scaleNsOf } from '../limits/kinds/kind.ts';
import { kindOf } from '../limits/kinds/table.ts';
import type { PlannedStep } from '../plan/phase-plan.ts';
import type { RateLimit } from '../vocabulary/quantities.ts';
import { eachRole, type Role } from '../vocabulary/roles.ts';
import type { Conventions } from './analytics.ts';

/** All that a simulation takes a target to be. */
export interface ServiceModel {
  readonly limiter: Algorithm;
  readonly rateLimit: RateLimit;
  /** `shared`: the requests of all keys spend one limit. */
  readonly limitScope: 'per-key' | 'shared';
  /** `apart`: each endpoint has a separate limit. */
  readonly limitEndpoints: 'together' | 'apart';
  /** Session quota of a key's account; no end to those of a key that is not named. */
  readonly quotas: Readonly<Partial<Record<Role, number>>>;
  /**
   * Whether shoppers' events spend the rate limit of the key that opened their session; `none`: there is no
   * interaction channel.
   */
  readonly channel: 'free' | 'spends-rate' | 'none';
  readonly analytics: Conventions;
}

/** The outcomes of the planned requests of one kind; they add up to the plan. */
export interface Fates {
  admitted: number;
  /** 429. */
  limited: number;
  /** 402. */
  overQuota: number;
  /** Not sent: the shopper's session was rejected, or never requested. */
  noSession: number;
  /** Not sent: there is no interaction channel. */
  noChannel: number;
}

export type RequestKind = PlannedStep['kind'];
export const requestKinds: readonly RequestKind[] = [
  'list-shades',
  'create-session',
  'interact',
  'read-session',
];

/** The fullest of the windows that follow one another from instant 0: requests that came in it, admitted or not. */
export interface BusiestWindow {
  readonly requests: number;
  readonly startNs: number;
}

/** A limiter that remembers how much came at once. */
class Gate {
  readonly #limiter: Decide;
  readonly #windowNs: number;
  #windowEndNs: number;
  #inWindow = 0;
  #most = 0;
  #mostEndNs = 0;

  constructor(limiter: Decide, windowNs: number) {
    this.#limiter = limiter;
    this.#windowNs = windowNs;
    this.#windowEndNs = windowNs;
  }

  admits(atNs: number): boolean {
    if (atNs >= this.#windowEndNs) {
      this.#windowEndNs = atNs - (atNs % this.#windowNs) + this.#windowNs;
      this.#inWindow = 0;
    }
    if (++this.#inWindow > this.#most) {
      this.#most = this.#inWindow;
      this.#mostEndNs = this.#windowEndNs;
    }
    return this.#limiter(atNs);
  }

  get busiest(): BusiestWindow | undefined {
    return this.#most === 0 ? undefined : { requests: this.#most, startNs: this.#mostEndNs - this.#windowNs };
  }
}

/** A gate for each endpoint, or the same one for all. */
type Gates = Readonly<Record<RequestKind, Gate>>;

/** One role's key: its limiter, its account's quota, and what became of its requests. */
export class SimulatedKey {
  readonly role: Role;
  readonly gates: Gates;
  readonly fates: Readonly<Record<RequestKind, Fates>>;
  #sessionsLeft: number;

  constructor(role: Role, gates: Gates, quota: number) {
    this.role = role;
    this.gates = gates;
    this.#sessionsLeft = quota;
    this.fates = eachKind(() => ({ admitted: 0, limited: 0, overQuota: 0, noSession: 0, noChannel: 0 }));
  }

  /** Over its gates. */
  get busiest(): BusiestWindow | undefined {
    return requestKinds
      .flatMap((kind) => this.gates[kind].busiest ?? [])
      .reduce<BusiestWindow | undefined>(
        (most, each) => (most === undefined || each.requests > most.requests ? each : most),
        undefined,
      );
  }

  get quotaSpent(): boolean {
    return this.#sessionsLeft === 0;
  }

  /** Spends one session of the quota, if one is left. */
  takesSession(): boolean {
    if (this.#sessionsLeft === 0) return false;
    this.#sessionsLeft--;
    return true;
  }
}

export function createKeys(model: ServiceModel): Readonly<Record<Role, SimulatedKey>> {
  const gate = (): Gate =>
    new Gate(createLimiter(model.limiter, model.rateLimit), model.rateLimit.windowMs * 1e6);
  const gates = (): Gates => {
    const one = gate();
    return eachKind(() => (model.limitEndpoints === 'apart' ? gate() : one));
  };
  const shared = gates();
  return eachRole((role) => {
    const own = model.limitScope === 'shared' ? shared : gates();
    return new SimulatedKey(role, own, model.quotas[role] ?? Number.POSITIVE_INFINITY);
  });
}

function eachKind<T>(make: () => T): Readonly<Record<RequestKind, T>> {
  return { 'list-shades': make(), 'create-session': make(), interact: make(), 'read-session': make() };
}

/** The kind of each that the reference service has: the window of a fixed one opens with a request. */
const kinds: Readonly<Record<Algorithm, string>> = {
  'fixed-window': 'fixed-window-first-request',
  'sliding-log': 'sliding-log',
  'sliding-counter': 'sliding-counter',
  'token-bucket': 'token-bucket',
};

/** A limiter for one key that has seen nothing yet. A rejected request spends nothing. */
export function createLimiter(name: Algorithm, { requests: limit, windowMs }: RateLimit): Decide {
  const of = { kind: kinds[name], limit, scaleNs: 1, boundaryNs: 0, isStrict: true };
  const kind: LimiterKind = kindOf(of);
  return kind.decide({ ...of, kind: keyOf(kind), scaleNs: scaleNsOf(kind, limit, windowMs * 1e6) });
}

import { randomUUID } from 'node:crypto';

/** What the example services keep and count. Each of them speaks of it in its own way. */

export interface Shade {
  readonly sku: string;
  readonly name: string;
  readonly hex: string;
  readonly finish: string;
}

export interface ShopEvent {
  readonly id: string;
  readonly kind: 'selection' | 'cart';
  readonly sku: string | undefined;
  readonly at: string;
}

export interface Visit {
  readonly id: string;
  readonly token: string;
  readonly product: string;
  readonly catalog: string;
  readonly locale: string;
  readonly openedMs: number;
  readonly expiresMs: number;
  readonly shades: number;
  readonly events: ShopEvent[];
}

export interface ShopOptions {
  /** Requests in a sliding window, for each key. */
  readonly limit?: number;
  readonly windowMs?: number;
  /** Sessions of the account of the key `quota`. */
  readonly quota?: number;
}

/** Why a request is not served, by the status of the interface. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: 401 | 402 | 404 | 413 | 422 | 429;
  readonly retryAfterS: number | undefined;

  constructor(status: Refusal['status'], why: string, retryAfterS?: number) {
    super(why);
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}

const lifetimeMs = 30 * 60_000;
const largestImport = 500;

/** The data of one account, and the limit of its key. */
export class Account {
  readonly catalogs = new Map<string, Map<string, Shade>>();
  readonly visits = new Map<string, Visit>();
  readonly #quota: number;
  readonly #limit: number;
  readonly #windowMs: number;
  /** When the requests of the last window were admitted. */
  #admitted: number[] = [];

  constructor(quota: number, { limit = 1_000, windowMs = 60_000 }: ShopOptions) {
    this.#quota = quota;
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Counts a request. Throws where it is one too many. */
  spend(): void {
    const now = performance.now();
    this.#admitted = this.#admitted.filter((at) => at > now - this.#windowMs);
    const [oldest = now] = this.#admitted;
    if (this.#admitted.length >= this.#limit)
      throw new Refusal(429, 'too many requests', Math.ceil((oldest + this.#windowMs - now) / 1e3));
    this.#admitted.push(now);
  }

  importShades(catalog: string, shades: readonly Shade[]): number {
    if (shades.length === 0) throw new Refusal(422, 'no shades');
    if (shades.length > largestImport) throw new Refusal(413, 'too many shades');
    const stored = this.catalogs.get(catalog) ?? new Map<string, Shade>();
    this.catalogs.set(catalog, stored);
    for (const shade of shades) stored.set(shade.sku, shade);
    return shades.length;
  }

  shadesOf(catalog: string): readonly Shade[] {
    const stored = this.catalogs.get(catalog);
    if (stored === undefined) throw new Refusal(404, 'no such catalog');
    return [...stored.values()];
  }

  open(product: string, catalog: string, locale: string): Visit {
    const shades = this.shadesOf(catalog).length;
    if (this.visits.size >= this.#quota) throw new Refusal(402, 'the quota is spent');
    const openedMs = Date.now();
    const visit: Visit = {
      ...{ id: randomUUID(), token: `tok_${randomUUID()}`, product, catalog, locale },
      ...{ openedMs, expiresMs: openedMs + lifetimeMs, shades, events: [] },
    };
    this.visits.set(visit.id, visit);
    return visit;
  }

  visit(id: string): Visit {
    const visit = this.visits.get(id);
    if (visit === undefined) throw new Refusal(404, 'no such session');
    return visit;
  }

  /** The visits of the days `from` to `to`, both included, in UTC. */
  report(from: string, to: string, product: string | undefined): Report {
    const visits = [...this.visits.values()].filter((visit) => {
      const day = new Date(visit.openedMs).toISOString().slice(0, 10);
      return day >= from && day <= to && (product === undefined || visit.product === product);
    });
    const picks = new Map<string, number>();
    let shades = 0;
    for (const { events } of visits) {
      const skus = events.flatMap(({ kind, sku }) =>
        kind === 'selection' && sku !== undefined ? [sku] : [],
      );
      shades += new Set(skus).size;
      for (const sku of skus) picks.set(sku, (picks.get(sku) ?? 0) + 1);
    }
    const carts = visits.filter(({ events }) => events.some(({ kind }) => kind === 'cart')).length;
    return {
      visits: visits.length,
      shadesPerVisit: mean(shades, visits.length),
      cartRate: mean(carts, visits.length),
      favourites: [...picks].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, 10),
    };
  }
}

export interface Report {
  readonly visits: number;
  readonly shadesPerVisit: number;
  readonly cartRate: number;
  readonly favourites: readonly (readonly [string, number])[];
}

function mean(sum: number, count: number): number {
  return count === 0 ? 0 : Number((sum / count).toFixed(4));
}

/** Stores the events that the visit does not have yet; returns their number. */
export function addEvents(visit: Visit, events: readonly ShopEvent[]): number {
  const seen = new Set(visit.events.map(({ id }) => id));
  const fresh = events.filter(({ id }) => !seen.has(id) && seen.add(id));
  visit.events.push(...fresh);
  return fresh.length;
}

const roles = ['load', 'quota', 'bystander'] as const;
export type ShopKeys = Readonly<Record<(typeof roles)[number], string>>;

/** The accounts of a service: one for each key. */
export class Shop {
  readonly keys: ShopKeys = { load: newKey(), quota: newKey(), bystander: newKey() };
  readonly #accounts: ReadonlyMap<string, Account>;

  constructor(options: ShopOptions = {}) {
    const { quota = 200 } = options;
    this.#accounts = new Map(
      roles.map((role) => [
        this.keys[role],
        new Account(role === 'quota' ? quota : Number.POSITIVE_INFINITY, options),
      ]),
    );
  }

  /** The account of a key, which the request counts for. */
  admit(key: string | undefined): Account {
    const account = this.#accounts.get(key ?? '');
    if (account === undefined) throw new Refusal(401, 'no such key');
    account.spend();
    return account;
  }

  /** The visit that a shopper's token opens. */
  visitOf(id: string, token: string | undefined): Visit {
    const visit = [...this.#accounts.values()].map(({ visits }) => visits.get(id)).find((each) => each);
    if (visit === undefined) throw new Refusal(404, 'no such session');
    if (visit.token !== token || visit.expiresMs < Date.now()) throw new Refusal(401, 'not its token');
    return visit;
  }
}

function newKey(): string {
  return `key_${randomUUID()}`;
}

/** What a request holds, field by field: each must be a text, and none empty. */
export function texts<Name extends string>(from: unknown, names: readonly Name[]): Record<Name, string> {
  if (typeof from !== 'object' || from === null) throw new Refusal(422, 'expected an object');
  const fields = new Map(Object.entries(from));
  const read: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value: unknown = fields.get(name);
    if (typeof value !== 'string' || value === '') throw new Refusal(422, `${name}: expected a text`);
    read[name] = value;
  }
  return read as Record<Name, string>;
}

export function listIn(from: unknown, name: string): readonly unknown[] {
  const list =
    typeof from === 'object' && from !== null ? new Map(Object.entries(from)).get(name) : undefined;
  if (!Array.isArray(list)) throw new Refusal(422, `${name}: expected a list`);
  return list;
}

export function hexOf(text: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw new Refusal(422, 'expected a colour');
  return text;
}

export function dayOf(text: string): string {
  const date = new Date(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text))
    throw new Refusal(422, 'expected a date');
  return text;
}

export function instantOf(text: string): string {
  if (Number.isNaN(Date.parse(text))) throw new Refusal(422, 'expected an instant');
  return text;
}

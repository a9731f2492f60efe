import { randomStream } from '../../../src/random.ts';
import type { Role } from '../../../src/vocabulary/roles.ts';
import { type SimulatedService, truths } from '../../limits/services.ts';
import type { Answer, Arrival, VirtualService } from './world.ts';

/** Decides on a request at an instant: true if it passes. One that is not counted still does not pass at the limit. */
export type Limiter = (atMs: number, counts?: boolean) => boolean;

/** A limit, and how it changes with time: by this part of it each second. */
function limitAt(limit: number, atMs: number, driftPerS: number): number {
  return Math.floor(limit * (1 + (driftPerS * atMs) / 1e3) + 1e-9);
}

/** Most in any trailing window; refused ones are not counted. */
export function slidingLog(limit: number, windowMs: number, driftPerS = 0): Limiter {
  let stamps: number[] = [];
  return (atMs, counts = true) => {
    stamps = stamps.filter((stamp) => stamp > atMs - windowMs);
    if (stamps.length >= limitAt(limit, atMs, driftPerS)) return false;
    if (counts) stamps.push(atMs);
    return true;
  };
}

/** A trailing window that moves on by whole pieces, as a rolling counter does. */
export function inPieces(limit: number, windowMs: number, pieces: number): Limiter {
  const counts = new Map<number, number>();
  return (atMs) => {
    const piece = Math.floor((atMs * pieces) / windowMs);
    let count = 0;
    for (let k = piece - pieces + 1; k <= piece; k++) count += counts.get(k) ?? 0;
    if (count >= limit) return false;
    counts.set(piece, (counts.get(piece) ?? 0) + 1);
    return true;
  };
}

/** Turn and turn about. */
export function inTurns(nodes: number): (arrival: Arrival) => string {
  let requests = 0;
  return ({ role }) => `${role} on node ${requests++ % nodes}`;
}

/** A window that opens with a request and is counted anew after it. */
export function fixedWindow(limit: number, windowMs: number): Limiter {
  let from = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (atMs) => {
    if (atMs >= from + windowMs) [from, count] = [atMs, 0];
    return ++count <= limit;
  };
}

/** A window that its first rejection turns into a block, or that rejections extend (`blockMs` absent). */
export function prolongedByRefusals(limit: number, windowMs: number, blockMs?: number): Limiter {
  let endsMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (atMs) => {
    if (atMs >= endsMs) [endsMs, count] = [atMs + windowMs, 0];
    count++;
    if (blockMs === undefined ? count > limit : count === limit + 1) endsMs = atMs + (blockMs ?? windowMs);
    return count <= limit;
  };
}

export function tokenBucket(limit: number, windowMs: number, driftPerS = 0): Limiter {
  let tokens = limit;
  let lastMs = 0;
  return (atMs, counts = true) => {
    const most = limitAt(limit, atMs, driftPerS);
    tokens = Math.min(most, tokens + ((atMs - lastMs) * most) / windowMs);
    lastMs = atMs;
    if (tokens < 1) return false;
    if (counts) tokens--;
    return true;
  };
}

/** Several counters, one for each name, made when first named. */
function keyed(make: () => Limiter): (name: string, atMs: number, counts?: boolean) => boolean {
  const limiters = new Map<string, Limiter>();
  return (name, atMs, counts) => {
    const limiter = limiters.get(name) ?? make();
    limiters.set(name, limiter);
    return limiter(atMs, counts);
  };
}

export interface ServiceTraits {
  readonly limiter?: () => Limiter;
  /** The name of the counter that a request is counted in. */
  readonly countedBy?: (arrival: Arrival) => string;
  /** How often a request is counted; 0: never, though it is rejected at the limit. */
  readonly weight?: (arrival: Arrival) => number;
  readonly refusal?: Answer;
  /** Whether interactions, with any token of a session, spend the `load` key's limit; absent where there is no channel. */
  readonly interactions?: 'counted' | 'free';
  /** In place of refusing: how long a request waits. */
  readonly queuePerS?: number;
  readonly quota?: number;
  /** An admitted session is counted only after this time; sessions between do not see it. */
  readonly countsAfterMs?: number;
  /** A session is counted no longer than this. */
  readonly countsForMs?: number;
  /** Sessions of before do not count from then on. */
  readonly renewsAtMs?: number;
  /** What of a request that is no admitted session spends quota all the same. */
  readonly alsoSpends?: (arrival: Arrival) => boolean;
  /** A session that fails gives back a unit of quota that it never took. */
  readonly givesBack?: boolean;
  readonly quotaBy?: (arrival: Arrival) => string;
  /** Whose data a key sees; by default its account's, whose quota it spends. */
  readonly dataBy?: (arrival: Arrival) => string;
  /** Sessions that get a 429 are stored all the same. */
  readonly storesRefused?: boolean;
  /** Of a session over the quota while the key is at its rate limit: which refusal, by its number. */
  readonly first?: (n: number) => 402 | 429;
}

/** A service with the interface's statuses, and traits that a test chooses. */
export function virtualService(traits: ServiceTraits = {}): VirtualService {
  const passes = keyed(traits.limiter ?? (() => slidingLog(40, 4_000)));
  const countedBy = traits.countedBy ?? (({ role }) => role ?? '');
  const quotaBy = traits.quotaBy ?? (({ role }) => role ?? '');
  const dataBy = traits.dataBy ?? quotaBy;
  const owners = new Map<string, string>();
  const refusal = traits.refusal ?? { status: 429 };
  const { renewsAtMs = Number.POSITIVE_INFINITY } = traits;
  const spent = new Map<string, number[]>();
  const spend = (name: string, atMs: number): unknown => spent.set(name, [...(spent.get(name) ?? []), atMs]);
  const isSpent = (name: string, atMs: number): boolean =>
    (spent.get(name) ?? []).filter(
      (at) =>
        at + (traits.countsAfterMs ?? 0) <= atMs &&
        at + (traits.countsForMs ?? Infinity) > atMs &&
        at >= (atMs < renewsAtMs ? 0 : renewsAtMs),
    ).length >= (traits.quota ?? 20);
  const stored = new Map<string, number>();
  let sessions = 0;
  let overBoth = 0;
  let freeAtMs = 0;
  const open = (arrival: Arrival): Answer => {
    const productId = String((JSON.parse(arrival.body) as { product_id: string }).product_id);
    const name = quotaBy(arrival);
    const isLimited = ['quota', 'twin'].some((role) => quotaBy({ ...arrival, role: role as Role }) === name);
    if (isLimited && isSpent(name, arrival.atMs)) return { status: 402 };
    spend(name, arrival.atMs);
    stored.set(productId, (stored.get(productId) ?? 0) + 1);
    const expires_at = '2026-05-01T13:00:00Z';
    owners.set(`s${++sessions}`, dataBy(arrival));
    return { status: 200, body: { session_id: `s${sessions}`, token: 't', expires_at, shade_count: 3 } };
  };
  return (arrival) => {
    const { atMs, method, path, role } = arrival;
    if (path.endsWith('/interactions') && traits.interactions !== undefined) {
      const name = countedBy({ ...arrival, role: 'load' });
      const isFree = traits.interactions === 'free' || passes(name, atMs);
      return isFree ? { status: 202, body: { accepted: 1 } } : refusal;
    }
    if (role === undefined) return { status: 401 };
    const isSession = method === 'POST' && path.endsWith('/sessions');
    if (traits.queuePerS !== undefined) {
      freeAtMs = Math.max(freeAtMs, atMs - 4_000) + 1_000 / traits.queuePerS;
      if (freeAtMs > atMs) return { status: 200, body: [], delayMs: freeAtMs - atMs };
    }
    if (traits.alsoSpends?.(arrival) === true) spend(quotaBy(arrival), atMs);
    const weight = traits.weight?.(arrival) ?? 1;
    for (let more = weight; more > 1; more--) passes(countedBy(arrival), atMs);
    if (!passes(countedBy(arrival), atMs, weight > 0)) {
      if (isSession && traits.storesRefused === true) open(arrival);
      if (isSession && traits.first !== undefined && role === 'quota' && isSpent(quotaBy(arrival), atMs))
        return { status: traits.first(overBoth++) };
      return refusal;
    }
    if (path.includes('unknown') || arrival.body.includes('unknown')) {
      if (isSession && traits.givesBack === true) spent.get(quotaBy(arrival))?.pop();
      return { status: 404 };
    }
    if (isSession && !/"locale":"[^}]*}$/.test(arrival.body)) return { status: 422 };
    if (isSession) return open(arrival);
    const owner = owners.get(path.split('/sessions/')[1] ?? '');
    if (owner !== undefined && owner !== dataBy(arrival)) return { status: 404 };
    if (path.includes('/analytics/')) {
      const productId = new URLSearchParams(path.split('?')[1]).get('product_id') ?? '';
      return {
        status: 200,
        body: {
          period: 'x',
          total_sessions: stored.get(productId) ?? 0,
          avg_shades_per_session: 0,
          cart_intent_rate: 0,
          top_shades: [],
        },
      };
    }
    return { status: 200, body: method === 'POST' ? {} : [] };
  };
}

/** A service behind a proxy that delivers one request in `oneIn` twice, and returns either answer. */
export function redelivering(service: VirtualService, oneIn: number): VirtualService {
  let count = 0;
  return (arrival) => {
    const first = service(arrival);
    if (++count % oneIn !== 0) return first;
    const second = service(arrival);
    return count % (2 * oneIn) === 0 ? second : first;
  };
}

/** A service behind one of the simulated limiters by its name, one for each key, which may also delay. */
export function serviceBehind(
  name: string,
  limit: number,
  windowMs: number,
  refusal: Answer = { status: 429 },
): VirtualService {
  const make = truths[name]?.make(limit, windowMs, {
    epochMs: Date.UTC(2026, 4, 1, 12),
    random: randomStream(1, name),
  });
  if (make === undefined) throw new Error(`no simulated service is called ${name}`);
  const service = virtualService({ limiter: () => () => true });
  const limiters = new Map<string, SimulatedService>();
  return (arrival) => {
    const { atMs, role } = arrival;
    if (role === undefined) return { status: 401 };
    const limiter = limiters.get(role) ?? make();
    limiters.set(role, limiter);
    const { passes, delayMs } = limiter(atMs);
    return passes ? { ...service(arrival), delayMs } : refusal;
  };
}

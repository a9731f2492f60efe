import type { RateLimit } from '../../vocabulary/quantities.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { Clock } from '../clock/clock.ts';

/** Set-up and settling use at most this share of the limit, so that no honest limiter rejects them. */
export const share = 0.7;
/** The explorer uses this share during the load: all keys may share one limit, which a load comes close to. */
export const shareBeside = 0.05;
/** And never come faster than this, to leave the target's latencies alone. */
export const fastestPerSecond = 80;
const leastGapNs = 1e9 / fastestPerSecond;
/** After a 429, they come slower than what was rejected by this factor: another limit may count shorter spans. */
const slower = 0.7;
/** But not slower than this part of their share of the promised limit. */
const slowest = 0.25;

/** Whether a request has spent the rate limit of a key; of an interaction it may not be known. */
export type SpendCertainty = 'certain' | 'possible';

/** The instants of the last `size` sends. */
class Recent {
  readonly #sent: Float64Array;
  #at = 0;

  constructor(size: number) {
    this.#sent = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
  }

  add(atNs: number): void {
    this.#sent[this.#at] = atNs;
    this.#at = (this.#at + 1) % this.#sent.length;
  }

  get oldestNs(): number {
    return this.#sent[this.#at] ?? 0;
  }

  /** Those from an instant on, in order. */
  since(ns: number): number[] {
    return [...this.#sent.filter((atNs) => atNs >= ns)].sort((a, b) => a - b);
  }
}

/**
 * Paces requests under a key's rate limit. It counts everything that may have spent the limit in the trailing two
 * windows, including the load. At most `share` of the limit goes into a window, so that no fixed window, trailing
 * window or bucket is full.
 */
export class Governor {
  readonly #clock: Clock;
  readonly #windowNs: number;
  /** The oldest says when there is room again. */
  readonly #possible: Recent;
  readonly #certain: Recent;
  readonly #slowestPerSecond: number;
  #gapNs = leastGapNs;
  /** When they come faster again, and whether they have since the first 429. */
  #fasterFromNs = Number.POSITIVE_INFINITY;
  #isFaster = false;
  #nextNs = 0;

  /** `mostCounted`: how often something on the way may deliver a request, each time spending the limit. */
  constructor(clock: Clock, limit: RateLimit, mostCounted = 1) {
    this.#clock = clock;
    this.#windowNs = limit.windowMs * 1e6;
    const sharePerSecond = (share * limit.requests * 1e3) / limit.windowMs;
    this.#slowestPerSecond = slowest * Math.min(sharePerSecond, fastestPerSecond);
    const size = Math.max(1, Math.min(1_000_000, Math.floor((limit.requests * share) / mostCounted)));
    this.#possible = new Recent(size);
    this.#certain = new Recent(size);
  }

  /** Notes a request sent without asking first: the load. */
  note(atNs: number, spending: SpendCertainty = 'certain'): void {
    this.#possible.add(atNs);
    if (spending === 'certain') this.#certain.add(atNs);
  }

  /**
   * A request got 429 though it had room: from now on fewer come in a second than in the last one. After a window they come
   * faster step by step, since others may have used the key; another 429 then shows a limit, below which they stay.
   */
  rejected(): void {
    this.#fasterFromNs = this.#isFaster ? Number.POSITIVE_INFINITY : this.#clock.nowNs() + this.#windowNs;
    const inLastSecond = this.#possible.since(this.#clock.nowNs() - 1e9).length;
    const perSecond = Math.max(slower * inLastSecond, this.#slowestPerSecond);
    this.#gapNs = Math.max(this.#gapNs, 1e9 / perSecond);
  }

  /** When a request that is ready at `nowNs` may go without a possible rejection. */
  nextSlotNs(nowNs: number): number {
    return Math.max(nowNs, this.#nextNs, this.#possible.oldestNs + this.#windowNs);
  }

  /** Whether a request may go at `nowNs` that could be rejected if interactions spend the limit. */
  hasRoom(nowNs: number): boolean {
    return Math.max(this.#nextNs, this.#certain.oldestNs + this.#windowNs) <= nowNs;
  }

  /** The instants since then at which something certainly spent the limit; of more than its share, the last. */
  spentSince(ns: number): readonly number[] {
    return this.#certain.since(ns);
  }

  /** Takes the next room there is, and says when that is. */
  take(): number {
    const slotNs = this.nextSlotNs(this.#clock.nowNs());
    this.note(slotNs);
    if (slotNs >= this.#fasterFromNs) {
      this.#gapNs = Math.max(leastGapNs, this.#gapNs * slower);
      this.#fasterFromNs = slotNs + this.#windowNs;
      this.#isFaster = true;
    }
    this.#nextNs = slotNs + this.#gapNs;
    return slotNs;
  }
}

/** The most further pages over all lists of the load key, and of each other one: 500 shades and a few hundred others, in pages of 20. */
export const mostPages = { load: 60, other: 20 } as const;

/** How many further pages of lists may still be read. */
export class PageBudget {
  readonly #spent = new Map<Role, number>();
  readonly #most: { readonly load: number; readonly other: number };

  constructor(most: { readonly load: number; readonly other: number } = mostPages) {
    this.#most = most;
  }

  /** Spends one, if one is left. */
  spend(role: Role): boolean {
    const spent = this.#spent.get(role) ?? 0;
    if (spent >= (role === 'load' ? this.#most.load : this.#most.other)) return false;
    this.#spent.set(role, spent + 1);
    return true;
  }
}

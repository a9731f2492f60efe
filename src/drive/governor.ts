import type { RateLimit } from '../scenario/quantities.ts';
import type { Clock } from './clock.ts';

/** Set-up and settling use at most this share of the limit, so that what they ask is not refused whatever the limiter. */
export const share = 0.7;
/** And never come faster than this, to leave the target's latencies alone. */
export const fastestPerSecond = 25;

/**
 * Paces requests under a key's rate limit. It counts everything that the key has sent in the trailing two windows,
 * the load included: no more than `share` of the limit in the last window, so that neither a fixed window, nor a
 * trailing one, nor a bucket can be full.
 */
export class Governor {
  readonly #clock: Clock;
  readonly #windowNs: number;
  /** The instants of the last so many sends; the oldest says when there is room again. */
  readonly #sent: Float64Array;
  #at = 0;
  #nextNs = 0;

  /** `mostCounted`: how often something on the way may deliver a request, each time spending the limit. */
  constructor(clock: Clock, limit: RateLimit, mostCounted = 1) {
    this.#clock = clock;
    this.#windowNs = limit.windowMs * 1e6;
    this.#sent = new Float64Array(
      Math.max(1, Math.min(1_000_000, Math.floor((limit.requests * share) / mostCounted))),
    ).fill(Number.NEGATIVE_INFINITY);
  }

  /** Notes a request sent without asking first: the load. */
  note(atNs: number): void {
    this.#sent[this.#at] = atNs;
    this.#at = (this.#at + 1) % this.#sent.length;
  }

  /** When a request may go that comes at `nowNs`. */
  nextSlotNs(nowNs: number): number {
    return Math.max(nowNs, this.#nextNs, (this.#sent[this.#at] ?? 0) + this.#windowNs);
  }

  /** Takes the next room there is, and says when that is. */
  take(): number {
    const slotNs = this.nextSlotNs(this.#clock.nowNs());
    this.note(slotNs);
    this.#nextNs = slotNs + 1e9 / fastestPerSecond;
    return slotNs;
  }
}

import { clockRateError, clockReadingNs, clockSlackNs } from '../slack.ts';
import type { Span } from '../span.ts';

/** Tokens by an instant, counted from any start: they come evenly, or together at the end of each `everyNs`. */
class Tokens {
  readonly #perNs: number;
  readonly #laterNs: number;
  readonly #everyNs: number;

  /** `laterNs`: how much later they come; `everyNs`: 0 where they come evenly. */
  constructor(perNs: number, laterNs: number, everyNs = 0) {
    this.#perNs = perNs;
    this.#laterNs = laterNs;
    this.#everyNs = everyNs;
  }

  by(ns: number): number {
    const forNs = ns - this.#laterNs;
    return this.#everyNs === 0
      ? forNs * this.#perNs
      : Math.floor(forNs / this.#everyNs) * (this.#everyNs * this.#perNs);
  }
}

/**
 * Bounds on the tokens that come in between two instants u < t: at least `leastUpTo.by(t) − leastFrom.by(u)`, at most
 * `mostUpTo.by(t) − mostFrom.by(u)`. One class for all of them, since a search asks it a hundred million times.
 */
export interface Refill {
  /** The part of a token that rounding may lose of it with each admission. */
  readonly grain: number;
  readonly leastFrom: Tokens;
  readonly leastUpTo: Tokens;
  readonly mostFrom: Tokens;
  readonly mostUpTo: Tokens;
}

/** One token at a time, each `interval` after the last. `grain`: of tokens a second, only whole such parts come. */
export function continuousRefill(interval: Span, grain = 0): Refill {
  const mostPerNs = (1 + clockRateError) / interval.loNs;
  const leastPerNs = Math.max(0, (1 - clockRateError) / interval.hiNs - grain / 1e9);
  return {
    grain,
    leastFrom: new Tokens(leastPerNs, 0),
    leastUpTo: new Tokens(leastPerNs, clockReadingNs),
    mostFrom: new Tokens(mostPerNs, 0),
    mostUpTo: new Tokens(mostPerNs, -clockReadingNs),
  };
}

/**
 * An interval refill: tokens come together every `everyNs`, once within `refillAt`; `interval` is a token's share of
 * `everyNs`.
 */
export function intervalRefill(interval: Span, everyNs: number, refillAt: Span, traceNs: number): Refill {
  const slackNs = clockSlackNs(traceNs / 2);
  const [latest, earliest] = [refillAt.hiNs + slackNs, refillAt.loNs - slackNs];
  const [mostPerNs, leastPerNs] = [1 / interval.loNs, 1 / interval.hiNs];
  return {
    grain: 0,
    leastFrom: new Tokens(leastPerNs, earliest, everyNs),
    leastUpTo: new Tokens(leastPerNs, latest, everyNs),
    mostFrom: new Tokens(mostPerNs, latest, everyNs),
    mostUpTo: new Tokens(mostPerNs, earliest, everyNs),
  };
}

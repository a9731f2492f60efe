import { clockRateError, clockReadingNs, clockSlackNs } from '../slack.ts';
import type { Span } from '../span.ts';

/**
 * Bounds on the tokens that come in between two instants u < t: at least `leastUpTo(t) − leastFrom(u)`, at most
 * `mostUpTo(t) − mostFrom(u)`.
 */
export interface Refill {
  /** The part of a token that rounding may lose of it with each admission. */
  readonly grain: number;
  readonly leastFrom: (ns: number) => number;
  readonly leastUpTo: (ns: number) => number;
  readonly mostFrom: (ns: number) => number;
  readonly mostUpTo: (ns: number) => number;
}

/** One token at a time, each `interval` after the last. `grain`: of tokens a second, only whole such parts come. */
export function continuousRefill(interval: Span, grain = 0): Refill {
  const mostPerNs = (1 + clockRateError) / interval.loNs;
  const leastPerNs = Math.max(0, (1 - clockRateError) / interval.hiNs - grain / 1e9);
  return {
    grain,
    leastFrom: (ns) => ns * leastPerNs,
    leastUpTo: (ns) => (ns - clockReadingNs) * leastPerNs,
    mostFrom: (ns) => ns * mostPerNs,
    mostUpTo: (ns) => (ns + clockReadingNs) * mostPerNs,
  };
}

/**
 * An interval refill: tokens come together every `everyNs`, once within `refillAt`; `interval` is a token's share of
 * `everyNs`.
 */
export function intervalRefill(interval: Span, everyNs: number, refillAt: Span, traceNs: number): Refill {
  const slackNs = clockSlackNs(traceNs / 2);
  const mostEach = everyNs / interval.loNs;
  const leastEach = everyNs / interval.hiNs;
  const latest = (ns: number): number => Math.floor((ns - refillAt.hiNs - slackNs) / everyNs);
  const earliest = (ns: number): number => Math.floor((ns - refillAt.loNs + slackNs) / everyNs);
  return {
    grain: 0,
    leastFrom: (ns) => leastEach * earliest(ns),
    leastUpTo: (ns) => leastEach * latest(ns),
    mostFrom: (ns) => mostEach * latest(ns),
    mostUpTo: (ns) => mostEach * earliest(ns),
  };
}

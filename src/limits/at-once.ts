import type { PromisedLimit } from './fit.ts';

/** The requests of each kind in a volley at the limit: the limited call, and what is tried beside it. */
export const inVolley = 4;

/**
 * How many requests a rested limiter admits at one moment, at least: what passed of a burst, less the places that may have
 * become free while the burst was under way.
 */
export function admittedAtOnce(
  passed: number,
  tookNs: number,
  { requests, windowNs }: PromisedLimit,
): number {
  return Math.max(0, passed - Math.ceil((tookNs * requests) / windowNs));
}

/**
 * Whether refusals in a volley can show that a limit is shared. A limiter that admits fewer at once than a volley holds
 * (nginx without `burst`: one) refuses the rest of the volley on its own account, whoever shares it.
 */
export function volleysTell(atOnce: number): boolean {
  return atOnce >= inVolley;
}

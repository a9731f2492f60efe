import type { PromisedLimit } from './kinds/kind.ts';

/** The requests of each kind in a volley at the limit: the limited call, and what is tried beside it. */
export const inVolley = 4;

/**
 * A lower bound on the requests that a rested limiter admits at one moment: what passed of a burst, less the places
 * that may have become free during the burst.
 */
export function admittedAtOnce(
  passed: number,
  tookNs: number,
  { requests, windowNs }: PromisedLimit,
): number {
  return Math.max(0, passed - Math.ceil((tookNs * requests) / windowNs));
}

/**
 * Whether rejections in a volley can show that a limit is shared. A limiter that admits fewer at once than a volley
 * holds (nginx without `burst`: one) rejects the rest of any volley.
 */
export function volleysTell(atOnce: number): boolean {
  return atOnce >= inVolley;
}

import type { PromisedLimit } from './kinds/kind.ts';
import { countUpTo } from './sorted.ts';
import type { Trace } from './trace.ts';

/** The requests of each kind in a volley at the limit: the limited call, and what is tried beside it. */
export const inVolley = 4;
/** How often a volley is repeated at most, if the key was not at its limit: it shows nothing then. */
export const mostVolleys = 3;

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

/** The most requests that waited for an answer at the same time, over all keys together. */
export function mostUnanswered(traces: readonly Trace[]): number {
  const sent = inOrder(traces.map(({ sentNs }) => sentNs));
  const answered = inOrder(traces.map(({ answeredNs }) => answeredNs));
  return sent.reduce((most, ns, place) => Math.max(most, place + 1 - countUpTo(answered, ns)), 0);
}

function inOrder(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0));
  let room = 0;
  for (const column of columns) {
    all.set(column, room);
    room += column.length;
  }
  return all.sort();
}

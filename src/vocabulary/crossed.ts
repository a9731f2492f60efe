import type { Endpoint } from './requests.ts';

/** The crossed design: each endpoint alone, then each while another works; and connections, new and used. Pure. */

export const crossedEndpoints = [
  'create-session',
  'read-session',
  'list-shades',
  'import-shades',
  'analytics',
] as const satisfies readonly Endpoint[];
export type CrossedEndpoint = (typeof crossedEndpoints)[number];

/** The endpoint that works, and the one whose request comes then. */
export type CrossedPair = readonly [working: CrossedEndpoint, waiting: CrossedEndpoint];

/** Each two different endpoints, in both orders. */
export const crossedPairs: readonly CrossedPair[] = crossedEndpoints.flatMap((working) =>
  crossedEndpoints.filter((each) => each !== working).map((waiting): CrossedPair => [working, waiting]),
);

/**
 * How often each endpoint is asked alone; each pair is asked once. A pair that was slow each time so far is asked again this
 * often, with the one that waits alone before, so that chance cannot explain it: at most `repeated` pairs at a time.
 */
export const crossedTrials = { alone: 2, again: 5, repeated: 4 } as const;

/** How much earlier the endpoint that works is asked. */
export const crossedLeadMs = 1;

/** Connections that the probes open one after the other, each for the same request twice. */
export const newConnections = 6;
/** How many of these are used again after an event, and how often at most: as long as reads may be late. */
export const heldConnections = { connections: 2, reads: 10, everyMs: 2_000 } as const;

/** What counts as slower. A busy machine doubles a service time of a millisecond, so the wait has to matter as well. */
export const slower = { factor: 2, ms: 50 } as const;

/** Whether all of some service times, in milliseconds, are slower than each of the others. False without both. */
export function allSlower(slow: readonly number[], quick: readonly number[]): boolean {
  if (slow.length === 0 || quick.length === 0) return false;
  const longest = Math.max(...quick);
  return Math.min(...slow) > Math.max(slower.factor * longest, longest + slower.ms);
}

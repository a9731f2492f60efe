import type { Endpoint } from './record.ts';

/**
 * Names that requests outside the planned load carry in the history, so that checks can find them. The driver writes
 * them, checks read them; nothing else gives them a meaning.
 */

/** Phases of stage `setup`, in this order, all before the load. */
export const setupPhases = {
  /** Unfiltered analytics before the run has created anything: what the account held already. */
  baseline: 'baseline',
  /** POST /shades of the run's catalogs. */
  import: 'import',
  /** One request (or a request and a read that follows it up) for each sentence of the interface that can be asked directly. */
  contract: 'contract',
} as const;

/** Phases of stage `settle`, in this order, all after the load. */
export const settlePhases = {
  /** GET /sessions/{id}: every session with an ambiguous act, then a random sample. */
  readBack: 'read-back',
  /** Every analytics query, asked as soon as the acts were over. */
  analyticsEarly: 'analytics-early',
  /** Reads with the `quota` key after its quota is spent, and the analytics of its account. */
  quotaAftermath: 'quota-aftermath',
  /** Every analytics query again, all sent after the last act plus the profile's freshness bound: the ones to judge. */
  analytics: 'analytics',
} as const;

/** Values of `RequestRecord.probe`. Requests without a probe are ordinary traffic. */
export type Probe =
  /** No Authorization header, on each endpoint of the interface: 401. */
  | `no-key:${Endpoint}`
  /** A key that was never issued, likewise: 401. */
  | `bad-key:${Endpoint}`
  /** 404 for ids that do not exist. */
  | 'unknown-session'
  | 'unknown-catalog:create-session'
  | 'unknown-catalog:list-shades'
  /** A batch of exactly the limit into a catalog of its own: accepted, and then listed in full. */
  | 'batch-max'
  | 'batch-max:list'
  /** A batch of one more, into another new catalog: refused, and nothing of it is listed afterwards. */
  | 'batch-over'
  | 'batch-over:list'
  /** GET /shades of an imported catalog, to compare with what was sent. */
  | 'import:list'
  /** A session opened and read back on an ordinary product. */
  | 'canary:create-session'
  | 'canary:read-session'
  /** An empty batch of interactions for the canary session: is there an interaction channel? */
  | 'channel'
  /** Analytics of a period long ago: nothing of the run is in it, and how a target answers that is not specified. */
  | 'empty-period'
  /** With the quota key, after its quota is spent. */
  | 'after-quota:read-session'
  | 'after-quota:list-shades'
  | 'after-quota:analytics';

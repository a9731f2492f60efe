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
  /** Calls that tell a sound service from a faulty one, after everything else: no other check counts what they do. */
  explored: 'explored',
  /** Each endpoint alone and in pairs. */
  crossed: 'endpoints in pairs',
  /** Connections of their own, new and used. */
  connections: 'new connections',
  /** GET /sessions/{id}: every session with an ambiguous event, then a random sample. */
  readBack: 'read-back',
  /** Every analytics query, asked as soon as the last event was sent. */
  analyticsEarly: 'analytics-early',
  /** The query of the phase of that name during the load, repeated until its answer is complete and stable. */
  freshness: 'freshness',
  /** Reads with the `quota` key after its quota is spent, and the analytics of its account. */
  quotaAftermath: 'quota-aftermath',
  /** Analytics of the sessions that got a 429 while a key was at its limit. */
  refusedAftermath: 'refused-aftermath',
  /**
   * Every analytics query again, all sent after the last event plus the profile's freshness bound: these are judged.
   */
  analytics: 'analytics',
} as const;

/** Phases of stage `companion`: probes during load. */
export const companionPhases = {
  /** Requests with a key that was never issued, while more arrives than the promised rate. */
  badKey: 'a bad key under load',
  /** Analytics with the load key, at the same times. */
  analytics: 'analytics at the limit',
  /** Calls of the explorer. */
  explored: 'explored under load',
  /** One analytics query over and over, to see how soon sessions show in it. */
  freshness: 'freshness',
} as const;

/** Phases of stage `study`. */
export const studyPhases = {
  /** Bursts until the key is rejected, and the tests at the limit. */
  scope: 'limits: scope',
  /** Waits as advised by rejections. */
  waits: 'limits: waits',
  /** A few requests on each rejected key after a rest: whether it is admitted again. */
  recovery: 'limits: recovery',
  /**
   * Nearly a key's whole limit again, a part of it at other endpoints: whether a request counts the same everywhere.
   */
  mixed: 'limits: every endpoint',
  /** As many again without a good key. */
  unauthenticated: 'limits: unauthenticated',
  /** Requests with other keys while a limit is studied. */
  otherKeys: 'limits: other keys',
  /** Reads until the quota key is at its rate limit as well, then sessions: whether 402 or 429 comes first. */
  precedence: 'limits: precedence',
  /** Requests that must not spend session quota, before the quota is spent. */
  quotaNothing: 'quota: what spends nothing',
  /** Session after session to the edge of the quota, and past it. */
  quotaEdge: 'quota: to the edge',
  /** Probes by their letters, of `limits/probes.ts`. */
  probe: 'limits: probe',
  /** Arrivals at random, at one rate after another, on a pool of keys. */
  capacityOpen: 'capacity: open model',
  /** Dates that are invalid, in the wrong order, long ago or far ahead. */
  auditDates: 'audit: odd dates',
  /** Analytics before the one session of an audit, and the session itself. */
  auditBefore: 'audit: before the session',
  auditSession: 'audit: one session',
  /** Every question of an audit, as late after the session as analytics may lag. */
  auditFirst: 'audit: first round',
  /** A few of them again, later by as much: each several times in a row, and then in every order of two. */
  auditReread: 'audit: read again',
  auditOrder: 'audit: in other orders',
  /** Every question again, last to first, later by as much once more. */
  auditLast: 'audit: last round',
} as const;

/** What an event `discovered` is about: the latest end of a period that the target takes, where that is today. */
export const latestEndDate = 'latest end_date';

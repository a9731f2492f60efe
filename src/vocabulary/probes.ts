import type { CrossedEndpoint } from './crossed.ts';

/**
 * Probes while the `load` key is at its limit, in volleys of one of these and `scope:control` (a key and call known
 * to be limited).
 */
export const scopeProbes = [
  'scope:read-session',
  'scope:analytics',
  'scope:create-session',
  'scope:import-shades',
  'scope:interact',
  'scope:other-key',
  'scope:other-address',
  'scope:other-shard',
  'scope:other-shard-key',
  'scope:forwarded',
  'scope:spelled',
  'scope:bad-key',
  'scope:no-key',
  'scope:unknown-session',
  'scope:unknown-catalog',
  'scope:new-connection',
] as const;
export type ScopeProbe = (typeof scopeProbes)[number];

/**
 * How an endpoint is requested otherwise: its path is spelled otherwise, or its GET is a HEAD. Whether such a request is served
 * is not specified; that it needs a key is.
 */
export const spellings = ['double-slash', 'trailing-slash', 'capital', 'percent', 'head'] as const;
export type Spelling = (typeof spellings)[number];

/** Values of `RequestRecord.probe`. Requests without a probe are ordinary traffic. */
export type Probe =
  /** The first request of a run, as long as the target is not ready: it refuses connections, or answers 5xx. Then one to another endpoint. */
  | 'ready'
  /** Of the quota key, before its quota is spent: 404 for ids that do not exist. */
  | 'unknown-session'
  | 'unknown-catalog:create-session'
  /** The largest batch, into a separate catalog, and its list. */
  | 'batch-max'
  | 'batch-max:list'
  /** Shades with unusual values, and their list. */
  | 'corners:import'
  | 'corners:list'
  /** GET /shades of the full batch, again and again: how long the longest list takes. */
  | 'large:list'
  /** A session of the `load` key, read with the bystander's key. */
  | 'tenancy:read-session'
  /** A call of the explorer, or a further page of a list; what was sent is in the history. */
  | 'explored'
  /** A key that was never issued, while the service is loaded. */
  | 'loaded:bad-key'
  /** Analytics with the `load` key at the same times: they spend its limit, where all endpoints share one. */
  | 'loaded:analytics'
  /** GET /shades of an imported catalog, to compare with what was sent. */
  | 'import:list'
  /** A further page of one of the lists above, where GET /shades answers in pages. */
  | 'next-page'
  /** A session opened and read back on an ordinary product. */
  | 'canary:create-session'
  | 'canary:read-session'
  /** An empty batch of interactions for the canary session: is there an interaction channel? */
  | 'channel'
  /** Analytics of a period long ago, far ahead or backwards: nothing of the run is in it, and the answer is not specified. */
  | 'empty-period'
  /** Analytics of many years, up to the run: all of it, or a 4xx. */
  | 'long-period'
  /** Analytics of a product without any session: none, or a 4xx. */
  | 'unsold-product'
  /**
   * Analytics of a product of the `load` key, asked for with another key: only that account's sessions, so none, or a
   * 4xx.
   */
  | 'tenancy:analytics'
  /** With the quota key, after its quota is spent. */
  | 'after-quota:read-session'
  | 'after-quota:list-shades'
  | 'after-quota:analytics'
  | 'after-quota:import-shades'
  | 'after-quota:interact'
  /** For another product and locale than all before it: 402 as well. */
  | 'after-quota:create-session'
  /** An import, a session rejected with 429, and malformed ones, before the quota is spent: none counts. */
  | 'quota:nothing'
  | 'quota:limited'
  | 'quota:malformed'
  /** One session on each key other than `quota`, before the quota is spent and after. */
  | 'quota:twin'
  | 'quota:other-account'
  | 'quota:load'
  /** The first session of the `twin` key, read with the `quota` key. */
  | 'quota:twin-session'
  /** Analytics of a product without any session. */
  | 'audit:unknown-product'
  /** Of days on which there can be no session, of which there may be one, and of an end before its start. */
  | 'audit:far-ahead'
  | 'audit:long-ago'
  | 'audit:reversed'
  /** Invalid or missing dates; and dates in a form that the target may or may not accept. */
  | 'audit:malformed'
  | 'audit:other-form'
  /** The one session of an audit, and what is done in it. */
  | 'audit:session'
  | 'audit:acts'
  /** A request of the step of that number of a study of capacity. Past the knee it may take as long as it likes. */
  | `capacity:${number}`
  /** On a key at its limit: just before the instant that its rejections advise, and right after it. */
  | 'wait:early'
  | 'wait:full'
  | ScopeProbe
  | 'scope:control'
  /** One of many without a good key. */
  | 'flood:bad-key'
  /** A session on the quota key while that is at its rate limit, and its quota spent. */
  | 'precedence:create-session'
  /** Analytics of the product whose only session requests got a 429. */
  | 'refused:analytics'
  /** A request that is the only one; one that is to work, and one that comes then, by the endpoint that works. */
  | 'crossed:alone'
  | 'crossed:working'
  | `crossed:${CrossedEndpoint}`
  /**
   * A read of a session as the first request of a new connection, and the same again on it; then an event in that session,
   * and reads of it over another connection and over such ones.
   */
  | 'connection:first'
  | 'connection:next'
  | 'connection:acts'
  | 'connection:again';

/** The part of a probe's name before its first colon, or the whole name where there is none. */
export type Family = Probe extends infer Name
  ? Name extends `${infer First}:${string}`
    ? First
    : Name
  : never;

/** `audit` of `audit:session`. */
export function familyOf(probe: string): string {
  return probe.split(':', 1)[0] ?? probe;
}

/**
 * Families of probes whose server errors the check that sent them judges, and `contract.errors` does not: the service may find them
 * odd; past the knee it may fail.
 */
export const oddProbes = [
  'audit',
  'capacity',
  'corners',
  'explored',
  'ready',
] as const satisfies readonly Family[];

/** Families of probes that are sent together: what one of them makes, another needs. */
const probeSteps = {
  large: ['batch-max', 'large'],
  corners: ['corners'],
  crossed: ['crossed', 'connection'],
  explored: ['explored'],
} as const satisfies Readonly<Record<string, readonly Family[]>>;
export type ProbeStep = keyof typeof probeSteps;

/** Whether a step is sent where only these families are wanted; undefined: all are. */
export function sendsStep(step: ProbeStep, wanted: readonly string[] | undefined): boolean {
  return wanted === undefined || probeSteps[step].some((family) => wanted.includes(family));
}

/** Those that are sent in any case, and those that are sent together with these families. */
export function sentWith(families: readonly string[]): readonly string[] {
  const steps = Object.values(probeSteps).filter((step) => step.some((family) => families.includes(family)));
  return ['import', 'canary', 'channel', 'next-page', ...steps.flat()];
}

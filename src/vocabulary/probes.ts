import type { CrossedEndpoint } from './crossed.ts';
import type { Endpoint } from './requests.ts';

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

/** Authorization headers that are not of the form of RFC 6750. */
export const malformedKeys = [
  'quoted',
  'basic',
  'token',
  'other-scheme',
  'no-scheme',
  'scheme-twice',
  'word-after',
  'scheme-alone',
] as const;

/** What is done to a real key to make one that only resembles it. */
export const nearKeys = [
  'cut-by-1',
  'cut-to-8',
  'cut-to-16',
  'cut-to-20',
  'cut-to-24',
  'cut-to-32',
  'cut-to-36',
  'cut-to-64',
  'cut-to-72',
  'last-changed',
  'byte-73-changed',
  'case',
  'longer',
  'twice',
  ...malformedKeys,
  'session-token',
] as const;
export type NearKey = (typeof nearKeys)[number];

/** What is done to the id of a session to make one that only resembles it. */
export const nearIds = ['cut-by-1', 'last-changed', 'longer', 'case'] as const;
export type NearId = (typeof nearIds)[number];

/**
 * How an endpoint is requested otherwise: its path is spelled otherwise, or its GET is a HEAD. Whether such a request is served
 * is not specified; that it needs a key is.
 */
export const spellings = ['double-slash', 'trailing-slash', 'capital', 'percent', 'head'] as const;
export type Spelling = (typeof spellings)[number];

/** What is wrong with a malformed request: with the body, with one field of it, or with the encoding of its path or query. */
const faults = [
  'no-json',
  'list-body',
  'text-body',
  'null-body',
  'absent',
  'null',
  'number',
  'list',
  'object',
  'text',
  'empty',
  'pattern',
  'repeated',
  'percent-letters',
  'percent-alone',
  'percent-byte',
] as const;
export type Fault = (typeof faults)[number];

/** The name of the shade that the bystander's key imports into a catalog with the id of another account's. */
export const foreignShadeName = 'Shade of another account';

/** Values of `RequestRecord.probe`. Requests without a probe are ordinary traffic. */
export type Probe =
  /** No Authorization header, on each endpoint of the interface, and on a session that exists: 401. */
  | `no-key:${Endpoint}`
  /** The same with GET /shades, as the first request of a connection: no key was used on it. */
  | 'no-key:own-connection'
  /** An unknown key: 401 as well. */
  | `bad-key:${Endpoint}`
  /** A key that resembles a real one, each kind on one of the endpoints: 401. */
  | `near-key:${NearKey}:${Endpoint}`
  /** No Authorization header, at an endpoint that is requested otherwise: not served. */
  | `spelled:${Spelling}:${Endpoint}`
  /** The first request of a run, as long as the target is not ready: it refuses connections, or answers 5xx. Then one to another endpoint. */
  | 'ready'
  /** 404 for ids that do not exist. */
  | 'unknown-session'
  /** An id that is longer than any: 404, or another 4xx for a path that is too long. */
  | 'unknown-session:long'
  /** The id of a session that exists, altered: 404, or another 4xx for an id of a wrong form. */
  | `near-session:${NearId}`
  | 'unknown-catalog:create-session'
  | 'unknown-catalog:list-shades'
  /** A batch of exactly the limit into a separate catalog: accepted, and then listed in full. */
  | 'batch-max'
  | 'batch-max:list'
  /** A session on that catalog, whose `shade_count` is that of the list. */
  | 'batch-max:create-session'
  /**
   * A catalog on several connections: an import and lists at once, the same SKUs with other values and lists at once, each
   * with a session after it; then imports at once, and a list; then a large import, and a list.
   */
  | 'update:import'
  | 'update:before'
  | 'update:again'
  | 'update:after'
  | 'update:create-session'
  | 'together:import'
  | 'together:list'
  | 'update:large'
  | 'update:large-list'
  /** GET /shades of catalogs of set-up, after everything. */
  | 'kept:list'
  /** A batch of one more, into another new catalog: rejected, and nothing of it is listed afterwards. */
  | 'batch-over'
  | 'batch-over:list'
  /** A small batch into a separate catalog, sent twice, and the list after it. */
  | 'again:import'
  | 'again:repeat'
  | 'again:list'
  /** A batch with one SKU twice, into the same catalog; then the list, and a session's shade count. */
  | 'twice:import'
  | 'twice:list'
  | 'twice:create-session'
  /** A batch of no shades into that catalog, and the list after it. */
  | 'empty:import'
  | 'empty:list'
  /** A batch whose last shade has no colour, into a new catalog, and what is listed of it. */
  | 'malformed:import'
  | 'malformed:list'
  /** A malformed request, by its endpoint, the field in question and the fault; then a list of what was imported so. */
  | `invalid:${Endpoint}:${string}:${Fault}`
  | 'invalid:list'
  /** Analytics of the product of malformed requests for sessions. */
  | 'invalid:analytics'
  /** A batch whose names are in several scripts, into a new catalog, and what is listed of it. */
  | 'names:import'
  | 'names:list'
  /**
   * Shades, sessions and events with values of unusual classes: batches, the lists of what was accepted, sessions, and what
   * happened in them.
   */
  | 'corners:import'
  | 'corners:list'
  | 'corners:create-session'
  | 'corners:acts'
  /** GET /shades of the full batch, again and again: how long the longest list takes. */
  | 'large:list'
  /**
   * A session of the `load` key and its catalog, read with the bystander's key; then an import with each key into a catalog
   * of one id, and what the `load` key lists of it.
   */
  | 'tenancy:read-session'
  | 'tenancy:list-shades'
  /** The same read of a session, as the first request of a connection: no other key was used on it. */
  | 'tenancy:own-connection'
  | 'tenancy:import-shades'
  | 'tenancy:own-list'
  /** A key that was never issued, while the service is loaded. */
  | 'loaded:bad-key'
  /** Analytics with the `load` key at the same times: they spend its limit, where all endpoints share one. */
  | 'loaded:analytics'
  /**
   * Sessions for the event probes: several batches at once, one batch sent again, one with an unknown shade, one with
   * another session's token, and cart intents with and without a SKU.
   */
  | 'acts:create-session'
  | 'acts:at-once'
  | 'acts:again'
  | 'acts:unknown-sku'
  | 'acts:other-token'
  | 'acts:altered-token'
  /** An event with a valid token for a session that does not exist: an answer, and no server error. */
  | 'acts:unknown-session'
  | 'acts:cart'
  /** A selection after a cart intent; and, after the load, an event that carries the instant of the first ones. */
  | 'acts:after-cart'
  | 'acts:late'
  /** Such a session, read on several connections at once while events are still to come. */
  | 'acts:read'
  | 'acts:bare-cart'
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
  /** Analytics of a product with an unusual id: its sessions, or a 4xx. */
  | 'unusual-product'
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

/**
 * Events that are not to count, by the promises of the profile. A channel may answer 2xx and drop them, so that such an answer
 * acknowledges nothing; checks of their own judge whether they count.
 */
export const notToCount: readonly Probe[] = ['acts:unknown-sku', 'acts:other-token', 'acts:altered-token'];

/** An event that may be left out, if the answer says so: a cart intent without a SKU, which no document says that it needs. */
export const mayBeLeftOut: Probe = 'acts:bare-cart';

/** The part of a probe's name before its first colon, or the whole name where there is none. */
export type Family = Probe extends infer Name
  ? Name extends `${infer First}:${string}`
    ? First
    : Name
  : never;

/**
 * Who judges a server error (5xx) on a probe with a good key. `contract.errors`: a service may give any answer
 * but a server error. `own-check`: the service may find it odd, and the check that sent it judges every status.
 */
const serverErrorsOf: Readonly<Record<Family, 'contract.errors' | 'own-check'>> = {
  acts: 'contract.errors',
  'after-quota': 'contract.errors',
  again: 'contract.errors',
  audit: 'own-check',
  'bad-key': 'contract.errors',
  'batch-max': 'contract.errors',
  'batch-over': 'own-check',
  canary: 'contract.errors',
  // Past the knee a service may fail.
  capacity: 'own-check',
  channel: 'contract.errors',
  connection: 'contract.errors',
  corners: 'own-check',
  crossed: 'contract.errors',
  empty: 'contract.errors',
  'empty-period': 'contract.errors',
  flood: 'contract.errors',
  import: 'contract.errors',
  invalid: 'own-check',
  kept: 'contract.errors',
  large: 'contract.errors',
  loaded: 'contract.errors',
  'long-period': 'contract.errors',
  malformed: 'own-check',
  names: 'contract.errors',
  'near-key': 'contract.errors',
  'near-session': 'own-check',
  'next-page': 'contract.errors',
  'no-key': 'contract.errors',
  precedence: 'contract.errors',
  quota: 'contract.errors',
  ready: 'own-check',
  refused: 'contract.errors',
  scope: 'contract.errors',
  spelled: 'own-check',
  tenancy: 'contract.errors',
  together: 'contract.errors',
  twice: 'contract.errors',
  'unknown-catalog': 'contract.errors',
  'unknown-session': 'contract.errors',
  'unsold-product': 'contract.errors',
  'unusual-product': 'contract.errors',
  update: 'contract.errors',
  wait: 'contract.errors',
};

/** Families of probes whose server errors the check that sent them judges. */
export const oddProbes: readonly string[] = Object.entries(serverErrorsOf).flatMap(([family, judge]) =>
  judge === 'own-check' ? family : [],
);

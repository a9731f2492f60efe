import { z } from 'zod';
import { fields } from '../vocabulary/fields.ts';
import { assuranceSchema, durationSchema, rateLimitSchema } from '../vocabulary/quantity-schemas.ts';
import { roles } from '../vocabulary/roles.ts';
import { clockSchema, isTimeZone, renewalSchema } from './clock.ts';
import { checkTemplates, mapSchema, requestParts } from './endpoint-map.ts';

/**
 * The target profile: everything about a deployment that the interface document does not show, and the promises to
 * check. Open fields are discovered where possible and otherwise not judged.
 */

/**
 * How shoppers send events. The interface shows no such channel. What is left out here is discovered: `discover`
 * tries the reference service's form.
 */
export const channelSchema = fields({
  /** How an interaction goes out, where it is not in the reference service's form. */
  ...requestParts,
  /** The target's names of the types of events: what `{type}` stands for, there and in histories. */
  types: fields({ shade_selected: z.string().min(1), cart_intent: z.string().min(1) })
    .partial()
    .optional(),
  /** How many events one request may carry. With 1, the fields of the event may stand alone in `body`. */
  most_events: z.int().positive().optional(),
  /** Path below the base URL; `{session_id}` is replaced, percent-encoded. */
  path: z.union([z.literal('discover'), z.string().startsWith('/')]).default('discover'),
  /** Whose credentials an interaction carries. */
  auth: z.enum(['discover', 'session-token', 'api-key']).default('discover'),
  /** Whether an interaction spends the request rate limit of the API key that opened the session. */
  counts_against_rate_limit: z.union([z.literal('discover'), z.boolean()]).default('discover'),
  /** The effect of an event whose id was sent before: `once` counts both as one. */
  repeated_id: z.enum(['unspecified', 'once']).default('unspecified'),
  /** The effect of an event with a SKU outside the session's catalog: `refused` means that it does not count. */
  unknown_sku: z.enum(['unspecified', 'refused']).default('unspecified'),
  /** What a rejected batch of events stores: `refused` means nothing of it. */
  malformed: z.enum(['unspecified', 'refused']).default('unspecified'),
  /** The effect of an event with another session's token: `refused` means that it does not count. */
  other_token: z.enum(['unspecified', 'refused']).default('unspecified'),
}).superRefine(checkTemplates('interact'));

/** Where GET /sessions/{id} keeps the interaction history, and what its entries call things. */
const historyFieldsSchema = fields({
  list: z.string().default('interactions'),
  id: z.string().default('id'),
  type: z.string().default('type'),
  sku: z.string().default('sku'),
  at: z.string().default('at'),
  /** What entries are in order of, oldest or newest first: their arrival, or the instants that they carry. */
  order: z.enum(['discover', 'arrival', 'at']).default('discover'),
});

/** Conventions of GET /analytics/sessions that the interface does not show. `discover` accepts any one that fits every answer. */
const analyticsSchema = fields({
  /** `date`: YYYY-MM-DD. `date-time`: YYYY-MM-DDTHH:MM:SSZ. */
  date_format: z.enum(['discover', 'date', 'date-time']).default('discover'),
  end_date: z.enum(['discover', 'inclusive', 'exclusive']).default('discover'),
  /** The zone whose midnights bound the days: an IANA name, or an offset such as `+02:00`. */
  time_zone: z
    .union([
      z.literal('discover'),
      z.string().refine(isTimeZone, 'expected an IANA time zone or an offset such as +02:00'),
    ])
    .default('discover'),
  /** What dates a session: its creation, its last interaction, or each interaction its own day. */
  session_day: z.enum(['discover', 'creation', 'last-interaction', 'each-interaction']).default('discover'),
  shades_per_session: z.enum(['discover', 'distinct', 'selections']).default('discover'),
  sessions_averaged: z.enum(['discover', 'all', 'with-shades']).default('discover'),
  /** Whether cart intent counts once shown, or only as the last thing in a session. */
  cart_intent: z.enum(['discover', 'ever', 'last']).default('discover'),
  /** Largest length of top_shades, or `discover`. */
  top_shades: z.union([z.literal('discover'), z.int().positive()]).default('discover'),
  /** Decimals that averages and rates are rounded to. Coarser than this is a failure. */
  decimals: z.int().min(0).max(15).default(2),
  /** Analytics have to show what happened within this time. */
  freshness: durationSchema.default(10_000),
  /** Products known to have sessions, for audits to ask for. */
  products: z.array(z.string().min(1)).max(50).default([]),
  /** The account has no other users, so unfiltered totals are this run's plus what was there before. */
  exclusive: z.boolean().default(false),
});

/** The longest that a timer can wait. */
const longestTimeoutMs = 2 ** 31 - 1;
/** After how long something is given up on. */
const timeoutSchema = durationSchema.refine(
  (ms) => ms > 0 && ms <= longestTimeoutMs,
  'expected more than 0 and at most 24 days',
);

export const profileSchema = fields({
  name: z.string().min(1).default('target'),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** Role → where its key is found. Never the key itself. */
  keys: z
    .partialRecord(
      z.enum(roles),
      z.union([fields({ env: z.string().min(1) }), fields({ file: z.string().min(1) })]),
    )
    .default({}),
  /** Further keys, one after another with spaces or line breaks between, for studies of capacity: no limit is to be in their way. */
  pool: z.union([fields({ env: z.string().min(1) }), fields({ file: z.string().min(1) })]).optional(),
  allow_hosts: z.array(z.string()).default([]),
  /** The one address of the target to use, where its name has several. */
  address: z.union([z.ipv4(), z.ipv6()]).optional(),
  tls: fields({ ca_file: z.string().optional(), reject_unauthorized: z.boolean().default(true) }).prefault(
    {},
  ),
  /** The promised request rate: "1000/1m". */
  rate_limit: rateLimitSchema.prefault('1000/1m'),
  /** The limiter's algorithm, if the target promises one. */
  limiter: z
    .enum(['unspecified', 'fixed-window', 'sliding-log', 'sliding-counter', 'token-bucket'])
    .default('unspecified'),
  quota: fields({
    /** Session quota of the account of the `quota` key. Not given: found out, up to the scenario's cap. */
    sessions: z.int().positive().optional(),
    /** The account of the `quota` key has created no session before this run. */
    fresh: z.boolean().default(false),
    /** Whose account the `twin` key is: that of the `quota` key, or another of the same pricing plan. */
    twin: z.enum(['discover', 'same-account', 'other-account']).default('discover'),
    /** When the quota renews. Not given: never. */
    renews: renewalSchema.optional(),
  }).prefault({}),
  /** Finish values sent; the interface shows `matte` alone. */
  finishes: z.array(z.string().min(1)).min(1).default(['matte']),
  /** The locales that sessions may have, where the target does not take every one. */
  locales: z
    .array(z.string().regex(/^[a-z]{2}-[A-Z]{2}$/, 'expected a language tag of the form ll-CC'))
    .min(1)
    .optional(),
  /** After an import that was answered 202, GET /shades shows it within this time. */
  import_visible: durationSchema.default(10_000),
  /**
   * After a session was granted, GET /sessions/{id} finds it within this time. `discover`: promised is nothing; one short
   * delay that every new session has is a convention.
   */
  session_visible: z.union([z.literal('discover'), durationSchema]).default('discover'),
  /** Whose requests share one limit: each key's own, or all keys' together. */
  limit_scope: z.enum(['discover', 'per-key', 'shared']).default('discover'),
  /** Others may use the run's keys meanwhile, and spend their limits. */
  shared_keys: z.boolean().default(false),
  /**
   * The keys and their accounts are for this run alone: no one else uses them meanwhile, and no limit or quota still counts anything
   * from before the run.
   */
  exclusive_keys: z.boolean().default(false),
  /** How often something before the service may deliver a request again that it was given once, on its own. */
  redeliveries: z.int().min(0).max(5).default(0),
  /** Whether all endpoints of a key spend one limit together, or each has its own. */
  limit_endpoints: z.enum(['discover', 'together', 'apart']).default('discover'),
  /** Whose data a key sees: its account's, or that of all keys of the run. */
  data_scope: z.enum(['discover', 'per-key', 'shared']).default('discover'),
  /** Header fields that every 429 is promised to carry: `Retry-After`, and any rate-limit field. */
  refusal_headers: z.array(z.string().regex(/^(retry-after|(x-)?rate-?limit[\w-]*)$/i)).default([]),
  /** Whether the bodies of 401, 402 and 404 are promised to be JSON: the interface says so of all bodies, and leaves errors open. */
  error_bodies: z.enum(['unspecified', 'json']).default('unspecified'),
  /** Whether each `Retry-After` is promised to be the shortest wait, rounded up to whole seconds. */
  retry_after: z.enum(['unspecified', 'shortest']).default('unspecified'),
  channel: z.union([z.literal('discover'), z.literal('none'), channelSchema]).default('discover'),
  session_history: historyFieldsSchema.prefault({}),
  /** The target's own description in OpenAPI, a file or a URL: every answer is held against it. */
  openapi: z.string().min(1).optional(),
  /** The file of an adapter: what a map cannot say. */
  adapter: z.string().min(1).optional(),
  /** How requests and answers differ from the interface. */
  map: mapSchema.optional(),
  analytics: analyticsSchema.prefault({}),
  timeouts: fields({
    connect: timeoutSchema.default(5_000),
    headers: timeoutSchema.default(7_000),
    body: timeoutSchema.default(8_000),
  }).prefault({}),
  /** Connections kept to the target, and requests in flight, at most. */
  connections: z.int().positive().default(512),
  in_flight: z.int().positive().default(1024),
  traces: fields({
    /** Where the reader's backend shows a trace: a URL with `{trace_id}`. */
    link: z
      .string()
      .refine(
        (link) => link.includes('{trace_id}') && /^https?:$/.test(URL.parse(link)?.protocol ?? ''),
        'expected an http or https URL with {trace_id} in it',
      )
      .optional(),
  }).prefault({}),
  /** A 99th percentile of send lag over this makes the run generator-bound. */
  send_lag_bound: durationSchema.default(100),
  /** How long a connection may take to open, TLS included: promised only where it is told. */
  opening_bound: durationSchema.optional(),
  /**
   * The share of ordinary requests that may go without an answer: timed out, broken off, or without a connection.
   */
  lost_bound: z.number().min(0).max(1).default(0.01),
  /** The share of answers that may be 5xx, if the same request is answered otherwise when it is sent again. */
  server_errors: z.number().min(0).max(1).default(0),
  /** Read back enough sessions to find a share of faulty ones: "1/1000@99%". Not given: as many as the scenario says. */
  assurance: assuranceSchema.optional(),
  /** How to set the target's wall clock, for scenarios that play other days. */
  clock: clockSchema.optional(),
  /** How far the target's clock may be off, where its Date header does not say. */
  clock_skew_bound: durationSchema.default(2_000),
}).overwrite((profile) => ({
  ...profile,
  // Keys and accounts that are for this run alone have no analytics of others.
  analytics: { ...profile.analytics, exclusive: profile.analytics.exclusive || profile.exclusive_keys },
}));

/** A profile as its author writes it: every field may be left out. */
export type ProfileInput = z.input<typeof profileSchema>;
/**
 * A profile with every default filled in. Durations are milliseconds. It names where keys are, and holds no key.
 */
export type Profile = z.output<typeof profileSchema>;
/** What GET /sessions/{id} calls the history list and the fields of its entries. */
export type HistoryNames = Omit<Profile['session_history'], 'order'>;
/** A profile's interaction channel. */
export type ToldChannel = z.output<typeof channelSchema>;

/** The reference service's own path: the one that discovery tries. */
export const usualPath = '/sessions/{session_id}/interactions';

/** An interaction channel as requests use it: where it is and whose credentials it takes is known. */
export interface Channel extends Omit<ToldChannel, 'path' | 'auth'> {
  readonly path: string;
  readonly auth: Exclude<ToldChannel['auth'], 'discover'>;
}

/** The reference service's channel, of which nothing more is known. */
export const usualChannel: Channel = { ...channelSchema.parse({}), path: usualPath, auth: 'session-token' };

/** The channels that a profile allows, in the order in which they are tried. */
export function possibleChannels(told: Profile['channel']): readonly Channel[] {
  if (told === 'none') return [];
  const { auth, path, ...rest } = told === 'discover' ? channelSchema.parse({}) : told;
  const credentials = auth === 'discover' ? (['session-token', 'api-key'] as const) : [auth];
  return credentials.map((each) => ({ ...rest, auth: each, path: path === 'discover' ? usualPath : path }));
}

/** Whether the profile leaves open where the channel is, or whose credentials it takes. */
export function isChannelOpen(told: Profile['channel']): boolean {
  return told === 'discover' || (told !== 'none' && (told.path === 'discover' || told.auth === 'discover'));
}

/** Whether interactions spend the rate limit of the key that opened the session, as far as the profile says. */
export function interactionsCount(
  told: Profile['channel'] | Pick<ToldChannel, 'counts_against_rate_limit'>,
): boolean | 'discover' {
  if (told === 'none') return false;
  return told === 'discover' ? told : told.counts_against_rate_limit;
}

/** Whether they may: what is paced under a limit has to leave room for them. */
export function interactionsMayCount(told: Parameters<typeof interactionsCount>[0]): boolean {
  return interactionsCount(told) !== false;
}

/** How many events a request may carry; undefined: any number. */
export function mostEvents(told: Profile['channel']): number | undefined {
  return typeof told === 'string' ? undefined : told.most_events;
}

/** Conventions of analytics that the reference service documents, and the interface leaves open. */
export const referenceConventions = {
  date_format: 'date',
  end_date: 'inclusive',
  time_zone: 'UTC',
  session_day: 'creation',
  shades_per_session: 'distinct',
  sessions_averaged: 'all',
  cart_intent: 'ever',
  top_shades: 10,
  decimals: 4,
} as const;

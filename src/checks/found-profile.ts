import { z } from 'zod';
import type { History } from '../history/history.ts';
import { algorithmOf } from '../limits/kinds/table.ts';
import { isObject } from '../target/json.ts';
import {
  channelSchema,
  interactionsCount,
  type Profile,
  type ProfileInput,
  possibleChannels,
  profileSchema,
  usualPath,
} from '../target/profile.ts';
import { limitText } from '../vocabulary/quantities.ts';
import { type Role, roles } from '../vocabulary/roles.ts';
import { profileFields } from './analytics/compare/inferred.ts';
import { orderKnown } from './analytics/record/history-order.ts';
import { analyticsTable } from './analytics/results/table.ts';
import { isSuccessStatus } from './core/found.ts';
import { isProbe } from './core/probes.ts';
import { limiterFindings } from './rate-limit/study/findings.ts';
import { interactionsKnownToCount } from './rate-limit/traces/streams.ts';

/** A run's profile with what the run found out in place of what was open or otherwise. */
interface FoundProfile {
  /** As a file would have it: what is a default is left out. */
  readonly profile: ProfileInput;
  /** Every field that says something else than the run was told, with both in JSON. */
  readonly changes: readonly { readonly field: string; readonly was: string; readonly is: string }[];
}

/** What a limiter has to be known with to be written down as a promise. */
const sureEnough = 0.95;

/** The profile that holds the next run to what this one found out about its target. */
export async function foundProfile(history: History): Promise<FoundProfile> {
  const told = history.profile;
  const found = {
    ...(await limiterFields(history)),
    ...(await channelField(history)),
    session_history: { ...told.session_history, ...(await historyOrderField(history)) },
    analytics: { ...told.analytics, ...defined(await analyticsFields(history)) },
  };
  const profile: Profile = { ...told, keys: { ...told.keys, ...keyPlaces(history) }, ...found };
  return { profile: asInput(profile), changes: changesOf(told, found) };
}

async function analyticsFields(history: History): Promise<Partial<Profile['analytics']>> {
  const { conventions } = await analyticsTable(history);
  const [format] = await discoveries(history, 'format of start_date and end_date');
  return {
    ...(format === 'date' || format === 'date-time' ? { date_format: format } : {}),
    ...(conventions === null ? {} : defined(profileFields(conventions))),
  } as Partial<Profile['analytics']>;
}

/** What histories are in order of, where some history rules the other out. */
async function historyOrderField(history: History): Promise<Partial<Profile['session_history']>> {
  const { reconciliation } = await analyticsTable(history);
  const order = orderKnown(reconciliation.order);
  return order === undefined ? {} : { order };
}

/** Kind, limit, window and scope, as far as a study of the limiter has left one of each. */
async function limiterFields(
  history: History,
): Promise<Partial<Pick<Profile, 'limiter' | 'limit_endpoints' | 'limit_scope' | 'rate_limit'>>> {
  const { profile } = history;
  const findings = await limiterFindings(history);
  const best = findings?.inference.survivors[0];
  if (findings === undefined) return {};
  const { per_endpoint, per_key } = findings.scope;
  // Where a request may have been counted more than once, the number of admitted requests is not certain.
  const isSure = best !== undefined && best.confidence >= sureEnough && profile.redeliveries === 0;
  const limiter = isSure ? algorithmOf(best.algorithm) : undefined;
  const { limit, windowMs } = isSure ? best : { limit: null, windowMs: null };
  return {
    ...(limiter === undefined ? {} : { limiter }),
    ...(limiter === undefined || limit === null || windowMs === null
      ? {}
      : { rate_limit: { requests: limit, windowMs } }),
    ...(per_key === null ? {} : { limit_scope: per_key ? 'per-key' : 'shared' }),
    ...(per_endpoint === null ? {} : { limit_endpoints: per_endpoint ? 'apart' : 'together' }),
  };
}

const triedRow = z.object({ credential: z.string(), status: z.number().nullable() });

function isClientError(status: number | null): boolean {
  return status !== null && status >= 400 && status <= 499;
}

/** Where the channel is, whose credentials it takes, and whether interactions spend the rate limit, as far as that was open and found. */
async function channelField(history: History): Promise<Partial<Pick<Profile, 'channel'>>> {
  const { channel } = history.profile;
  if (channel === 'none') return {};
  const tried = await history.rows(
    triedRow,
    `SELECT credential, status FROM requests WHERE ${isProbe('channel')} ORDER BY seq`,
  );
  // An empty batch may be rejected as such.
  const taken = tried.find(({ status }) => isSuccessStatus(status) || status === 400 || status === 422);
  if (tried.length > 0 && tried.every((each) => each !== taken && isClientError(each.status)))
    return channel === 'discover' ? { channel: 'none' } : {};
  const isOpen = interactionsCount(channel) === 'discover';
  const doCount = isOpen
    ? interactionsKnownToCount(channel, (await limiterFindings(history))?.tried)
    : undefined;
  const found = {
    ...(taken === undefined
      ? {}
      : {
          path: possibleChannels(channel)[0]?.path ?? usualPath,
          auth: taken.credential === 'session' ? ('session-token' as const) : ('api-key' as const),
        }),
    ...(doCount === undefined ? {} : { counts_against_rate_limit: doCount }),
  };
  if (Object.keys(found).length === 0) return {};
  return { channel: { ...(channel === 'discover' ? channelSchema.parse({}) : channel), ...found } };
}

async function discoveries({ rows }: Pick<History, 'rows'>, what: string): Promise<string[]> {
  const found = await rows(
    z.object({ value: z.string() }),
    `SELECT json_extract_string(event, '$.value') AS value FROM events
     WHERE kind = 'discovered' AND json_extract_string(event, '$.what') = $what`,
    { what },
  );
  return found.map(({ value }) => value);
}

/** Where the run's keys came from, which may have been said on its command line alone. */
function keyPlaces({ run }: History): Partial<Record<Role, { env: string } | { file: string }>> {
  return Object.fromEntries(
    roles.flatMap((role) => {
      const [, kind, place] = /^(env|file) (.+)$/s.exec(run.keys[role]?.from ?? '') ?? [];
      return kind === undefined || place === undefined ? [] : [[role, { [kind]: place }]];
    }),
  );
}

function changesOf(told: Profile, found: Partial<Profile>): FoundProfile['changes'] {
  const [before, now] = [flat(asFile(told)), flat(asFile({ ...told, ...found }))];
  return [...now].flatMap(([field, is]) => {
    const was = before.get(field) ?? 'nothing';
    return was === is ? [] : [{ field, was, is }];
  });
}

/** In the form of a file: durations are milliseconds there as well, a limit is text. */
function asFile({ rate_limit, ...rest }: Profile): Record<string, unknown> {
  return { ...rest, rate_limit: limitText(rate_limit) };
}

/** `analytics.end_date` → `"inclusive"`. */
function flat(fields: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(fields).flatMap(([name, value]): [string, string][] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? [...flat(value as object, `${prefix}${name}.`)]
        : [[`${prefix}${name}`, JSON.stringify(value)]],
    ),
  );
}

/** The profile without what is a default anyway. */
function asInput(profile: Profile): ProfileInput {
  const defaults = profileSchema.parse({});
  const channel = typeof profile.channel === 'object' ? channelSchema.parse({}) : defaults.channel;
  const input = withoutDefaults(asFile(profile), asFile({ ...defaults, channel }));
  return profileSchema.safeParse(input).success ? (input as ProfileInput) : {};
}

function withoutDefaults(fields: object, defaults: object): Record<string, unknown> {
  const known = new Map(Object.entries(defaults));
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
      const usual: unknown = known.get(name);
      if (value === undefined || JSON.stringify(value) === JSON.stringify(usual)) return [];
      const nested = isObject(value) && isObject(usual);
      return [[name, nested ? withoutDefaults(value, usual) : value]];
    }),
  );
}

function defined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

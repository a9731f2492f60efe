import { randomBytes } from 'node:crypto';
import type { Catalog } from '../catalog/catalog.ts';
import { generateCatalog } from '../catalog/generate.ts';
import { usageError } from '../exit.ts';
import { makePlan, type Plan, quotaAttempts } from '../plan/plan.ts';
import type { Scenario } from '../scenario/define.ts';
import type { Phase } from '../scenario/load.ts';
import { parseRateLimit } from '../scenario/quantities.ts';
import { readCa } from '../target/client.ts';
import { type EmbeddedService, embeddedProfile, startEmbedded } from '../target/embedded.ts';
import { assertAllowed, parseBaseUrl } from '../target/guard.ts';
import { type KeyPlace, type Keys, parseKeyArgument, readKeys } from '../target/keys.ts';
import { type Profile, type ProfileInput, type Role, roles } from '../target/profile.ts';
import { readProfileFile, resolveProfile } from '../target/profile-file.ts';

/** What the command line says about the target. */
export interface TargetArguments {
  readonly target?: string | undefined;
  readonly profile?: string | undefined;
  readonly key?: readonly string[] | undefined;
  readonly 'allow-host'?: readonly string[] | undefined;
  readonly 'rate-limit'?: string | undefined;
  readonly quota?: number | undefined;
}

/** A target that is ready to be driven. */
export interface Target {
  readonly kind: 'embedded' | 'foreign';
  readonly baseUrl: URL;
  readonly profile: Profile;
  readonly keys: Keys;
  readonly pool: readonly string[];
  /** Stops the embedded service, if there is one. */
  close(): Promise<void>;
}

/** The embedded service's limits where the command line does not say. */
const embeddedRateLimit = '1000/1m';
const embeddedQuota = 200;
/** Keys for closed loops: at 1,000 a minute each, enough for 8,000 requests a second. */
const embeddedPoolKeys = 480;

/** Finds the target that the arguments name, or starts the embedded one. Throws usage and target errors. */
export async function openTarget(
  args: TargetArguments,
  scenario: Scenario,
  env: NodeJS.ProcessEnv,
): Promise<Target> {
  const file = args.profile === undefined ? {} : readProfileFile(args.profile);
  if (args['rate-limit'] !== undefined) parseLimitArgument(args['rate-limit']);
  if (args.quota !== undefined && (!Number.isInteger(args.quota) || args.quota < 1)) {
    throw usageError(`--quota: expected a whole number of sessions from 1, got ${args.quota}`);
  }
  const baseUrl = args.target ?? file.base_url;
  return baseUrl === undefined ? openEmbedded(args, file, scenario) : openForeign(args, env);
}

async function openEmbedded(args: TargetArguments, file: ProfileInput, scenario: Scenario): Promise<Target> {
  if (args.key !== undefined)
    throw usageError('--key: the embedded service brings its own keys; give --target to load another');
  const options = {
    rateLimit: parseLimitArgument(args['rate-limit'] ?? file.rate_limit ?? embeddedRateLimit),
    quota: args.quota ?? file.quota?.sessions ?? embeddedQuota,
    poolKeys: scenario.load.some((phase) => phase.kind === 'closed') ? embeddedPoolKeys : 0,
  };
  const profile = resolveProfile(
    {
      ...embeddedProfile(options),
      ...file,
      ...limitsOf(args, file),
      // The service is started for this run alone.
      quota: { fresh: true, ...file.quota, sessions: options.quota },
    },
    `profile ${args.profile ?? ''}`,
  );
  const service: EmbeddedService = await startEmbedded(options);
  return {
    kind: 'embedded',
    baseUrl: parseBaseUrl(service.baseUrl),
    profile,
    keys: service.keys,
    pool: service.pool,
    close: () => service.stop(),
  };
}

/** A target that is there already. Throws usage errors. */
export function openForeign(args: TargetArguments, env: NodeJS.ProcessEnv): Target {
  const file = args.profile === undefined ? {} : readProfileFile(args.profile);
  const base = args.target ?? file.base_url;
  if (base === undefined) throw usageError('no target: say --target URL, or give base_url in the profile');
  const baseUrl = parseBaseUrl(base);
  const profile = resolveProfile(
    { name: baseUrl.host, ...file, base_url: baseUrl.href, ...limitsOf(args, file) },
    `profile ${args.profile ?? ''}`,
  );
  assertAllowed(baseUrl, [...profile.allow_hosts, ...(args['allow-host'] ?? [])]);
  // A file that cannot be used is to be known before a run has begun.
  if (profile.tls.ca_file !== undefined) readCa(profile.tls.ca_file);
  const places: Partial<Record<Role, KeyPlace>> = { ...profile.keys };
  for (const argument of args.key ?? []) {
    const { role, place } = parseKeyArgument(argument);
    places[role] = place;
  }
  const keys = readKeys(places, env);
  if (keys.load === undefined) {
    throw usageError(
      'no key for role load: say --key load=ENV_VAR with the environment variable that holds it',
    );
  }
  return { kind: 'foreign', baseUrl, profile, keys, pool: [], close: () => Promise.resolve() };
}

function limitsOf(args: TargetArguments, file: ProfileInput): ProfileInput {
  return {
    ...(args['rate-limit'] === undefined ? {} : { rate_limit: args['rate-limit'] }),
    ...(args.quota === undefined ? {} : { quota: { ...file.quota, sessions: args.quota } }),
  };
}

function parseLimitArgument(text: string): ReturnType<typeof parseRateLimit> {
  try {
    return parseRateLimit(text);
  } catch (error) {
    throw usageError(`--rate-limit: ${error instanceof Error ? error.message : ''}`, error);
  }
}

/** A scenario made concrete for a target: its catalogs, and the plan. */
export interface Prepared {
  /** Unique to the run; part of every product and catalog id and every SKU that it creates. */
  readonly tag: string;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  readonly plan: Plan;
  /** The roles that the plan has requests for, `load` always: their catalogs are imported. */
  readonly roles: readonly Role[];
  readonly quotaAttempts: number;
}

export function prepare(
  scenario: Scenario,
  seed: number,
  target: Pick<Target, 'profile' | 'keys'>,
): Prepared {
  const tag = randomBytes(4).toString('hex');
  const { finishes } = target.profile;
  const { kinds, products } = scenario.catalog;
  const catalog = (role: string, count: number): Catalog =>
    generateCatalog({
      seed,
      tag: `${tag}${role}`,
      products: count,
      finishes,
      ...(kinds === undefined ? {} : { kinds }),
    });
  const catalogs = { load: catalog('', products), quota: catalog('q', 1), bystander: catalog('b', 1) };
  const quota = target.profile.quota.sessions;
  const { shoppers } = scenario;
  const plan = makePlan({ seed, load: withKeys(scenario.load, target.keys), catalogs, shoppers, quota });
  const planned = new Set(plan.phases.map(({ kind, phase }) => (kind === 'open' ? phase.role : 'load')));
  return {
    tag,
    catalogs,
    plan,
    roles: roles.filter((role) => role === 'load' || planned.has(role)),
    quotaAttempts: quotaAttempts(scenario.load, quota),
  };
}

/** The phases whose key was given; what needs another is left out of the plan, and its checks say so. */
function withKeys(load: readonly Phase[], keys: Keys): Phase[] {
  return load.flatMap((phase): Phase[] => {
    if (phase.kind === 'together')
      return [{ ...phase, tracks: phase.tracks.map((track) => withKeys(track, keys)) }];
    const role = phase.kind === 'open' ? phase.role : phase.kind === 'quota' ? 'quota' : 'load';
    return keys[role] === undefined ? [] : [phase];
  });
}

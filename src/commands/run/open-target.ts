import { readOption, usageError } from '../../exit.ts';
import type { RunInfo } from '../../history/run.ts';
import { movesClock } from '../../scenario/calendar.ts';
import type { Scenario } from '../../scenario/define.ts';
import { readCa } from '../../target/client.ts';
import { type ClockSetter, clockBy } from '../../target/clock.ts';
import {
  type EmbeddedOptions,
  type EmbeddedService,
  embeddedProfile,
  startEmbedded,
} from '../../target/embedded.ts';
import { assertAllowed, parseBaseUrl } from '../../target/guard.ts';
import { assertAccounts, type Keys, parseKeyArgument, readKeys, readPool } from '../../target/keys.ts';
import type { Profile, ProfileInput } from '../../target/profile.ts';
import {
  environmentLayer,
  fileLayer,
  type Layer,
  type Layered,
  layered,
  resolveProfile,
} from '../../target/profile-layers.ts';
import { parseAssurance, parseRateLimit } from '../../vocabulary/quantities.ts';
import { eachRole } from '../../vocabulary/roles.ts';
import { profileOptions, type TargetArguments } from '../options.ts';

/** A target that is ready to be driven. */
export interface Target {
  readonly kind: 'embedded' | 'foreign';
  readonly baseUrl: URL;
  readonly profile: Profile;
  readonly keys: Keys;
  readonly pool: readonly string[];
  /** Of the embedded service: ids of its planted defects, and names of its variants. */
  readonly planted?: RunInfo['planted'];
  /** Where a scenario moves the clock. */
  readonly setClock?: ClockSetter | undefined;
  /** Stops the embedded service, if there is one, and puts a clock back that was moved. */
  close(): Promise<void>;
}

/** The embedded service's limits where the command line does not say. */
const embeddedRateLimit = '1000/1m';
const embeddedQuota = 200;
/** For capacity, 20,000 requests a second at 1,000 a minute each. A limiter that remembers 1,024 keys forgets some. */
const embeddedPoolKeys = 1_200;

/** Finds the target that the arguments name, or starts the embedded one. Throws usage and target errors. */
export async function openTarget(
  args: TargetArguments,
  scenario: Scenario,
  env: NodeJS.ProcessEnv,
): Promise<Target> {
  const { input } = profileLayers(args, env);
  if (input.base_url === undefined) return openEmbedded(args, input, scenario);
  const target = openForeign(args, env);
  if (!movesClock(scenario.load)) return target;
  const { clock } = target.profile;
  if (clock === undefined)
    throw usageError(
      `scenario ${scenario.name} moves the target's clock: set clock in the profile, or use the embedded service (no --target, and no base_url in the profile)`,
    );
  if ('post' in clock) assertAllowed(new URL(clock.post), target.profile.allow_hosts);
  return { ...target, ...withClock(clockBy(clock)) };
}

/** A deployment's clock, which is put right at the end if it was moved: others may use the deployment then. */
function withClock(set: ClockSetter): Pick<Target, 'setClock' | 'close'> {
  let isMoved = false;
  return {
    setClock: (epochMs) => {
      isMoved = true;
      return set(epochMs);
    },
    close: () => (isMoved ? set(Date.now()) : Promise.resolve()),
  };
}

/**
 * The profile of a run: its file or that of an earlier run, over that the environment, over that the command line. Throws
 * usage errors that name the place and the field.
 */
export function profileLayers(args: TargetArguments, env: NodeJS.ProcessEnv): Layered {
  if (args['rate-limit'] !== undefined) parseLimitArgument(args['rate-limit']);
  const { assurance } = args;
  if (assurance !== undefined) readOption('--assurance', () => parseAssurance(assurance));
  const below = [args.earlier ?? fileLayer(args.profile), environmentLayer(env)];
  const { allow_hosts: allowed = [] } = layered(below).input;
  return layered([...below, commandLineLayer(args, allowed)]);
}

/** The options that set a field of the profile, by the field. */
const optionOfField: ReadonlyMap<string, string> = new Map(
  Object.entries(profileOptions).flatMap(([name, option]) =>
    'field' in option ? [[option.field, name] as const] : [],
  ),
);

/** Hosts that options allow are added to those that are allowed already. */
function commandLineLayer(args: TargetArguments, allowed: readonly string[]): Layer {
  const { key = [], 'allow-host': hosts } = args;
  const values: Readonly<Record<string, unknown>> = {
    ...args,
    key: Object.fromEntries(key.map(parseKeyArgument).map(({ place, role }) => [role, place])),
    'allow-host': hosts === undefined ? undefined : [...allowed, ...hosts],
  };
  const fields = [...optionOfField].map(([path, name]) =>
    path.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), values[name]),
  );
  return {
    fields: Object.assign({}, ...fields),
    origin: (path) => `--${optionOfField.get(path) ?? 'key'}`,
  };
}

async function openEmbedded(args: TargetArguments, file: ProfileInput, scenario: Scenario): Promise<Target> {
  if (args.key !== undefined)
    throw usageError('--key: the embedded service makes its keys; use --target for another service');
  // What there is not is said before anything is started.
  if (args.defect !== undefined || args.variant !== undefined)
    (await import('../serve/serve-alterations.ts')).readAlterations(args);
  if (file.map !== undefined || file.adapter !== undefined)
    throw usageError(
      'the profile has a map or an adapter, and no target: use --target URL, or set base_url; the embedded service speaks the interface',
    );
  const { options, profile } = embeddedAs(args, file, scenario);
  const service: EmbeddedService = await startEmbedded(options);
  return {
    kind: 'embedded',
    baseUrl: parseBaseUrl(service.baseUrl),
    profile,
    keys: service.keys,
    pool: service.pool,
    planted: plantedBy(args),
    setClock: service.setClock,
    close: () => service.stop(),
  };
}

/** The names in options that may each name several, with commas between them. */
function eachName(texts: readonly string[] = []): string[] {
  return [...new Set(texts.flatMap((text) => text.split(',')))];
}

/** How to start the embedded service by the arguments, and its promises. Throws usage errors. */
export function embeddedAs(
  args: TargetArguments,
  file: ProfileInput,
  scenario: Scenario,
): { readonly options: EmbeddedOptions; readonly profile: Profile } {
  const limit = args['rate-limit'] ?? file.rate_limit;
  const options = {
    rateLimit:
      limit === undefined && scenario.embedded.rateLimit !== undefined
        ? scenario.embedded.rateLimit
        : parseLimitArgument(limit ?? embeddedRateLimit),
    quota: args.quota ?? file.quota?.sessions ?? embeddedQuota,
    poolKeys: needsPool(scenario) ? embeddedPoolKeys : 0,
    defects: args.defect,
    variants: args.variant,
    sessionLifetimeMs: scenario.embedded.sessionLifetime,
    movesClock: movesClock(scenario.load),
  };
  const profile = resolveProfile(
    {
      ...embeddedProfile(options),
      ...(file.shared_keys === true && { exclusive_keys: false }),
      ...file,
      // The service is started for this run alone.
      quota: { fresh: true, twin: 'other-account', ...file.quota, sessions: options.quota },
    },
    `profile ${args.profile ?? ''}`,
  );
  return { options, profile };
}

/**
 * The target as far as it is known without a request and before anything is started: the keys of an embedded service are
 * empty. `read`: how other keys are fetched. Throws usage errors.
 */
export function previewTarget(
  args: TargetArguments,
  scenario: Scenario,
  env: NodeJS.ProcessEnv,
  read: typeof readKeys = readKeys,
): Target {
  const { input } = profileLayers(args, env);
  if (input.base_url !== undefined) return openForeign(args, env, read);
  const { options, profile } = embeddedAs(args, input, scenario);
  return {
    kind: 'embedded',
    baseUrl: new URL('http://127.0.0.1/v1'),
    profile,
    keys: eachRole(() => ({ value: '', from: 'embedded' })),
    pool: Array.from({ length: options.poolKeys }, () => ''),
    planted: plantedBy(args),
    close: () => Promise.resolve(),
  };
}

function plantedBy({ defect, variant }: TargetArguments): NonNullable<RunInfo['planted']> {
  return { defects: eachName(defect), variants: eachName(variant) };
}

/** Whether a scenario uses further keys. */
function needsPool({ study }: Scenario): boolean {
  return study.some(
    (each) => each.kind === 'capacity' || (each.kind === 'limits' && each.otherKeysPerSecond !== undefined),
  );
}

/** A target that is there already. `read`: how its keys are fetched. Throws usage errors. */
export function openForeign(
  args: TargetArguments,
  env: NodeJS.ProcessEnv,
  read: typeof readKeys = readKeys,
): Target {
  if (args.defect !== undefined || args.variant !== undefined) {
    throw usageError('--defect and --variant alter the embedded service and cannot be used with --target');
  }
  const { input } = profileLayers(args, env);
  if (input.base_url === undefined)
    throw usageError('no target: use --target URL, or set base_url in the profile');
  const baseUrl = parseBaseUrl(input.base_url);
  const profile = resolveProfile(
    { name: baseUrl.host, ...input, base_url: baseUrl.href },
    `profile ${args.profile ?? ''}`,
  );
  assertAllowed(baseUrl, profile.allow_hosts, profile.address);
  // A file that cannot be used is to be known before a run has begun.
  if (profile.tls.ca_file !== undefined) readCa(profile.tls.ca_file);
  const keys = read(profile.keys, env);
  assertAccounts(profile, keys);
  const pool = readPool(profile.pool, env);
  if (keys.load === undefined) {
    throw usageError(
      'no key for role load: use --key load=ENV_VAR with the environment variable that holds it',
    );
  }
  return { kind: 'foreign', baseUrl, profile, keys, pool, close: () => Promise.resolve() };
}

function parseLimitArgument(text: string): ReturnType<typeof parseRateLimit> {
  return readOption('--rate-limit', () => parseRateLimit(text));
}

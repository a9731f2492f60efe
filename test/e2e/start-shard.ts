import type { ProfileInput } from '../../src/target/profile.ts';
import type { Role } from '../../src/vocabulary/roles.ts';
import { type Program, patiently, profileArguments, type Surroundings, scenario, start } from './program.ts';

/** The run that shards belong to. */
export interface GatheredRun {
  readonly baseUrl: string;
  /** By its label. */
  readonly keys: Readonly<Record<string, string>>;
  /** Of these tests. */
  readonly scenario: string;
  readonly gather: string;
  readonly seed?: number;
  readonly profile?: ProfileInput;
  /** Whose keys it is given: the load key alone by default. */
  readonly roles?: readonly Role[];
}

/** Starts one shard of several, such as `2/4`. */
export function startShard(
  { baseUrl, gather, keys, profile = patiently, roles = ['load'], scenario: name, seed = 3 }: GatheredRun,
  shard: string,
  { env = {}, ...surroundings }: Surroundings = {},
): Program {
  return start(
    [
      ...['run', scenario(name), '--seed', String(seed), '--target', baseUrl],
      ...roles.flatMap((role) => ['--key', `${role}=${role.toUpperCase()}`]),
      ...['--shard', shard, '--gather', gather, ...profileArguments(profile)],
    ],
    {
      ...surroundings,
      env: { ...Object.fromEntries(roles.map((role) => [role.toUpperCase(), keys[role] ?? ''])), ...env },
    },
  );
}

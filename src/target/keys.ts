import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { usageError } from '../exit.ts';
import { type Role, roles } from '../vocabulary/roles.ts';
import type { Profile } from './profile.ts';

/** An API key for a role. `value` is a secret: it goes into the Authorization header and nowhere else. */
export interface Key {
  readonly value: string;
  /** Where it came from, in words: `env TRYON_KEY`. */
  readonly from: string;
}

export type Keys = Partial<Record<Role, Key>>;

/** Where a key is to be found. */
export type KeyPlace = { readonly env: string } | { readonly file: string };

export function placeText(place: KeyPlace): string {
  return 'env' in place ? `env ${place.env}` : `file ${place.file}`;
}

/** The first 8 hex digits of the key's SHA-256: enough to tell keys apart, of no use to guess one. */
export function fingerprint(key: Key): string {
  return createHash('sha256').update(key.value).digest('hex').slice(0, 8);
}

/** Parses `ROLE=ENV_VAR`. Throws a usage error that repeats only the role: the rest may be the key itself. */
export function parseKeyArgument(argument: string): { role: Role; place: KeyPlace } {
  const at = argument.indexOf('=');
  const role = roles.find((each) => each === argument.slice(0, at));
  if (role === undefined) throw usageError(`--key: expected ROLE=ENV_VAR with a role of ${roles.join(', ')}`);
  const env = argument.slice(at + 1);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(env)) {
    throw usageError(
      `--key ${role}=…: expected the name of an environment variable that holds the key, not the key itself`,
    );
  }
  return { role, place: { env } };
}

/** Fetches the keys from their places. Throws a usage error that names the role and the place. */
export function readKeys(places: Partial<Record<Role, KeyPlace>>, env: NodeJS.ProcessEnv): Keys {
  const keys: Keys = {};
  for (const role of roles) {
    const place = places[role];
    if (place === undefined) continue;
    const from = placeText(place);
    const value = ('env' in place ? env[place.env] : readKeyFile(place.file, role))?.trim();
    if (value === undefined || value === '') throw usageError(missing(role, place, from));
    if (!/^[\x21-\x7e]+$/.test(value))
      throw usageError(`key for role ${role}: ${from} holds characters that are invalid in a header`);
    keys[role] = { value, from };
  }
  return keys;
}

/** The key in a place, for a look whether it is there; undefined if it is not. */
export function readKey(place: KeyPlace, env: NodeJS.ProcessEnv): string | undefined {
  try {
    const value = ('env' in place ? env[place.env] : readFileSync(place.file, 'utf8'))?.trim();
    return value === '' ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Fetches a pool of keys. Throws a usage error that names the place, never what is in it. */
export function readPool(place: KeyPlace | undefined, env: NodeJS.ProcessEnv): string[] {
  if (place === undefined) return [];
  const from = placeText(place);
  const text = 'env' in place ? (env[place.env] ?? '') : readKeyFile(place.file, 'pool');
  const keys = [...new Set(text.split(/\s+/).filter((key) => key !== ''))];
  if (keys.length === 0) throw usageError(missing('pool', place, from));
  if (!keys.every((key) => /^[\x21-\x7e]+$/.test(key)))
    throw usageError(`key for role pool: ${from} holds characters that are invalid in a header`);
  return keys;
}

/** The name of the variable may be the key itself: only a certain name is repeated. */
function missing(role: Role | 'pool', place: KeyPlace, from: string): string {
  if ('file' in place || /^[A-Z]+$|^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(place.env))
    return `key for role ${role}: ${from} is not set or empty`;
  return `key for role ${role}: no environment variable of the given name is set (the name belongs there, not the key itself)`;
}

function readKeyFile(file: string, role: Role | 'pool'): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`key for role ${role}: cannot read file ${file}`, error);
  }
}

/** Whether a key belongs to the account of the `quota` key: the keys of one account spend one session quota. */
export type KeyAccount = 'same-account' | 'other-account' | 'discover';

type AccountPromises = Pick<Profile, 'quota' | 'data_scope'>;

/**
 * What the profile says about a role's account before the run. `isSameKey`: the role has the `quota` key itself.
 */
export function toldAccount(
  role: Role,
  { quota, data_scope }: AccountPromises,
  isSameKey: boolean,
): KeyAccount {
  if (role === 'quota' || isSameKey) return 'same-account';
  if (role === 'twin' && quota.twin !== 'discover') return quota.twin;
  return data_scope === 'per-key' ? 'other-account' : 'discover';
}

/** Throws a usage error where two roles were given one key and the profile says that their accounts are different. */
export function assertAccounts(profile: AccountPromises, keys: Keys): void {
  for (const role of roles)
    for (const other of roles.slice(roles.indexOf(role) + 1)) {
      const isTwin = role === 'quota' && other === 'twin' && profile.quota.twin !== 'discover';
      const areApart = isTwin ? profile.quota.twin === 'other-account' : profile.data_scope === 'per-key';
      if (!areApart || keys[role] === undefined || keys[role].value !== keys[other]?.value) continue;
      throw usageError(
        `roles ${role} and ${other} have the same key, and the profile says that their accounts are different (${isTwin ? 'quota.twin: other-account' : 'data_scope: per-key'})`,
      );
    }
}

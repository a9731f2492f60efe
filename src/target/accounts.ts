import { usageError } from '../exit.ts';
import { type Role, roles } from '../vocabulary/roles.ts';
import type { Keys } from './keys.ts';
import type { Profile } from './profile.ts';

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

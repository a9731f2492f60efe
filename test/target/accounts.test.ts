import { describe, expect, it } from 'vitest';
import { assertAccounts, type KeyAccount, type Keys, toldAccount } from '../../src/target/keys.ts';
import { type ProfileInput, profileSchema } from '../../src/target/profile.ts';
import type { Role } from '../../src/vocabulary/roles.ts';

const profileOf = (input: ProfileInput) => profileSchema.parse(input);

describe('whether a key belongs to the account of the quota key', () => {
  it.each<[string, Role, ProfileInput, isSameKey: boolean, KeyAccount]>([
    ['is open where the profile says nothing', 'twin', {}, false, 'discover'],
    ['is open where all keys see the same data', 'load', { data_scope: 'shared' }, false, 'discover'],
    ['is said of the twin by quota.twin', 'twin', { quota: { twin: 'same-account' } }, false, 'same-account'],
    ['is not said of other keys by it', 'load', { quota: { twin: 'same-account' } }, false, 'discover'],
    ['is ruled out by data_scope per-key', 'bystander', { data_scope: 'per-key' }, false, 'other-account'],
    [
      'is said of the twin by quota.twin whatever data_scope says',
      'twin',
      { data_scope: 'per-key', quota: { twin: 'same-account' } },
      false,
      'same-account',
    ],
    ['is certain of the same key', 'load', { data_scope: 'per-key' }, true, 'same-account'],
  ])('%s', (_, role, profile, isSameKey, account) => {
    expect(toldAccount(role, profileOf(profile), isSameKey)).toBe(account);
  });
});

describe('one key for two roles', () => {
  const key = (value: string) => ({ value, from: 'env KEY' });
  const twins: Keys = { load: key('a'), quota: key('b'), twin: key('b') };

  it.each<[string, Keys, ProfileInput]>([
    ['the profile says nothing of accounts', twins, {}],
    [
      'the profile says that they share one',
      twins,
      { data_scope: 'per-key', quota: { twin: 'same-account' } },
    ],
    ['other roles have keys of their own', { load: key('a'), quota: key('b') }, { data_scope: 'per-key' }],
  ])('is accepted where %s', (_, keys, profile) => {
    expect(() => assertAccounts(profileOf(profile), keys)).not.toThrow();
  });

  it.each<[string, Keys, ProfileInput, RegExp]>([
    [
      'the twin has another account',
      twins,
      { quota: { twin: 'other-account' } },
      /quota and twin .*\(quota\.twin: other-account\)/,
    ],
    [
      'no roles share an account',
      twins,
      { data_scope: 'per-key' },
      /quota and twin .*\(data_scope: per-key\)/,
    ],
    [
      'no other roles share an account',
      { load: key('b'), quota: key('b') },
      { data_scope: 'per-key', quota: { twin: 'same-account' } },
      /load and quota have the same key/,
    ],
  ])('is a usage error where the profile says that %s, and no key is named', (_, keys, profile, message) => {
    expect(() => assertAccounts(profileOf(profile), keys)).toThrow(message);
  });
});

import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  assertAccounts,
  fingerprint,
  type KeyAccount,
  type KeyPlace,
  type Keys,
  parseKeyArgument,
  readKeys,
  readPool,
  toldAccount,
} from '../../src/target/keys.ts';
import { type ProfileInput, profileSchema } from '../../src/target/profile.ts';
import type { Role } from '../../src/vocabulary/roles.ts';

const secret = 'sk_live_very-secret';

describe('--key', () => {
  it('names a role and a variable', () => {
    expect(parseKeyArgument('load=TRYON_KEY')).toEqual({ role: 'load', place: { env: 'TRYON_KEY' } });
    expect(parseKeyArgument('bystander=_x1')).toEqual({ role: 'bystander', place: { env: '_x1' } });
  });

  it.each([
    ['an unknown role', 'admin=KEY', /expected ROLE=ENV_VAR with a role of load, quota, twin, bystander/],
    ['no role', secret, /expected ROLE=ENV_VAR/],
    ['nothing after the role', 'load=', /--key load=…: expected the name of an environment variable/],
    ['the key itself', `load=${secret}`, /not the key itself/],
    ['the key itself, which holds an equals sign', 'load=abc=', /not the key itself/],
  ])('refuses %s, and does not repeat it', (_what, argument, message) => {
    expect(() => parseKeyArgument(argument)).toThrow(message);
    expect(() => parseKeyArgument(argument)).toThrow(/^(?!.*very-secret)/);
  });
});

describe('keys', () => {
  const read = (place: KeyPlace, env: NodeJS.ProcessEnv = {}) => readKeys({ load: place }, env).load;

  it('come from variables and files, without the blanks around them', () => {
    const file = join(tmpdir(), `tryon-key-${process.pid}`);
    onTestFinished(() => rmSync(file));
    writeFileSync(file, `  ${secret}\n`);
    expect(read({ env: 'KEY' }, { KEY: ` ${secret} ` })).toEqual({ value: secret, from: 'env KEY' });
    expect(read({ file })).toEqual({ value: secret, from: `file ${file}` });
    expect(readKeys({}, { KEY: secret })).toEqual({});
  });

  it.each<[string, KeyPlace, NodeJS.ProcessEnv, RegExp]>([
    ['a variable that is not set', { env: 'TRYON_KEY' }, {}, /role load: env TRYON_KEY is not set or empty/],
    ['a variable that is empty', { env: 'KEY' }, { KEY: ' ' }, /role load: env KEY is not set or empty/],
    ['a file that is not there', { file: '/nowhere/key' }, {}, /role load: cannot read file \/nowhere\/key/],
    [
      'a key that no header can carry',
      { env: 'KEY' },
      { KEY: `${secret}\u{1F511}` },
      /env KEY holds characters/,
    ],
    ['a key of two lines', { env: 'KEY' }, { KEY: `${secret}\nx` }, /env KEY holds characters/],
  ])('says the role and the place of %s, and never the key', (_what, place, env, message) => {
    expect(() => read(place, env)).toThrow(message);
    expect(() => read(place, env)).toThrow(/^(?!.*very-secret)/s);
  });

  it.each(['sk_AbCdEf123456', 'AKIAIOSFODNN7EXAMPLE', 'abcdef', 'f00ba4'])(
    'does not repeat %s, which may be a key typed in place of its variable',
    (name) => {
      expect(() => read({ env: name })).toThrow(/role load: .*not the key itself/);
      expect(() => read({ env: name })).not.toThrow(name);
    },
  );

  it('of a pool stand one after another, each counted once', () => {
    expect(readPool({ env: 'POOL' }, { POOL: 'a b\n  c a\n' })).toEqual(['a', 'b', 'c']);
    expect(readPool(undefined, { POOL: 'a' })).toEqual([]);
    expect(() => readPool({ env: 'POOL' }, { POOL: ' ' })).toThrow(/role pool: env POOL is not set or empty/);
    expect(() => readPool({ env: 'sk_AbCdEf123456' }, {})).toThrow(/role pool: .*not the key itself/);
    expect(() => readPool({ file: '/nowhere/keys' }, {})).toThrow(/role pool: cannot read file/);
    expect(() => readPool({ env: 'POOL' }, { POOL: `a ${secret}\u{1F511}` })).toThrow(
      /^(?!.*very-secret).*holds/s,
    );
  });

  it('are shown by a fingerprint that tells them apart and nothing more', () => {
    const print = fingerprint({ value: secret, from: 'env KEY' });
    expect(print).toMatch(/^[0-9a-f]{8}$/);
    expect(fingerprint({ value: secret, from: 'elsewhere' })).toBe(print);
    expect(fingerprint({ value: `${secret}!`, from: 'env KEY' })).not.toBe(print);
  });
});

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

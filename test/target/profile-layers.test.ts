import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { profileLayers } from '../../src/commands/run/open-target.ts';
import { environmentLayer, profileFields, variableOf } from '../../src/target/profile-layers.ts';
import { temporaryFolder } from '../e2e/program.ts';

const file = join(temporaryFolder(), 'profile.json');
writeFileSync(
  file,
  `{
  "$schema": "./profile.schema.json", // for editors
  /* our staging */
  "rate_limit": "100/6s",
  "quota": { "sessions": 20, "fresh": true },
  "allow_hosts": ["one"],
  "keys": { "load": { "file": "/run/secrets/key" } },
}`,
);

const mapped = join(temporaryFolder(), 'mapped.json');
writeFileSync(
  mapped,
  '{"adapter": "own/adapter.ts", "map": {"create_session": {"path": "/tryons", "body": {"p": "{product_id}"}}}}',
);

describe('the profile of a run', () => {
  const rows: readonly [string, Parameters<typeof profileLayers>[0], NodeJS.ProcessEnv, object][] = [
    ['has the values of its file, which may have comments', { profile: file }, {}, { rate_limit: '100/6s' }],
    [
      'has a value of the environment in place of the file’s, and leaves its neighbours',
      { profile: file },
      { TRYON_PROFILE_QUOTA__SESSIONS: '30' },
      { quota: { sessions: 30, fresh: true } },
    ],
    [
      'has a value of the command line in place of the environment’s',
      { profile: file, 'rate-limit': '10/s' },
      { TRYON_PROFILE_RATE_LIMIT: '20/s' },
      { rate_limit: '10/s' },
    ],
    [
      'has the whole place of a key from the command line',
      { profile: file, key: ['load=MY_KEY'] },
      {},
      { keys: { load: { env: 'MY_KEY' } } },
    ],
    [
      'has hosts of the command line beside those of the file',
      { profile: file, 'allow-host': ['two'] },
      {},
      { allow_hosts: ['one', 'two'] },
    ],
    [
      'has text that looks like a number as text where the field takes text',
      {},
      { TRYON_PROFILE_NAME: '7' },
      { name: '7' },
    ],
    [
      'has an object or a list of the environment as JSON',
      {},
      { TRYON_PROFILE_KEYS: '{"load":{"env":"A"}}', TRYON_PROFILE_FINISHES: '["matte","gloss"]' },
      { keys: { load: { env: 'A' } }, finishes: ['matte', 'gloss'] },
    ],
    [
      'has the whole template of a body from the environment, whatever the file’s says',
      { profile: mapped },
      { TRYON_PROFILE_MAP__CREATE_SESSION__BODY: '{"product":"{product_id}"}' },
      { map: { create_session: { path: '/tryons', body: { product: '{product_id}' } } } },
    ],
    [
      'has an adapter beside its file',
      { profile: mapped },
      {},
      { adapter: join(dirname(mapped), 'own/adapter.ts') },
    ],
  ];
  it.each(rows)('%s', (_, args, env, expected) => {
    const { input } = profileLayers(args, env);
    expect(input).toMatchObject(expected);
    if ('map' in expected) expect(input.map).toEqual(expected.map);
  });

  it('knows of each value where it is from', () => {
    const { origins } = profileLayers(
      { profile: file, quota: 5, key: ['load=MY_KEY'] },
      { TRYON_PROFILE_RATE_LIMIT: '20/s' },
    );
    expect(Object.fromEntries(origins)).toEqual({
      rate_limit: 'env TRYON_PROFILE_RATE_LIMIT',
      'quota.sessions': '--quota',
      'quota.fresh': file,
      allow_hosts: file,
      'keys.load': '--key',
    });
  });

  it.each<[string, NodeJS.ProcessEnv, string]>([
    [
      'a variable of no field, and names the field that is meant',
      { TRYON_PROFILE_RATE_LIMITS: '1/s' },
      'TRYON_PROFILE_RATE_LIMITS: the profile has no such field; did you mean TRYON_PROFILE_RATE_LIMIT?',
    ],
    [
      'a value that its field does not take',
      { TRYON_PROFILE_QUOTA__FRESH: 'perhaps' },
      'TRYON_PROFILE_QUOTA__FRESH: quota.fresh: Invalid input: expected boolean, received string',
    ],
  ])('rejects %s', (_, env, message) => {
    expect(() => environmentLayer(env)).toThrow(message);
  });

  it('has a variable of its own for each field', () => {
    const variables = profileFields().map(({ path }) => variableOf(path));
    expect(new Set(variables).size).toBe(variables.length);
    expect(variables).toContain('TRYON_PROFILE_CHANNEL__COUNTS_AGAINST_RATE_LIMIT');
  });
});

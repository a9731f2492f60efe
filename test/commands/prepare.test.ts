import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TargetArguments } from '../../src/commands/options.ts';
import { openTarget, type Target } from '../../src/commands/run/open-target.ts';
import { prepare } from '../../src/commands/run/prepare.ts';
import { midnights } from '../../src/scenario/calendar.ts';
import { defineScenario } from '../../src/scenario/define.ts';
import { exhaustQuota, steady, together } from '../../src/scenario/load.ts';
import { type Profile, type ProfileInput, profileSchema } from '../../src/target/profile.ts';

const scenario = defineScenario({
  name: 'all-keys',
  title: 'Something on every key',
  catalog: { products: 2 },
  load: [
    steady('60/min', '2s'),
    together(
      exhaustQuota({ beyond: 2, cap: 9 }),
      steady('60/min', '2s', { as: 'bystander', traffic: 'reads' }),
    ),
  ],
  checks: ['contract'],
});
const base = 'http://127.0.0.1:1/v1';
const env = { A: 'key-a', B: 'key-b' };

function open(args: TargetArguments): Promise<Target> {
  return openTarget(args, scenario, env);
}

function profileFile(profile: ProfileInput): string {
  const folder = mkdtempSync(join(tmpdir(), 'tryon-profile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'profile.json');
  writeFileSync(file, JSON.stringify(profile));
  return file;
}

describe('a target', () => {
  it('is named by the command line, with the interface’s limit and nothing assumed beyond', async () => {
    const target = await open({ target: base, key: ['load=A'] });
    expect(target).toMatchObject({ kind: 'foreign', keys: { load: { value: 'key-a', from: 'env A' } } });
    expect(target.baseUrl.href).toBe(base);
    expect(target.profile).toMatchObject({
      name: '127.0.0.1:1',
      rate_limit: { requests: 1_000, windowMs: 60_000 },
      limiter: 'unspecified',
      channel: 'discover',
      quota: { fresh: false },
    });
  });

  it('is named by a profile, keys and allowed hosts too', async () => {
    const profile = profileFile({
      base_url: 'https://shop.example/v1',
      allow_hosts: ['shop.example'],
      keys: { load: { env: 'A' }, quota: { env: 'B' } },
    });
    const { baseUrl, keys } = await open({ profile });
    expect([baseUrl.href, keys.load?.value, keys.quota?.value]).toEqual([
      'https://shop.example/v1',
      'key-a',
      'key-b',
    ]);
  });

  it('has a clock that is put right only if it was moved', async () => {
    const clock = { exec: ['./no-such-program', '{instant}'] };
    const profile = profileFile({ base_url: base, keys: { load: { env: 'A' } }, clock });
    const load = midnights({ before: ['2028-02-29'], shoppers: '1/s', each: '2s' });
    const target = await openTarget({ profile }, { ...scenario, load }, env);
    await expect(target.close()).resolves.toBeUndefined();
    await expect(target.setClock?.(0)).rejects.toThrow('clock.exec');
    await expect(target.close()).rejects.toThrow('clock.exec');
  });
});

describe('a scenario made ready for a target', () => {
  const made = (roles: readonly ('load' | 'quota' | 'bystander')[], input: ProfileInput = {}) => {
    const profile: Profile = profileSchema.parse(input);
    const keys = Object.fromEntries(roles.map((role) => [role, { value: role, from: 'test' }]));
    return prepare(scenario, { profile, keys }, { seed: 1 });
  };

  it.each([
    [1, [6, 0, 0]],
    [2, [6, 3, 0]],
    [5, [6, 3, 1]],
  ])('has at most %i events in a request where the channel takes no more', (most_events, weights) => {
    const { planInput } = made(['load'], { channel: { most_events } });
    expect(planInput.shoppers.actsPerRequest).toEqual(weights);
  });

  it.each<[string, ProfileInput, locales: string[], ofProbes: string]>([
    ['those of the scenario where the profile names none', {}, ['en-GB', 'en-US', 'de-DE'], 'en-GB'],
    ['those of them that the target takes', { locales: ['de-DE', 'en-US'] }, ['de-DE', 'en-US'], 'de-DE'],
    ['those of the target where the scenario has none of them', { locales: ['xh-ZA'] }, ['xh-ZA'], 'xh-ZA'],
  ])('gives sessions the locales %s', (_, profile, locales, ofProbes) => {
    const { catalogs, planInput } = made(['load'], profile);
    expect(Object.keys(planInput.shoppers.locales)).toEqual(expect.arrayContaining(locales));
    if (profile.locales !== undefined) expect(Object.keys(planInput.shoppers.locales)).toEqual(locales);
    expect(catalogs.load.locale).toBe(ofProbes);
  });

  it('leaves out of the plan what no key was given for', () => {
    const count = (prepared: ReturnType<typeof made>): number => [...prepared.plan.requests()].length;
    expect(made(['load', 'quota', 'bystander']).roles).toEqual(['load', 'quota', 'bystander']);
    expect(made(['load']).roles).toEqual(['load']);
    expect(count(made(['load', 'quota'])) - count(made(['load']))).toBeGreaterThanOrEqual(9);
  });

  it('tries the quota and some more where it is told, else up to the scenario’s cap', () => {
    expect(made(['load', 'quota'], { quota: { sessions: 30 } }).quotaAttempts).toBe(32);
    expect(made(['load', 'quota']).quotaAttempts).toBe(9);
  });

  it('gives every run new ids, in every product, catalog and SKU', () => {
    const [one, other] = [made(['load']), made(['load'])];
    expect(one.tag).not.toBe(other.tag);
    const ids = ({ catalogs }: typeof one): string[] =>
      Object.values(catalogs).flatMap(({ id, products }) => [
        id,
        ...products.flatMap((product) => [product.id, ...product.shades.map(({ sku }) => sku)]),
      ]);
    expect(ids(one).filter((id) => ids(other).includes(id))).toEqual([]);
    expect(new Set(ids(one)).size).toBe(ids(one).length);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { announcement as announced, confirm, durationInWords } from '../../src/commands/run/announce.ts';
import { usualDuration } from '../../src/commands/run/list-scenarios.ts';
import type { Target } from '../../src/commands/run/open-target.ts';
import { prepare } from '../../src/commands/run/prepare.ts';
import { mostPages } from '../../src/drive/ask/governor.ts';
import { type Budget, budgetOf } from '../../src/drive/budget.ts';
import { defineScenario, type Scenario } from '../../src/scenario/define.ts';
import { loadScenario, shippedNames } from '../../src/scenario/files.ts';
import { exhaustQuota, steady } from '../../src/scenario/load.ts';
import { studyCapacity, studyLimits, studyQuota } from '../../src/scenario/study.ts';
import type { Keys } from '../../src/target/keys.ts';
import { profileSchema } from '../../src/target/profile.ts';

const key = { value: 'secret', from: 'env KEY' };

function target(url: string, keys: Keys = { load: key, quota: key, bystander: key }): Target {
  const profile = profileSchema.parse({ name: 'shop', quota: { sessions: 50 } });
  return { kind: 'foreign', baseUrl: new URL(url), profile, keys, pool: [], close: () => Promise.resolve() };
}

const scenario = defineScenario({
  name: 'some',
  title: 'Some of everything',
  catalog: { products: 2 },
  load: [
    steady('600/min', '60s', { traffic: 'reads' }),
    exhaustQuota({ beyond: 7 }),
    steady('60/min', '10s', { as: 'bystander', traffic: 'sessions' }),
  ],
  settle: { readBack: 10 },
  checks: ['analytics'],
});

type Announced = Parameters<typeof announced>[0];
const uncapped: Announced['args'] = {};

/** Without shards or parts left out, in one thread. */
function announcement(target: Target, budget: Budget, args: Announced['args']): string {
  return announced({ target, budget, args, leftOut: [], shard: undefined, workers: { count: 1 } });
}

describe('what a run says beforehand', () => {
  const local = target('http://127.0.0.1/v1');
  const budget = budgetOf(prepare(scenario, local, { seed: 1 }), scenario, local.profile);

  it('counts requests, sessions and imports of each key, with what comes around the load', () => {
    const rows = Object.fromEntries(budget.rows.map((row) => [row.role, row]));
    expect(rows.load?.requests).toBeGreaterThan(600 + 10);
    // One to read.
    expect(rows.load?.sessions).toBe(1);
    // One more session and one more import once the quota is spent.
    expect(rows.quota).toMatchObject({ sessions: 58, imports: 2 });
    expect(rows.quota?.requests).toBeGreaterThan(57);
    expect(rows.bystander).toMatchObject({ sessions: 10, imports: 1 });
    expect(budget.plannedRequests).toBe(600 + 57 + 10);
    expect(budget.plannedByLane).toEqual([600, 57, 10]);
    expect(budget.totalMs).toBeGreaterThan(60_000);
  });

  it('names target, keys and caps, and no key', () => {
    const text = announcement(local, budget, { 'max-requests': 5_000, 'max-minutes': 2 });
    expect(text).toContain('http://127.0.0.1/v1 (shop)');
    expect(text).toMatch(/key quota +up to \d+ requests, 58 new sessions, 2 imports$/m);
    expect(text).toMatch(/Capped +at 5,000 requests, 2 minutes/);
    expect(text).not.toContain('resemble');
    expect(text).not.toContain('secret');
    expect(announcement(local, budget, uncapped)).not.toContain('Capped');
    const ends = /^Ends +after 7 min 50 s at the latest, done or not \(--max-minutes/m;
    expect(announcement(local, budget, uncapped).replaceAll(/\n +/g, ' ')).toMatch(ends);
    expect(text).not.toMatch(ends);
  });

  it('says that two keys of one account spend one quota, the twin only a part of a race', () => {
    const keys = { load: key, quota: { ...key, value: 'q' }, twin: { ...key, value: 't' } };
    const study = defineScenario({
      ...{ name: 'study', title: 'The quota alone', checks: ['quota'], catalog: { products: 1 } },
      study: [studyQuota({ race: 40 })],
    });
    const say = (twin: 'same-account' | 'other-account'): string => {
      const { profile, ...rest } = target('http://127.0.0.1/v1', keys);
      const told = { ...rest, profile: { ...profile, quota: { ...profile.quota, twin } } };
      return announcement(told, budgetOf(prepare(study, told, { seed: 1 }), study, told.profile), uncapped);
    };
    expect(say('same-account')).toMatch(/key twin +up to [\d,]+ requests, 22 new sessions/);
    expect(say('same-account')).toContain('quota and twin belong to one account');
    expect(say('other-account')).toMatch(/key twin +up to [\d,]+ requests, 162 new sessions/);
    expect(say('other-account')).not.toContain('one account');
  });

  it('says that the clock of the target will be moved, and put right', () => {
    const say = (told: Target): string =>
      announcement(told, budgetOf(prepare(scenario, told, { seed: 1 }), scenario, told.profile), uncapped);
    expect(say({ ...local, kind: 'foreign', setClock: async () => undefined })).toMatch(
      /^Clock +moved to other days/m,
    );
    expect(say({ ...local, kind: 'foreign' })).not.toContain('Clock');
    expect(say({ ...local, kind: 'embedded', setClock: async () => undefined })).not.toContain('Clock');
  });

  it('leaves out the keys that were not given', () => {
    const alone = target('http://127.0.0.1/v1', { load: key });
    const { rows } = budgetOf(prepare(scenario, alone, { seed: 1 }), scenario, alone.profile);
    expect(rows.map(({ role }) => role)).toEqual(['load']);
  });

  it('counts what a key is asked that the load has no use for', () => {
    const plain = defineScenario({
      ...{ name: 'plain', title: 'Load key only', checks: ['contract'], catalog: { products: 1 } },
      load: [steady('60/min', '10s')],
    });
    const rows = (probes: boolean, keys: Keys): readonly object[] => {
      const asked = target('http://127.0.0.1/v1', keys);
      const probed = { ...plain, probes, explore: 0 };
      return budgetOf(prepare(probed, asked, { seed: 1 }), probed, asked.profile).rows.slice(1);
    };
    const bystander = { role: 'bystander', requests: 2, sessions: 0, imports: 0 };
    expect(rows(true, { load: key, bystander: key, quota: key })).toEqual([bystander]);
    expect(rows(true, { load: key, quota: key })).toEqual([]);
    expect(rows(false, { load: key, bystander: key })).toEqual([]);
  });

  it('counts the calls that look for faults as they were drawn', () => {
    const explored = defineScenario({
      ...{ name: 'explored', title: 'Explored', checks: ['contract'], catalog: { products: 1 } },
      load: [steady('60/min', '10s')],
    });
    const { exploration, ...bare } = prepare(explored, local, { seed: 1 });
    const without = budgetOf(bare, explored, local.profile);
    const budgeted = budgetOf({ ...bare, exploration }, explored, local.profile);
    const { cost } = exploration ?? {};
    const rowOf = ({ rows }: Budget, role: string) => rows.find((row) => row.role === role);
    // With a key that nothing else imports with, further pages of lists are the explorer's alone.
    const pages = { load: 0, bystander: mostPages.other };
    for (const role of ['load', 'bystander'] as const) {
      const [more, fewer] = [rowOf(budgeted, role), rowOf(without, role)];
      expect((more?.requests ?? 0) - (fewer?.requests ?? 0)).toBe((cost?.requests[role] ?? 0) + pages[role]);
      expect((more?.sessions ?? 0) - (fewer?.sessions ?? 0)).toBe(cost?.sessions[role]);
      expect((more?.imports ?? 0) - (fewer?.imports ?? 0)).toBe(cost?.imports[role]);
    }
    expect(announcement(local, budgeted, uncapped)).toContain(
      `up to ${cost?.nearKey} requests with keys that resemble the load key`,
    );
  });

  it('counts the calls that look for faults during the load, as many as a twentieth of the limit has room for', () => {
    const explored = (most: number) =>
      defineScenario({
        ...{ name: 'explored', title: 'Explored', checks: ['contract'], catalog: { products: 1 } },
        load: [steady('60/min', '90s')],
        exploreBeside: most,
      });
    const ofBystander = (scenario: Scenario, given: Target = local) => {
      const prepared = prepare(scenario, given, { seed: 1 });
      const { rows } = budgetOf(prepared, scenario, given.profile);
      return { prepared, row: rows.find(({ role }) => role === 'bystander') };
    };
    const { prepared, row } = ofBystander(explored(50));
    const { cost } = prepared.explorationBeside ?? {};
    const without = ofBystander(explored(0));
    expect(without.prepared.explorationBeside).toBeUndefined();
    expect((row?.requests ?? 0) - (without.row?.requests ?? 0)).toBe(cost?.requests.bystander);
    expect((row?.imports ?? 0) - (without.row?.imports ?? 0)).toBe(cost?.imports.bystander);
    expect(row?.sessions).toBe(without.row?.sessions);
    // 1,000 a minute.
    const many = ofBystander(explored(1_000)).prepared.explorationBeside;
    expect(many?.groups.flat().length).toBeLessThanOrEqual(75);
    expect(ofBystander(explored(1_000), target('http://127.0.0.1/v1', { load: key })).row).toBeUndefined();
  });

  it('counts a study of capacity by its highest rate, on the pool of keys where there is one', () => {
    const study = defineScenario({
      ...{ name: 'knee', title: 'A knee', checks: ['capacity'], catalog: { products: 1 } },
      study: [studyCapacity({ under: '50ms', most: '200/s', budget: '10s' })],
    });
    const pooled = { ...local, pool: ['a', 'b'] };
    const withPool = budgetOf(prepare(study, pooled, { seed: 1 }), study, local.profile);
    const spent = { requests: 2_000, sessions: 2_000 };
    expect(withPool.rows.at(-1)).toEqual({ role: 'pool', ...spent, imports: 0 });
    expect(announcement(pooled, withPool, uncapped)).toMatch(
      /key pool, all +up to 2,000 requests, 2,000 new/,
    );
    const [load, ...others] = budgetOf(prepare(study, local, { seed: 1 }), study, local.profile).rows;
    expect(load?.requests).toBeGreaterThan(2_000);
    expect(others.map(({ role }) => role)).not.toContain('pool');
  });

  it('counts other keys of a study of limits, which are not used where there is no pool', () => {
    const study = defineScenario({
      ...{ name: 'crowd', title: 'Other keys', checks: ['rate-limit'], catalog: { products: 1 } },
      study: [studyLimits({ otherKeys: '20/s', budget: '60s' })],
    });
    const rowsWith = (target: typeof local): ReturnType<typeof budgetOf>['rows'] =>
      budgetOf(prepare(study, target, { seed: 1 }), study, local.profile).rows;
    const [alone, pooled] = [rowsWith(local), rowsWith({ ...local, pool: ['a', 'b'] })];
    expect(pooled).toEqual([...alone, { role: 'pool', requests: 1_200, sessions: 0, imports: 0 }]);
  });
});

describe('whether a run may go on', () => {
  it('is not asked on loopback, nor when it was said already', async () => {
    await expect(confirm(target('http://127.0.0.1/v1'), false)).resolves.toBeUndefined();
    await expect(confirm(target('http://shop.example/v1'), true)).resolves.toBeUndefined();
  });

  it.skipIf(process.stdin.isTTY)('is a no without a terminal to ask on', async () => {
    await expect(confirm(target('http://shop.example:8080/v1'), false)).rejects.toThrow(
      /shop\.example:8080 is not loopback: add --yes/,
    );
  });
});

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const names = await shippedNames();

describe('how long a run takes', () => {
  it.each([
    ['a load takes its time', { totalMs: 204e3, studyMs: 0 }, 'about 3.5 minutes'],
    ['a study may be done earlier', { totalMs: 1_026e3, studyMs: 1e6 }, 'up to 17.5 minutes'],
    ['less than a minute is said to five seconds', { totalMs: 12_900, studyMs: 0 }, 'about 15 seconds'],
    ['the program’s start and its judging count', { totalMs: 2_500, studyMs: 1_000 }, 'up to 10 seconds'],
  ])('%s', (_sentence, budget, words) => {
    expect(durationInWords(budget)).toBe(words);
  });

  it.each(names)('is no part of the title of %s, which a run repeats', async (name) => {
    const { scenario } = await loadScenario(name);
    expect(scenario.title).not.toMatch(/\d\s*(min|sec|hour)/);
  });

  it('is said alike in README', async () => {
    const told = [...readme.matchAll(/^\| `([a-z-]+)` \| ((?:about|up to) [^|]*) \|/gm)];
    const said = Object.fromEntries(told.map(([, name = '', words = '']) => [name, words]));
    const usual = await Promise.all(
      names.map(async (name) => [name, usualDuration((await loadScenario(name)).scenario)] as const),
    );
    expect(said).toEqual(Object.fromEntries(usual));
  });

  it.each(['CONTRIBUTING.md', 'docs/first-run.md', 'docs/analytics.md'])(
    'is said alike in %s',
    async (page) => {
      const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
      const told = [
        ...text.matchAll(/tryon run ([a-z-]+)(?: --\S+ \S+)* +# ((?:about|up to) [\d.]+ \w+)/g),
        ...text.matchAll(/npm start +# the scenario (launch).*?, ((?:about|up to) [\d.]+ \w+)/g),
      ];
      expect(told.length).toBeGreaterThan(0);
      for (const [line, name = '', words] of told)
        expect(words, line).toBe(usualDuration((await loadScenario(name)).scenario));
    },
  );

  it('of the quick start is that of launch', async () => {
    const { scenario } = await loadScenario('launch');
    expect(readme).toContain(
      `runs the \`launch\` scenario against the embedded service (${usualDuration(scenario)})`,
    );
  });
});

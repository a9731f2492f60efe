import { describe, expect, it } from 'vitest';
import { makeBesideLoad } from '../../src/explore/exploration.ts';
import { powerOf } from '../../src/model/faults/power.ts';
import { modelFaults } from '../../src/model/faults/table.ts';
import { judge } from '../../src/model/judge.ts';
import { honestModel } from '../../src/model/stages.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { times } from '../effort.ts';
import { drawnService, plainService, promisesOf, usualPromises } from '../explore/conventions.ts';
import { planOf } from '../explore/plant.ts';
import { simulate } from '../explore/simulate.ts';

/** Few calls for many seeds: what matters are the conventions, which each seed draws anew. */
const calls = 200;
const unpromised = { ...usualPromises, freedoms: {} };

describe('an honest service, whatever its conventions, delays, losses and repeated deliveries', () => {
  const seeds = times(8, 500);
  it.each([
    { name: 'that promises whole batches', base: usualPromises },
    { name: 'that promises nothing', base: unpromised },
    { name: 'whose accounts share catalogs', base: { ...usualPromises, sharesCatalogs: true } },
    { name: 'whose histories are late after any answer', base: { ...usualPromises, areEventsLate: true } },
  ])('$name never diverges', async ({ base }) => {
    const wrong: string[] = [];
    let judged = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const service = drawnService(seed, base);
      const promises = promisesOf(service, base);
      const record = simulate(await planOf(seed, calls), service, undefined, promises);
      const found = judge(record, honestModel(promises));
      judged += found.judged;
      const [first] = found.divergences;
      if (first !== undefined) wrong.push(`seed ${seed}: ${JSON.stringify(first).slice(0, 300)}`);
    }
    expect(wrong).toEqual([]);
    expect(judged).toBeGreaterThan(seeds * calls * 0.7);
  });
});

const profile = profileSchema.parse({});
const drawn = (seed: number, calls = 150) =>
  makeBesideLoad({ calls, seed, tag: `t${seed}` }, profile, ['load', 'bystander']);
const groupsOf = (seed: number) => drawn(seed)?.groups ?? [];
const base = { ...usualPromises, accounts: { load: 'load', bystander: 'bystander' } };
const model = () => honestModel(base);

describe('the calls of the explorer during a load', () => {
  it('are about shades alone, with the bystander key, and no more than asked for', () => {
    for (const seed of [1, 2, 3]) {
      const calls = groupsOf(seed).flat();
      expect(new Set(calls.map(({ op }) => op))).toEqual(new Set(['import-shades', 'list-shades']));
      expect(new Set(calls.map(({ by }) => JSON.stringify(by)))).toEqual(
        new Set([JSON.stringify({ kind: 'key', key: 'bystander' })]),
      );
      expect(calls.length).toBeLessThanOrEqual(150);
      expect(calls.length).toBeGreaterThan(140);
      // One of them may be there twice.
      expect(Math.max(...calls.map(({ shades = [] }) => shades.length))).toBeLessThanOrEqual(31);
      expect(drawn(seed)?.cost).toMatchObject({
        requests: { load: 0, bystander: calls.length },
        sessions: { load: 0, bystander: 0 },
        ...{ unknownKey: 0, nearKey: 0 },
      });
    }
  });

  it('are the same for the same seed, and none without a bystander key', () => {
    expect(groupsOf(1)).toEqual(groupsOf(1));
    expect(groupsOf(1)).not.toEqual(groupsOf(2));
    expect(makeBesideLoad({ calls: 150, seed: 1, tag: 't' }, profile, ['load'])).toBeUndefined();
  });

  it('have no wrong answer from an honest service, whatever its conventions', () => {
    for (let seed = 1; seed <= times(8, 200); seed++) {
      const service = drawnService(seed, base);
      const promises = promisesOf(service, base);
      const record = simulate(groupsOf(seed), service, undefined, promises);
      expect(judge(record, honestModel(promises)).divergences, `seed ${seed}`).toEqual([]);
    }
  });

  it('show faults of imports and lists', () => {
    const record = simulate(groupsOf(1), { ...plainService, seed: 1 }, undefined, base);
    const shown = powerOf(record, modelFaults, model).filter(({ shownBy }) => shownBy.length > 0);
    const causes = new Set(shown.map(({ fault }) => fault.cause));
    expect([...causes]).toEqual(expect.arrayContaining(['shades-listed-late']));
    expect(shown.length).toBeGreaterThan(30);
  });
});

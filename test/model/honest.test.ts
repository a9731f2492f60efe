import { describe, expect, it } from 'vitest';
import { judge } from '../../src/model/judge.ts';
import { honestModel, usualPromises } from '../../src/model/stages.ts';
import { times } from '../effort.ts';
import { drawnService, promisesOf } from '../explore/conventions.ts';
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

import { describe, expect, it } from 'vitest';
import { sentenceOf, withRow } from '../../src/model/faults/fault.ts';
import { powerOf } from '../../src/model/faults/power.ts';
import { type ModelRow, modelFaults } from '../../src/model/faults/table.ts';
import { prepare, replay } from '../../src/model/judge.ts';
import { honestModel } from '../../src/model/stages.ts';
import { randomStream } from '../../src/random.ts';
import { isLong } from '../effort.ts';
import { drawnService, plainService, usualPromises } from '../explore/conventions.ts';
import { fullPromises, type PlantedRow, planOf, plantAll } from '../explore/plant.ts';
import { simulate } from '../explore/simulate.ts';

const calls = 250;
/** A seed plants one parameter of each row. `npm test` plants one row in twelve. */
const seeds = isLong ? [1, 2, 3, 4, 5, 6, 7, 8] : [2];
const share = isLong ? 1 : 12;
const part = 0;

/** A row is in one part, whatever rows come to be beside it. */
const isPlanted = ({ says }: ModelRow): boolean => Math.floor(randomStream(0, says)() * share) === part;

/** Of the rows that are shown: those that are named, themselves or by an equal of this record. */
const leastNamed = 0.97;
/** Themselves. */
const leastItself = 0.9;
const mostHidden = 0.04;

const described = ({ explanation, fault, params, seed }: PlantedRow): string =>
  `${fault.cause}: ${sentenceOf(fault, params)} ${JSON.stringify(params)}, seed ${seed}, is named ${explanation?.causes.map((each) => each.fault.cause).join() ?? ''}`;

describe(`a fault that is planted into the model (part ${part + 1} of ${share}, seeds ${seeds.join()})`, async () => {
  const planted: PlantedRow[] = [];
  for (const seed of seeds) planted.push(...(await plantAll(seed, calls, isPlanted)));
  const shown = planted.filter(({ divergences }) => divergences > 0);
  /** A part may be so small that one row is more than its share. */
  const few = isLong ? 0 : 1;

  it('is shown wherever it changes an answer', () => {
    const hidden = planted.filter(({ divergences, effects }) => effects > 0 && divergences === 0);
    expect(hidden.length, hidden.map(described).join('\n')).toBeLessThanOrEqual(
      Math.max(few, mostHidden * planted.length),
    );
    expect(shown.length).toBeGreaterThan(0.5 * planted.length);
  });

  it.each([
    { as: 'itself or an equal', least: leastNamed, isNamed: ({ named }: PlantedRow) => named !== 'no' },
    { as: 'itself', least: leastItself, isNamed: ({ named }: PlantedRow) => named === 'itself' },
  ])('is named as $as', ({ isNamed, least }) => {
    const wrong = shown.filter((row) => !isNamed(row));
    expect(wrong.length, wrong.map(described).join('\n')).toBeLessThanOrEqual(
      Math.max(few, (1 - least) * shown.length),
    );
  });
});

it('there are at least 120 rows, each with words of its own', () => {
  expect(modelFaults.length).toBeGreaterThanOrEqual(120);
  expect(new Set(modelFaults.map(({ says }) => says)).size).toBe(modelFaults.length);
});

describe('the power of a run is that of a plain replay of each row', () => {
  const records = [
    { name: 'with promises', promises: fullPromises, service: { ...plainService, seed: 7 }, at: 7 },
    { name: 'without promises', promises: usualPromises, service: drawnService(8, usualPromises), at: 8 },
  ];

  it.each(records)('$name', ({ at, promises, service }) => {
    const record = simulate(planOf(at, isLong ? 400 : 120), service, undefined, promises);
    const prepared = prepare(record);
    const evidence = { calls: record, divergences: [] };
    const found = powerOf(record, modelFaults, () => honestModel(promises));
    expect(new Set(found.map(({ why }) => why)).size).toBeGreaterThan(2);
    for (const { fault, isShown, params, shownBy, why } of found) {
      if (why === 'untouched') continue;
      const planted = withRow(honestModel(promises), { fault, params }, evidence);
      const { divergences } = replay(prepared, planted, { most: 1, isBrief: true });
      expect({ isShown, shownBy }, sentenceOf(fault, params)).toEqual({
        isShown: divergences.length > 0,
        shownBy: divergences,
      });
    }
  });
});

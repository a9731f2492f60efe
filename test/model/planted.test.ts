import { describe, expect, it } from 'vitest';
import { type PlantedRow, plantAll } from '../../src/explore/selftest.ts';
import { modelFaults } from '../../src/model/faults/table.ts';
import { times } from '../effort.ts';

const calls = 250;
/** Each seed plants one parameter of each row; `npm test` takes a part of the rows. */
const share = times(4, 1);

const described = ({ explanation, fault, params, seed }: PlantedRow): string =>
  `${fault.cause} ${JSON.stringify(params)}, seed ${seed}: ${explanation?.causes.map((each) => each.fault.cause).join() ?? ''}`;

describe('a fault that is planted into the model', async () => {
  const seeds = Array.from({ length: times(1, 20) }, (_, at) => at + 2);
  const planted: PlantedRow[] = [];
  for (const seed of seeds)
    planted.push(...(await plantAll(seed, calls, (_, at) => at % share === seed % share)));
  const shown = planted.filter(({ divergences }) => divergences > 0);

  it('is shown wherever it changes an answer, but for a free choice', () => {
    const hidden = planted.filter(({ divergences, effects }) => effects > 0 && divergences === 0);
    expect(hidden.length).toBeLessThanOrEqual(0.03 * planted.length);
    expect(shown.length).toBeGreaterThan(0.5 * planted.length);
  });

  it('is named, alone or among causes that explain as much', () => {
    const misnamed = shown.filter(({ place }) => place < 0);
    expect(misnamed.map(described).slice(0, Math.max(0, misnamed.length - 0.12 * shown.length))).toEqual([]);
  });
});

it('there are at least 110 rows, each with words of its own', () => {
  expect(modelFaults.length).toBeGreaterThanOrEqual(110);
  expect(new Set(modelFaults.map(({ cause }) => cause)).size).toBe(modelFaults.length);
  expect(new Set(modelFaults.map(({ says }) => says)).size).toBe(modelFaults.length);
});

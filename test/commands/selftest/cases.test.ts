import { describe, expect, it } from 'vitest';
import { expectations } from '../../../src/commands/selftest/expectations.ts';
import { chooseCases } from '../../../src/commands/selftest/selftest.ts';
import { listedDefects, listedVariants } from '../../../src/commands/serve/serve-alterations.ts';

const seeded = { 'first-seed': 1, seeds: 2 };
type Selection = Parameters<typeof chooseCases>[0];

function chosen(more: Partial<Selection>): string[] {
  const names = chooseCases({ ...seeded, ...more } as Selection).map(({ id, seed }) => `${id} ${seed}`);
  return [...new Set(names)].sort();
}

describe('the cases of a selftest', () => {
  it('hold every defect that can be planted, once, and expect something of no other', () => {
    const ids = listedDefects.map(({ id }) => id);
    expect(Object.keys(expectations).sort()).toEqual(ids.toSorted());
    const cases = chooseCases(seeded as Selection).filter(({ expected }) => expected !== undefined);
    expect(cases.map(({ id }) => id)).toEqual(ids);
  });

  it('hold the honest service and every variant, with every seed', () => {
    const harmless = chooseCases(seeded as Selection).filter(({ expected }) => expected === undefined);
    for (const name of ['honest', ...listedVariants.map(({ name }) => name)])
      for (const seed of [1, 2])
        expect(
          harmless.some((each) => each.id === name && each.seed === seed),
          `${name} ${seed}`,
        ).toBe(true);
  });

  it.each([
    ['one defect and nothing harmless', { defect: ['Q1'] }, ['Q1 1']],
    ['a variant and no defect', { variant: ['slow'] }, ['slow 1', 'slow 2']],
    ['both where both are named', { defect: ['Q1'], variant: ['honest'] }, ['Q1 1', 'honest 1', 'honest 2']],
    ['several with commas', { defect: ['Q1,Q2'] }, ['Q1 1', 'Q2 1']],
    ['another first seed', { variant: ['slow'], 'first-seed': 7, seeds: 1 }, ['slow 7']],
  ])('are %s', (_sentence, more, expected) => {
    expect(chosen(more)).toEqual(expected);
  });
});

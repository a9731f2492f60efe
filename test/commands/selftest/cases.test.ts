import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { chooseCases, listingSchema, type Selection } from '../../../src/commands/selftest/cases.ts';
import { expectations } from '../../../src/commands/selftest/expectations.ts';

const launcher = fileURLToPath(new URL('../../../src/launcher.js', import.meta.url));
const listing = listingSchema.parse(
  JSON.parse(execFileSync(process.execPath, [launcher, 'serve', '--list-defects', '--json']).toString()),
);
const selection: Selection = { firstSeed: 1, seeds: 2 };

function chosen(more: Partial<Selection>): string[] {
  const names = chooseCases(listing, { ...selection, ...more }).map(({ id, seed }) => `${id} ${seed}`);
  return [...new Set(names)].sort();
}

describe('the cases of a selftest', () => {
  it('hold every defect that can be planted, once, and expect something of no other', () => {
    const ids = listing.defects.map(({ id }) => id);
    expect(Object.keys(expectations).sort()).toEqual(ids.toSorted());
    const cases = chooseCases(listing, selection).filter(({ expected }) => expected !== undefined);
    expect(cases.map(({ id }) => id).sort()).toEqual(ids.toSorted());
  });

  it('hold the honest service and every variant, with every seed', () => {
    const harmless = chooseCases(listing, selection).filter(({ expected }) => expected === undefined);
    for (const name of ['honest', ...listing.variants.map(({ name }) => name)])
      for (const seed of [1, 2])
        expect(
          harmless.some((each) => each.id === name && each.seed === seed),
          `${name} ${seed}`,
        ).toBe(true);
  });

  it.each([
    ['one defect and nothing harmless', { defects: ['Q1'] }, ['Q1 1']],
    ['a variant and no defect', { variants: ['slow'] }, ['slow 1', 'slow 2']],
    [
      'both where both are named',
      { defects: ['Q1'], variants: ['honest'] },
      ['Q1 1', 'honest 1', 'honest 2'],
    ],
    ['another first seed', { variants: ['slow'], firstSeed: 7, seeds: 1 }, ['slow 7']],
  ])('are %s', (_sentence, more, expected) => {
    expect(chosen(more)).toEqual(expected);
  });

  it.each([
    ['defect', { defects: ['Z9'] }, /--defect: there is no "Z9" \(tryon serve --list-defects lists/],
    ['variant', { variants: ['loud'] }, /--variant: there is no "loud" \(/],
  ])('of a %s that there is not are a usage error', (_what, more, message) => {
    expect(() => chosen(more)).toThrow(message);
  });
});

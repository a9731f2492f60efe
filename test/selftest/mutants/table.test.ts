import { describe, expect, it } from 'vitest';
import { mutantsOf } from '../../../src/selftest/mutants/enumerate.ts';
import type { KnownMutant } from '../../../src/selftest/mutants/known.ts';
import { mutantsTable, reportedOf, totalLine } from '../../../src/selftest/mutants/table.ts';
import { type MutantOutcome, triedMutant } from '../../../src/selftest/mutants/try.ts';

const mutants = mutantsOf([{ path: 'service/some.ts', text: 'const a = [1, 2 | 3, b < c];\n' }]);
const outcomes: MutantOutcome[] = [
  {
    kind: 'killed',
    run: 'shoppers',
    checks: ['a.a', 'a.b', 'a.c', 'a.d'],
    cause: 'limit-differs',
    text: 'It is 9.',
  },
  { kind: 'killed', run: 'launch', checks: ['a.a'] },
  { kind: 'survived', inconclusive: [{ run: 'quota', checks: ['a.e'] }] },
  { kind: 'unreached' },
  { kind: 'invalid', run: 'shoppers', why: 'tryon: the service did not start' },
];
const results = outcomes.map((outcome, index) => {
  const mutant = mutants[index];
  if (mutant === undefined) throw new Error('too few mutants');
  return triedMutant(mutant, { outcome, runs: [] }, { seconds: 1, program: 'p' });
});
const last = mutants.at(-1);
const equivalent: KnownMutant = {
  operator: last?.operator ?? 'sql',
  before: last?.before ?? '',
  after: last?.after ?? '',
  kind: 'equivalent',
  text: 'Nobody compares it.',
};

describe('the table of mutants', () => {
  const reported = reportedOf(mutants, results, [equivalent]);

  it('holds what was tried, and the equivalent ones, which are not', () => {
    expect(reported.map(({ kind }) => kind)).toEqual([
      'killed',
      'killed',
      'survived',
      'unreached',
      'invalid',
      'equivalent',
    ]);
  });

  it('counts the unreached as not killed, and leaves out what shows nothing', () => {
    expect(totalLine(reported)).toBe(
      'Killed 2 of 4 mutants (50 %): 1 survived, 1 unreached. Not counted: 1 equivalent, 1 invalid.',
    );
    expect(totalLine([])).toBe(
      'Killed 0 of 0 mutants: 0 survived, 0 unreached. Not counted: 0 equivalent, 0 invalid.',
    );
  });

  it('shows survivors in full, and how the others ended', () => {
    const text = mutantsTable(reported, { planned: 9, possible: mutants.length, seed: 7 });
    expect(text).toContain(`6 mutants of a sample of 9 (seed 7) out of ${mutants.length}.`);
    expect(text).toContain(`### Survived\n\n**${mutants[2]?.id}**`);
    expect(text).toContain('Became inconclusive: a.e (quota).');
    expect(text).toContain('Nobody compares it.');
    expect(text).toContain('| shoppers | limit-differs: It is 9. | a.a, a.b, a.c, and 1 more |');
    expect(text).toContain('| launch | none | a.a |');
    expect(text).toContain('| shoppers | tryon: the service did not start |');
    expect(text).toMatch(/\| `service\/some\.ts` \| 2 \| 1 \| 1 \| 1 \| 1 \|/);
    // A bar in a cell would begin another cell.
    expect(text).toContain('2 \\| 3');
    const cells = text.split('\n').filter((line) => line.startsWith('| '));
    for (const line of cells) expect(line.replaceAll('\\|', '').split('|').length).toBeOneOf([5, 6, 7, 8]);
  });
});

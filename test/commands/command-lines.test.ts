import { describe, expect, it } from 'vitest';
import { shippedNames } from '../../src/scenario/files.ts';
import { examplesOf, mistakeIn, names, toldByDocs, toldByHelp } from './command-lines.ts';

const scenarios = await shippedNames();
// Commands of two words do their work where they are understood, and `completion` is of yargs: test/e2e/ runs them.
const told = [...toldByHelp(), ...toldByDocs()].filter(
  ({ words: [command = ''] }) => !['adapter', 'fleet', 'completion'].includes(command),
);

describe('the help of a command', () => {
  it.each(names.map((name) => [name.join(' '), name] as const))(
    '%s has two or three examples, a line each',
    (_, name) => {
      const lines = examplesOf(name);
      expect([2, 3]).toContain(lines.length);
      for (const line of lines) expect(line).toMatch(/^ {2}tryon .{1,72}$/);
    },
  );
});

describe('what README, docs and help tell to type', () => {
  it('are command lines that tryon understands', () => {
    expect(told.length).toBeGreaterThan(60);
    expect(
      told.flatMap(({ by, line, words }) => mistakeIn(words)?.concat(` in ${by}: ${line}`) ?? []),
    ).toEqual([]);
  });

  it('names scenarios that there are', () => {
    const named = told.filter(
      ({ words: [command = '', first = '-'] }) =>
        ['run', 'simulate', 'doctor'].includes(command) && !/^[-[]|[./]/.test(first),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ words: [, name = ''] }) => !scenarios.includes(name))).toEqual([]);
  });

  it('a mistyped option would be found', () => {
    expect(mistakeIn(['run', 'smoke', '--tarjet', 'x'])).toContain('tarjet');
  });
});

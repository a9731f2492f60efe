import { describe, expect, it } from 'vitest';
import { listAsJson, listAsText, readAlterations } from '../../src/commands/serve/serve-alterations.ts';
import { exitCode, type TryonError } from '../../src/exit.ts';

describe('--defect and --variant', () => {
  it.each([
    ['nothing', {}, []],
    ['one defect', { defect: ['A1'] }, ['A1']],
    ['several with commas', { defect: ['A1,S2'] }, ['A1', 'S2']],
    ['several by repeating', { defect: ['A1', 'S2,P5'] }, ['A1', 'S2', 'P5']],
    ['one twice', { defect: ['A1,A1', 'A1'] }, ['A1']],
    ['several in the order of the list', { defect: ['R10,R2'] }, ['R2', 'R10']],
    ['variants', { variant: ['slow,shades-bare'] }, ['shades-bare', 'slow']],
    ['both', { defect: ['N9'], variant: ['slow'] }, ['N9', 'slow']],
  ])('take %s', (_, argv, names) => {
    expect(readAlterations(argv).titles.map((title) => title.split(':')[0])).toEqual(names);
  });

  it.each([
    ['an unknown id', { defect: ['A1,X9'] }, /--defect: there is no "X9" \(tryon serve --list-defects lists/],
    ['a variant as a defect', { defect: ['slow'] }, /--defect: there is no "slow" \(/],
    ['an unknown name', { variant: ['fast'] }, /--variant: there is no "fast" \(/],
    [
      'a slip',
      { variant: ['ties-decending'] },
      /there is no "ties-decending"; did you mean ties-descending\?/,
    ],
    ['nothing after a comma', { defect: ['A1,'] }, /--defect: there is no "" \(/],
    ['a name that every object has', { variant: ['constructor'] }, /--variant: there is no "constructor" \(/],
  ])('refuse %s and say what lists those there are', (_, argv, message) => {
    const read = () => readAlterations(argv);
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ exit: exitCode.usage }) as TryonError);
  });
});

describe('--list-defects', () => {
  interface List {
    readonly defects: readonly { id: string; grade: number; group: string; title: string }[];
    readonly variants: readonly { name: string; title: string }[];
  }
  const list = JSON.parse(listAsJson()) as List;

  it('gives every defect its grade and group, in JSON on one line', () => {
    expect(listAsJson().trimEnd()).not.toContain('\n');
    expect(list.defects).toContainEqual({
      id: 'N9',
      grade: 4,
      group: 'sessions',
      title: 'Every other read of sessions gets 404',
    });
    expect(list.variants).toContainEqual({ name: 'import-201', title: 'POST /shades answers 201' });
  });

  it('has a line for each defect and variant, under a heading, in columns', () => {
    const lines = listAsText().trimEnd().split('\n');
    expect(lines).toHaveLength(1 + list.defects.length + 1 + 1 + list.variants.length);
    const column = lines[0]?.indexOf('group') ?? 0;
    for (const [index, { id, group, title }] of list.defects.entries()) {
      const line = lines[index + 1] ?? '';
      expect(line.startsWith(`  ${id} `)).toBe(true);
      expect(line.slice(column).startsWith(`${group} `)).toBe(true);
      expect(line.endsWith(title)).toBe(true);
    }
  });

  it.each([80, 60])('fits into %d columns, with the same words', (columns) => {
    const folded = listAsText(columns);
    for (const line of folded.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    const words = (text: string): string[] => text.split(/\s+/);
    expect(words(folded)).toEqual(words(listAsText()));
  });
});

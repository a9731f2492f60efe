import { describe, expect, it } from 'vitest';
import { diffOf, mutantsOf, serviceFiles } from '../../../src/selftest/mutants/enumerate.ts';
import { knownMutants, knownOf } from '../../../src/selftest/mutants/known.ts';
import { operators } from '../../../src/selftest/mutants/operators.ts';
import { isParsable } from '../../../src/selftest/mutants/syntax.ts';

const files = await serviceFiles();
const mutants = mutantsOf(files);

describe('the mutants of the reference service', () => {
  it('are the same each time', () => {
    expect(mutantsOf(files)).toEqual(mutants);
  });

  it('are many, of every operator, in every file that does something', () => {
    expect(mutants.length).toBeGreaterThan(1_000);
    expect(new Set(mutants.map(({ operator }) => operator))).toEqual(new Set(Object.keys(operators)));
    const changed = new Set(mutants.map(({ path }) => path));
    const unchanged = files.filter(({ path }) => !changed.has(path));
    // Files of types alone.
    expect(unchanged.filter(({ text }) => /^export (function|const)/m.test(text))).toEqual([]);
  });

  it('leave out defects and variants', () => {
    expect(files.filter(({ path }) => /defects|variants/.test(path))).toEqual([]);
  });

  it('differ from the source, from each other, and in one place', () => {
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    expect(new Set(mutants.map(({ path, text }) => `${path} ${text}`)).size).toBe(mutants.length);
    for (const { path, start, text } of mutants) {
      const original = files.find((file) => file.path === path)?.text ?? '';
      expect(text).not.toBe(original);
      expect(text.slice(0, start)).toBe(original.slice(0, start));
    }
  });

  it('can be parsed', () => {
    // Enumerating has parsed all; a sample shows that it looks at the text that is planted.
    for (const { text } of mutants.filter((_, index) => index % 50 === 0))
      expect(isParsable(text)).toBe(true);
    expect(isParsable('const = 1')).toBe(false);
  });

  it('keep their ids when files are merged and lines move', () => {
    const first = 'function f(a) {\n  return a < 1;\n}\n';
    const second = 'function g(a) {\n  return a < 1;\n}\n';
    const apart = mutantsOf([
      { path: 'service/f.ts', text: first },
      { path: 'service/g.ts', text: second },
    ]);
    const merged = mutantsOf([{ path: 'service/merged.ts', text: `\n// Moved.\n${first}\n${second}` }]);
    expect(new Set(apart.map(({ id }) => id)).size).toBe(8);
    expect(merged.map(({ id }) => id)).toEqual(apart.map(({ id }) => id));
  });

  it('are shown as the changed lines', () => {
    const text = 'function f(): number {\n  return 1 +\n    two;\n}\n';
    const [, , minus] = mutantsOf([{ path: 'service/f.ts', text }]).toSorted((a, b) => a.line - b.line);
    const sum = mutantsOf([{ path: 'service/f.ts', text }]).find(({ operator }) => operator === 'arithmetic');
    expect(minus?.name).toBe('f');
    expect(sum).toMatchObject({ line: 2, before: 'return 1 +', after: 'return 1 -' });
    expect(diffOf({ before: 'a\nb\nc', after: 'a' }, 2)).toBe('- a\n- b\n- …\n+ a');
  });
});

describe('what is known of mutants', () => {
  it('is about one mutant each, with a reason', () => {
    const about = knownMutants.map((known) => {
      const found = mutants.filter((mutant) => knownOf(mutant, [known]) !== undefined);
      expect(found.length, `${known.before} → ${known.after}`).toBe(1);
      expect(known.text).toMatch(/^[A-Z`].{20,}\.$/s);
      return found[0]?.id;
    });
    expect(new Set(about).size).toBe(knownMutants.length);
  });
});

import { describe, expect, it } from 'vitest';
import { mutantsOf } from '../../../src/selftest/mutants/enumerate.ts';

/** Every mutant of a line of code, as `operator: line`. */
function mutated(text: string): string[] {
  return mutantsOf([{ path: 'service/some.ts', text }]).map(({ operator, after }) => `${operator}: ${after}`);
}

describe('the changes of the operators', () => {
  it.each([
    ['a boundary', 'ok(a < b)', ['comparison: ok(a <= b)', 'comparison: ok(a >= b)']],
    ['an equality', 'ok(a === b)', ['comparison: ok(a !== b)']],
    ['an operator after parentheses', 'ok((a) >= b)', ['comparison: ok((a) > b)', 'comparison: ok((a) < b)']],
    ['a calculation', 'ok(a * b)', ['arithmetic: ok(a / b)']],
    ['a rounding', 'ok(Math.ceil(a))', ['arithmetic: ok(Math.floor(a))']],
    ['the smaller of two', 'ok(Math.min(a))', ['arithmetic: ok(Math.max(a))']],
    ['a count', 'ok(a++)', ['arithmetic: ok(a--)']],
    ['a sign', 'ok(-a)', ['arithmetic: ok(a)']],
    ['joined texts: no minus', "ok(a + ' b')", ["constant: ok(a + '')"]],
    ['and', 'ok(a && b)', ['condition: ok(a || b)']],
    ['a default', 'ok(a ?? b)', ['condition: ok(a)']],
    ['a negation', 'ok(!a)', ['condition: ok(a)']],
    ['a choice', 'ok(a ? b : c)', ['condition: ok(true ? b : c)', 'condition: ok(false ? b : c)']],
    ['a wait', 'ok(await a)', ['lock: ok(a)']],
    ['a transaction', 'ok(db.transaction(work))', ['lock: ok((work)())']],
    ['a number', 'ok(429)', ['constant: ok(430)', 'constant: ok(428)']],
    ['a zero', 'ok(0)', ['constant: ok(1)']],
    ['a truth', 'ok(true)', ['constant: ok(false)']],
    ['a word', "ok('date')", ["constant: ok('')"]],
    ['a sentence for people: no change', "ok('the key is not valid')", []],
    ['a pattern', "ok('^a$')", ["constant: ok('')", "constant: ok('a$')", "constant: ok('^a')"]],
    ['an expression', 'ok(/^a$/i)', ['constant: ok(/a$/i)', 'constant: ok(/^a/i)', 'constant: ok(/^a$/)']],
    ['a template', 'ok(`$' + '{a}-b`)', ['constant: ok(``)']],
    ['arguments', 'ok(a, b, c)', ['arguments: ok(b, a, c)', 'arguments: ok(a, c, b)']],
    ['a handler: it keeps its place', 'ok(a, () => b)', []],
    ['fields', 'ok({ a, b })', ['field: ok({ b })', 'field: ok({ a })']],
    ['elements', 'ok([a, b])', ['field: ok([b])', 'field: ok([a])']],
    ['a type: no change', 'ok(a as 1 | true)', []],
  ])('%s', (_what, text, expected) => {
    // The statement itself can be dropped, and its call has no other change.
    expect(mutated(text)).toEqual(['statement: ;', ...expected]);
  });

  it.each([
    ['SELECT a FROM t WHERE b = ?', ['SELECT a FROM t WHERE (b = ? OR 1)', 'SELECT a FROM t WHERE b <> ?']],
    ['UPDATE t SET a = ?', []],
    ['SELECT DISTINCT a FROM t', ['SELECT a FROM t']],
    [
      'SELECT a FROM t ORDER BY a, f(b) DESC',
      [
        'SELECT a FROM t ORDER BY NULL, f(b) DESC',
        'SELECT a FROM t ORDER BY a, NULL DESC',
        'SELECT a FROM t ORDER BY a, f(b) ASC',
      ],
    ],
    [
      'SELECT count(*) FROM t LIMIT 10',
      ['SELECT count(*) + 1 FROM t LIMIT 10', 'SELECT count(*) FROM t LIMIT 11'],
    ],
    ['INSERT INTO t VALUES (?) ON CONFLICT DO NOTHING', ['INSERT INTO t VALUES (?)']],
    ['coalesce(avg(a), 0)', ['coalesce(max(a), 0)', 'coalesce(avg(a), 1)']],
    ['CREATE TABLE t (a TEXT UNIQUE)', ['CREATE TABLE t (a TEXT)']],
  ])('SQL: %s', (sql, expected) => {
    expect(mutated(`const q = '${sql}';`)).toEqual(expected.map((each) => `sql: const q = '${each}';`));
    const inTemplate = mutated(`const q = \`${sql} $\{more}\`;`);
    expect(inTemplate).toEqual(expected.map((each) => `sql: const q = \`${each} $\{more}\`;`));
  });
});

import { describe, expect, it } from 'vitest';
import { shown } from '../../src/checks/causes/cause.ts';
import { render } from '../../src/checks/core/render.ts';
import type { CheckFinding } from '../../src/checks/core/verdict.ts';
import { filledIn } from '../../src/checks/reasons/words/template.ts';

const named = (what: string, seqs: readonly number[]) => ({ what, seqs, total: seqs.length });

describe('the evidence of a check', () => {
  const finding = {
    id: 'contract.import-update',
    expected: null,
    observed: null,
    reasons: [],
    evidence: [named('import', [1]), named('right list', [2]), named('wrong list', [3])],
  } as const;

  it.each<[string, CheckFinding, readonly string[]]>([
    [
      'begins with what shows the cause of a failure',
      {
        ...finding,
        verdict: 'fail',
        causes: [shown('shade-count-wrong', { said: 1, expected: 2 }, [3])],
      },
      ['wrong list', 'import', 'right list'],
    ],
    [
      'stays as it is where no cause is known',
      { ...finding, verdict: 'fail' },
      ['import', 'right list', 'wrong list'],
    ],
  ])('%s', (_, found, order) => {
    expect(render(found).evidence.map(({ what }) => what)).toEqual(order);
  });
});

describe('a place of a template', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['{n} of them', { n: 1_200 }, '1,200 of them'],
    ['{one:text}, and {one:text} again', { one: 'this' }, 'this, and this again'],
    ['{n:count shade}', { n: 1 }, '1 shade'],
    ['{n:count query/queries}', { n: 3 }, '3 queries'],
    ['{n:count GET request} {n:was|were} sent', { n: 1 }, '1 GET request was sent'],
    ['{n:was|were}', { n: 2 }, 'were'],
    ['{all:list 2}', { all: ['a', 'b', 'c'] }, 'a, b and 1 more'],
    ['{took:ms} ms in {window:seconds}', { took: 7.31, window: 1_500 }, '7.31 ms in 1.5 s'],
    ['{n:none of}', { n: 100 }, 'a share above 3 % is excluded (95 %)'],
    ['{at:request}', { at: 'read-session' }, 'GET /sessions/{id}'],
    [
      '{of:keys} at {pace:pace}',
      { of: { key: 'load', endpoint: null }, pace: { requests: 5, windowMs: 1_000 } },
      'the load key at 5 per 1 s',
    ],
  ])('%s is filled in', (template, params, text) => {
    expect(filledIn(template, params)).toBe(text);
  });

  it('with a format that nobody knows is a defect', () => {
    expect(() => filledIn('{n:furlongs}', { n: 1 })).toThrow('no format furlongs');
  });
});

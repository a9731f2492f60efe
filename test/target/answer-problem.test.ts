import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemText, readProblem } from '../../src/target/problems.ts';

describe('the record of a problem', () => {
  it('is read as it was written', () => {
    const field = fc.stringMatching(/^[a-z_]{1,12}(\[\d\]\.[a-z]{1,5})?$/);
    const expected = fc.string({ minLength: 1 }).filter((text) => !text.includes(', got '));
    fc.assert(
      fc.property(field, expected, fc.string({ minLength: 1 }), (name, wanted, got) => {
        const problem = { field: name, expected: wanted, got };
        expect(readProblem(problemText(problem))).toEqual(problem);
      }),
    );
  });

  it.each([
    ['nothing', null],
    ['a text in another form', 'not JSON: Unexpected end of input'],
  ])('in %s is none', (_, text) => {
    expect(readProblem(text)).toBeUndefined();
  });
});

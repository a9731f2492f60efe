import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/checks/core/verdict.ts';
import { exitFor } from '../../src/commands/run/conclude.ts';
import { exitCode, TryonError, targetError, usageError } from '../../src/exit.ts';

describe('exit codes', () => {
  it('are those that the help promises', () => {
    expect(exitCode).toEqual({
      pass: 0,
      checkFailed: 1,
      usage: 2,
      inconclusive: 3,
      targetUnreachable: 4,
      internal: 70,
      cannotWrite: 74,
      interrupted: 130,
    });
  });

  it.each<[Verdict, number]>([
    ['pass', 0],
    ['fail', 1],
    ['inconclusive', 3],
  ])('a verdict of %s is %d', (verdict, code) => {
    expect(
      exitFor({ verdict, checks: [], generatorBound: false, diagnosis: { causes: [], unexplained: [] } }),
    ).toBe(code);
  });

  it('come with errors that a user can act on, and their causes', () => {
    const cause = new Error('deep down');
    expect(usageError('typo', cause)).toMatchObject({ exit: 2, message: 'typo', cause });
    expect(targetError('down')).toMatchObject({ exit: 4, message: 'down' });
    expect(targetError('down')).toBeInstanceOf(TryonError);
    expect('cause' in usageError('typo')).toBe(false);
  });
});

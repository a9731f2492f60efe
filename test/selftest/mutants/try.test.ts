import { describe, expect, it } from 'vitest';
import { exitCode } from '../../../src/exit.ts';
import type { ComparedCheck, RunEnd } from '../../../src/selftest/assess.ts';
import { isReached } from '../../../src/selftest/mutants/coverage.ts';
import { type Mutant, mutantsOf } from '../../../src/selftest/mutants/enumerate.ts';
import { type BaselineRun, tryMutant } from '../../../src/selftest/mutants/try.ts';

const [mutant] = mutantsOf([{ path: 'service/some.ts', text: 'ok(a < b)' }]) as [Mutant];
const names = ['first', 'second', 'third'];
const runs = names.map((name) => ({ name }));

function judged(id: string, verdict: ComparedCheck['verdict']): ComparedCheck {
  return { id, verdict, title: id, explanation: '' };
}
const passes: RunEnd = { code: exitCode.pass, checks: [judged('a.a', 'pass')], diagnosis: [], output: '' };
const fails: RunEnd = {
  code: exitCode.checkFailed,
  checks: [judged('a.a', 'pass'), judged('a.b', 'fail')],
  diagnosis: [{ cause: 'limit-differs', text: 'The limit is 9.', checks: ['a.b'] }],
  output: '',
};
const unsure: RunEnd = {
  code: exitCode.inconclusive,
  checks: [judged('a.a', 'inconclusive'), judged('a.c', 'inconclusive')],
  diagnosis: [],
  output: '',
};

/** Tries the mutant where the runs end so; `reached` are the runs that reach it. */
async function tried(ends: Readonly<Record<string, RunEnd>>, reached = names) {
  const baseline = (name: string): Promise<BaselineRun> =>
    Promise.resolve({ inconclusive: ['a.a'], reaches: () => reached.includes(name) });
  return tryMutant(mutant, runs, baseline, (_mutant, name) => Promise.resolve(ends[name] ?? passes));
}

describe('a mutant', () => {
  it('is killed by the first run that fails, and by its first cause', async () => {
    expect(await tried({ second: fails })).toEqual({
      outcome: {
        kind: 'killed',
        run: 'second',
        checks: ['a.b'],
        cause: 'limit-differs',
        text: 'The limit is 9.',
      },
      runs: ['first', 'second'],
    });
  });

  it('is killed without a cause where the run names none', async () => {
    const { outcome } = await tried({ first: { ...fails, diagnosis: [] } });
    expect(outcome).toEqual({ kind: 'killed', run: 'first', checks: ['a.b'] });
  });

  it('is killed by a run that was aborted after a check failed', async () => {
    const { outcome } = await tried({ first: { ...fails, code: exitCode.targetUnreachable } });
    expect(outcome.kind).toBe('killed');
  });

  it('survives where nothing fails, with the checks that became inconclusive', async () => {
    expect(await tried({ second: unsure })).toEqual({
      outcome: { kind: 'survived', inconclusive: [{ run: 'second', checks: ['a.c'] }] },
      runs: names,
    });
  });

  it('is not killed by being slow once', async () => {
    const slow = { ...fails, checks: [judged('latency.regular', 'fail')] };
    const repeated: string[] = [];
    const baseline = (): Promise<BaselineRun> => Promise.resolve({ inconclusive: [], reaches: () => true });
    const runOnce =
      (ends: RunEnd[]) =>
      (_mutant: Mutant, name: string): Promise<RunEnd> => {
        repeated.push(name);
        return Promise.resolve(ends.shift() ?? passes);
      };
    const once = await tryMutant(mutant, runs, baseline, runOnce([slow]));
    expect(once.outcome.kind).toBe('survived');
    expect(repeated.splice(0)).toEqual(['first', 'first', 'second', 'third']);
    const twice = await tryMutant(mutant, runs, baseline, runOnce([slow, slow]));
    expect(twice.outcome.kind).toBe('killed');
    const more = { ...slow, checks: [...(fails.checks ?? []), ...slow.checks] };
    expect((await tryMutant(mutant, runs, baseline, runOnce([more]))).outcome.kind).toBe('killed');
  });

  it('goes through a run again that was late, which may have missed what would have told', async () => {
    const late = { ...unsure, checks: [judged('generator.send-lag', 'inconclusive')] };
    const made: string[] = [];
    const baseline = (): Promise<BaselineRun> => Promise.resolve({ inconclusive: [], reaches: () => true });
    const ends = [late, fails];
    const { outcome } = await tryMutant(mutant, runs, baseline, (_mutant, name) => {
      made.push(name);
      return Promise.resolve(ends.shift() ?? passes);
    });
    expect([outcome.kind, made]).toEqual(['killed', ['first', 'first']]);
  });

  it('goes only through the runs that reach it', async () => {
    expect(await tried({ first: fails }, ['third'])).toEqual({
      outcome: { kind: 'survived', inconclusive: [] },
      runs: ['third'],
    });
    expect(await tried({ first: fails }, [])).toEqual({ outcome: { kind: 'unreached' }, runs: [] });
  });

  it.each<[string, Partial<RunEnd>, string]>([
    [
      'does not start',
      { output: 'noise\ntryon: the embedded service did not start\n' },
      'tryon: the embedded service did not start',
    ],
    ['hangs', { code: null }, 'the run did not end'],
    ['is given up on', { checks: passes.checks, output: 'aborted' }, 'aborted'],
  ])('is invalid where it %s', async (_how, end, why) => {
    const unreachable = { code: exitCode.targetUnreachable, checks: undefined, diagnosis: [], output: '' };
    const { outcome } = await tried({ first: { ...unreachable, ...end } });
    expect(outcome).toEqual({ kind: 'invalid', run: 'first', why });
  });
});

describe('the coverage of a run', () => {
  const ranges = [
    [0, 100, 1],
    [10, 50, 3],
    [20, 30, 0],
  ] as const;
  it.each([
    [5, true],
    [15, true],
    [20, false],
    [29, false],
    [30, true],
    [100, false],
  ])('at %s: %s', (at, expected) => {
    expect(isReached({ 'service/a.ts': [[...ranges]] }, 'service/a.ts', at)).toBe(expected);
  });

  it('is that of all processes together, and of no other file', () => {
    const coverage = { 'service/a.ts': [[[0, 9, 0] as const], [[0, 9, 2] as const]] };
    expect(isReached(coverage, 'service/a.ts', 3)).toBe(true);
    expect(isReached(coverage, 'service/b.ts', 3)).toBe(false);
  });
});

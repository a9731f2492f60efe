import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../src/checks/judge.ts';
import { keyFigures } from '../../src/report/key-figures.ts';
import { withHistory } from '../history/sample.ts';

function judgementOf(observed: Judgement['checks'][number]['observed']): Judgement {
  const check = {
    id: 'rate-limit.admitted',
    title: '',
    verdict: 'pass',
    expected: 1_000,
    observed,
    explanation: '',
    evidence: [],
  } as const;
  return { verdict: 'pass', generatorBound: false, checks: [check] };
}

describe('the most admitted in a window', () => {
  const cases: readonly [
    what: string,
    observed: Judgement['checks'][number]['observed'],
    shown: string | undefined,
  ][] = [
    ['is the interval that the check found', { min: 1_000, max: 1_002 }, '1,000 to 1,002 (limit 1,000)'],
    ['is one number where the interval is', { min: 999, max: 999 }, '999 (limit 1,000)'],
    ['is not shown where the check found none', null, undefined],
  ];
  it.each(cases)('%s', async (_what, observed, shown) => {
    const figures = await withHistory({ requests: [{ endpoint: 'list-shades' }] }, (history) =>
      keyFigures(history, judgementOf(observed)),
    );
    expect(figures.find(({ label }) => label === 'Most admitted in any minute')?.value).toBe(shown);
  });
});

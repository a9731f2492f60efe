import { describe, expect, it } from 'vitest';
import { defineScenario } from '../../src/scenario/define.ts';
import { studyCapacity } from '../../src/scenario/study.ts';

type Options = Parameters<typeof studyCapacity>[0];

describe('a study of capacity', () => {
  it('is declared by its promise alone', () => {
    expect(studyCapacity({ under: '50ms' })).toMatchObject({
      percentile: 99,
      maxMs: 50,
      fromPerSecond: 50,
      mostPerSecond: 5_000,
      traffic: 'sessions',
      budgetMs: 180_000,
    });
  });

  it.each<[string, Options, RegExp]>([
    ['no bound', { under: '0ms' }, /under: expected more than 0/],
    ['a bound that is none', { under: 'soon' }, /under: expected a duration/],
    [
      'a share for a percentile',
      { under: '1s', percentile: 0.99 },
      /percentile: .*such as 99 for a share of 0\.99/,
    ],
    [
      'the maximum for a percentile',
      { under: '1s', percentile: 100 },
      /percentile: expected a percentile from 1 to less than 100/,
    ],
    ['more errors than requests', { under: '1s', errors: 2 }, /errors: expected a share/],
    ['a climb that hardly climbs', { under: '1s', factor: 1 }, /factor: expected a number from 1\.2/],
    ['a rate that is none', { under: '1s', from: 'fast' }, /from: expected a rate/],
    [
      'a highest rate below the first',
      { under: '1s', from: '10/s', most: '5/s' },
      /most: expected no less than from/,
    ],
    ['half a connection', { under: '1s', connections: 0.5 }, /connections: expected a whole number/],
    ['no time', { under: '1s', budget: 'ages' }, /studyCapacity: budget/],
  ])('with %s is refused', (_what, options, message) => {
    expect(() => studyCapacity(options)).toThrow(message);
  });

  it('goes with analytics only if it opens no sessions, since these are not counted', () => {
    const scenario = (traffic: 'sessions' | 'reads') =>
      defineScenario({
        name: 'both',
        title: 'Both',
        study: [studyCapacity({ under: '50ms', traffic })],
        checks: ['analytics', 'capacity'],
      });
    expect(() => scenario('sessions')).toThrow(/checks: expected no analytics together with studyCapacity/);
    expect(() => scenario('reads')).not.toThrow();
  });
});

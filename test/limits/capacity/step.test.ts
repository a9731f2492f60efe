import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allowedOver,
  type CapacitySlo,
  isHopeless,
  judgeStep,
  type StepFigures,
  type StepOutcome,
  type StepWhy,
} from '../../../src/limits/capacity/step.ts';

const slo: CapacitySlo = { percentile: 99, maxMs: 50, errorShare: 0.001 };
const clean: StepFigures = {
  ended: 'whole',
  planned: 1_000,
  judged: 1_000,
  over: 0,
  failed: 0,
  refused: 0,
  late: 0,
};

describe('a percentile allows over its bound', () => {
  it.each([
    [1_000, 99, 10],
    [1_000, 99.9, 1],
    [999, 99, 9],
    [99, 99, 0],
    [100, 90, 10],
    [0, 99, 0],
  ])('of %d at p%d: %d', (n, percentile, allowed) => {
    expect(allowedOver(n, percentile)).toBe(allowed);
  });

  it('just as many as the nearest rank does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(100), { minLength: 1 }),
        fc.integer({ min: 1, max: 99 }),
        (values, percentile) => {
          const sorted = values.toSorted((a, b) => a - b);
          const atRank = sorted[Math.ceil((values.length * percentile) / 100 - 1e-9) - 1] ?? 0;
          const over = values.filter((value) => value > 50).length;
          expect(over <= allowedOver(values.length, percentile)).toBe(atRank <= 50);
        },
      ),
    );
  });
});

describe('a step', () => {
  it.each<[string, Partial<StepFigures>, StepOutcome]>([
    ['in which nobody waited is good', {}, 'good'],
    ['with as many over the bound as may is good', { over: 10 }, 'good'],
    ['with one more is bad', { over: 11 }, 'bad'],
    ['with more failures than may is bad', { failed: 2 }, 'bad'],
    ['that broke while the generator sent as many late is unclear', { over: 30, late: 25 }, 'unclear'],
    ['that broke by more than the generator sent late is bad', { over: 30, late: 15 }, 'bad'],
    ['that is kept is good however late the generator was', { over: 5, late: 900 }, 'good'],
    ['whose requests failed is bad however late the generator was', { failed: 500, late: 900 }, 'bad'],
    ['with a single refusal has a limit in its way', { refused: 1, over: 900 }, 'limited'],
    ['that ended with the run is unfinished', { ended: 'stopped', judged: 300 }, 'unfinished'],
    ['without an answer is unfinished', { judged: 0, planned: 0 }, 'unfinished'],
    ['given up as hopeless is bad', { ended: 'hopeless', judged: 40, over: 11 }, 'bad'],
    ['cut short keeps what its plan allows', { ended: 'hopeless', judged: 40, over: 10 }, 'good'],
    ['whole keeps what its answers allow', { judged: 40, over: 1 }, 'bad'],
    ['with all that were too many excused is unclear', { over: 30, late: 20 }, 'unclear'],
    ['with one more than excused is bad', { over: 30, late: 19 }, 'bad'],
    ['with as many failures as may is good', { failed: 1 }, 'good'],
  ])('%s', (_what, figures, outcome) => {
    expect(judgeStep({ ...clean, ...figures }, slo).outcome).toBe(outcome);
  });

  const over = { kind: 'over', judged: 1_000, allowed: 10, boundMs: 50 } as const;

  it.each<[string, Partial<StepFigures>, StepWhy]>([
    ['of a good one', { over: 3 }, { ...over, over: 3 }],
    ['of one that broke', { over: 11 }, { ...over, over: 11 }],
    ['of an unclear one', { over: 30, late: 25 }, { ...over, over: 30, late: 25 }],
    ['of failures', { failed: 2, over: 2 }, { kind: 'failed', failed: 2, judged: 1_000 }],
    ['of a limit', { refused: 3 }, { kind: 'limited', rejected: 3 }],
    ['of the end of the run', { ended: 'stopped' }, { kind: 'stopped' }],
    ['of silence', { judged: 0, planned: 0 }, { kind: 'silent' }],
  ])('says why: %s', (_what, figures, why) => {
    expect(judgeStep({ ...clean, ...figures }, slo).why).toEqual(why);
  });

  it.each<[string, Partial<StepFigures>, boolean]>([
    ['as many over as the plan allows', { over: 10 }, false],
    ['one more', { over: 11 }, true],
    ['one more, sent late', { over: 11, late: 1 }, false],
    ['as many failures as the plan allows', { failed: 1 }, false],
    ['one more failure', { failed: 2 }, true],
  ])('is hopeless or not with %s', (_what, figures, hopeless) => {
    expect(isHopeless({ ...clean, judged: 100, ...figures }, slo)).toBe(hopeless);
  });

  it('that is hopeless is bad whatever comes of the rest', () => {
    const count = fc.nat(50);
    fc.assert(
      fc.property(count, count, count, count, (over, late, moreOver, rest) => {
        const soFar = { ...clean, planned: 600, judged: 100 + over, over, late };
        fc.pre(isHopeless(soFar, slo));
        const whole = { ...soFar, over: over + moreOver, judged: soFar.judged + moreOver + rest };
        expect(judgeStep({ ...whole, ended: 'hopeless' }, slo).outcome).toBe('bad');
      }),
    );
  });
});

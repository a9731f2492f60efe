import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allowedOver,
  type CapacitySlo,
  isHopeless,
  judgeStep,
  type StepFigures,
  type StepOutcome,
} from '../../src/capacity/step.ts';

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
  ])('%s', (_what, figures, outcome) => {
    expect(judgeStep({ ...clean, ...figures }, slo).outcome).toBe(outcome);
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

import { describe, expect, it } from 'vitest';
import { inferLimiter } from '../../src/limits/infer.ts';
import { type Contender, withConfidence } from '../../src/limits/inference.ts';
import { admitted, limited } from '../../src/limits/trace.ts';
import { traceOf } from './trace-of.ts';

const [found] = inferLimiter([
  traceOf(
    Array.from({ length: 60 }, (_, n) => ({
      seq: n + 1,
      sentNs: n * 1e8,
      answeredNs: n * 1e8 + 1e6,
      outcome: n % 20 < 10 ? admitted : limited,
    })),
  ),
]).survivors;

/** The confidence in one kind alone that gets so many of 549 answers wrong, beside kinds that nobody has thought of. */
function confidence(mismatches: number, crowd: number, as: Partial<Contender> = {}): number {
  if (found === undefined) throw new Error('a fixed window is found');
  const contender: Contender = { ...found, ...as, mismatches, degreesOfFreedom: 2 };
  return withConfidence([contender], 549, crowd)[0]?.confidence ?? 0;
}

describe('what guessed arrivals are to blame for', () => {
  it.each<[string, number, number, 'named' | 'in doubt']>([
    ['a few wrong answers where requests hardly overlap', 12, 0.1, 'named'],
    ['a seventh of them where requests hardly overlap', 75, 0.1, 'in doubt'],
    ['a tenth of them where requests hardly overlap', 54, 0.1, 'in doubt'],
    ['a twentieth of them where four others are under way during each', 30, 4, 'named'],
    ['a third of them, however many are under way', 183, 17, 'in doubt'],
  ])('%s', (_, mismatches, crowd, expected) => {
    expect(confidence(mismatches, crowd) > 0.95 ? 'named' : 'in doubt').toBe(expected);
  });

  it('is no more for a pair of limits than for one', () => {
    const { settled: _one, ...pair } = found ?? {};
    const beside = {
      limit: 20,
      windowMs: 600,
      limitBounds: { min: 20, max: 20 },
      windowMsBounds: { min: 600, max: 600 },
    };
    const asPair = (mismatches: number): number => confidence(mismatches, 0.1, { ...pair, beside });
    expect([asPair(12) > 0.95, asPair(75) > 0.95]).toEqual([true, false]);
  });
});

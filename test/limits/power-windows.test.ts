import { describe, expect, it } from 'vitest';
import { isSettled } from '../../src/limits/inference.ts';
import { fullBudget, Laboratory } from './probing.ts';
import { truths } from './services.ts';

/**
 * A seeded subset of bench/limits-power.ts: windows, logs, and limiters that refusals prolong. Small enough for
 * many traces: 40 in 2.4 s stands for 1,000 in 60 s. The figures of the whole study are in docs/limits.md.
 */
const small = { limit: 40, windowMs: 2_400 };
const seeds = 20;
const kinds = Object.entries(truths).filter(
  ([name]) =>
    (name.includes('window') && !name.includes('bucket')) || name.includes('log') || name.includes('refus'),
);

describe.each(kinds)('behind a %s', (_name, truth) => {
  const isTruth = ({ algorithm }: { readonly algorithm: string }): boolean => truth.names.includes(algorithm);

  it(`the truth is never refuted, and named in nine of ten traces (${seeds} seeds)`, () => {
    const refutedBy: number[] = [];
    const misnamedBy: number[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const laboratory = new Laboratory(truth, small, seed);
      for (const probe of fullBudget) laboratory.probe(probe);
      const inference = laboratory.infer();
      if (!inference.survivors.some(isTruth)) refutedBy.push(seed);
      if (!inference.survivors.slice(0, 1).some(isTruth) || !isSettled(inference)) misnamedBy.push(seed);
    }
    expect(refutedBy, 'seeds whose traces refute the truth').toEqual([]);
    expect(misnamedBy.length, `seeds ${misnamedBy.join(' ')} are named otherwise`).toBeLessThanOrEqual(
      seeds / 10,
    );
  }, 60_000);
});

import { describe, expect, it } from 'vitest';
import { counted } from '../../src/amounts.ts';
import { isSettled } from '../../src/limits/inference.ts';
import type { ProbeKind } from '../../src/limits/probes.ts';
import { times } from '../effort.ts';
import { fullBudget, SimulatedStudy } from './probing.ts';
import { truths } from './services.ts';

/**
 * Small enough for many traces: 40 in 2.4 s stands for 1,000 in 60 s. Few windows of three nodes fit in. The figures
 * of the whole study are in docs/accuracy.md.
 */
const small = { limit: 40, windowMs: 2_400 };
const roomy = { limit: 120, windowMs: 6_000 };
/** What is no limiter of requests per time leaves every kind of them in doubt, which takes long to search, and shows soon. */
const shortBudget: readonly ProbeKind[] = ['E', 'B'];
const seeds = times(1, 20);
/**
 * Traces that may leave several kinds: in such a small one, few windows show whether a request starts those of a
 * counter that counts rejected requests too.
 */
const mostUndecided = (name: string): number => (name === 'sliding counter, rejections count' ? 2 : 0);

/** A seeded subset of bench/limits-power.ts, for the kinds of services whose name is wanted. */
export function describePower(isWanted: (name: string) => boolean): void {
  describe.each(Object.entries(truths).filter(([name]) => isWanted(name)))('behind a %s', (name, truth) => {
    const isTruth = ({ algorithm }: { readonly algorithm: string }): boolean =>
      truth.names.includes(algorithm);

    const most = mostUndecided(name);

    it(`the truth is never refuted, no other kind is named, and all traces but ${most} are decided (${counted(seeds, 'seed')})`, () => {
      const refutedBy: number[] = [];
      const misnamedBy: number[] = [];
      const undecidedBy: number[] = [];
      for (let seed = 1; seed <= seeds; seed++) {
        const study = new SimulatedStudy(truth, name === 'three nodes' ? roomy : small, seed);
        for (const probe of truth.isOutside ? shortBudget : fullBudget) study.probe(probe);
        const inference = study.infer();
        if (!inference.survivors.some(isTruth)) refutedBy.push(seed);
        if (!isSettled(inference)) undecidedBy.push(seed);
        else if (!inference.survivors.slice(0, 1).some(isTruth)) misnamedBy.push(seed);
      }
      expect(refutedBy, 'seeds whose traces refute the truth').toEqual([]);
      expect(misnamedBy, 'seeds whose traces name another kind').toEqual([]);
      expect(undecidedBy.length, `seeds ${undecidedBy.join(' ')} are undecided`).toBeLessThanOrEqual(most);
    });
  });
}

/** Windows, logs, and windows extended by rejections; the others are counters, buckets, and other kinds of limits. */
export function isAboutWindows(name: string): boolean {
  return (
    (name.includes('window') && !name.includes('bucket')) || name.includes('log') || name.includes('refus')
  );
}

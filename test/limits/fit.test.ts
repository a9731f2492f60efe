import { describe, expect, it } from 'vitest';
import { fitLimiters, type LimiterFit } from '../../src/limits/fit.ts';
import type { PromisedLimit } from '../../src/limits/kinds/kind.ts';
import { admitted, limited, type Trace } from '../../src/limits/trace.ts';
import { admissionsNeedOver, refusalsNeedUnder, refusalsPermitted } from '../../src/limits/window-search.ts';
import { randomStream } from '../../src/random.ts';
import { times } from '../effort.ts';
import {
  crookedLimiters,
  honestLimiters,
  launchTrace,
  type Network,
  observe,
  scaledLoad,
  usualNetwork,
} from './simulate.ts';
import { traceOf } from './trace-of.ts';

/** 100 in 6 s stands for 1,000 in 60 s: as many requests a second, a tenth of the time. */
const factor = 10;
const promised: PromisedLimit = { requests: 100, windowNs: 6e9 };
const honest = Object.entries(honestLimiters);

const networks: readonly { readonly name: string; readonly network: Network; readonly seeds: number }[] = [
  { name: 'the usual', network: usualNetwork, seeds: times(2, 6) },
  { name: 'a loopback', network: { meanRoundTripMs: 0.5, loss: 0 }, seeds: times(1, 3) },
  { name: 'a slow and lossy', network: { meanRoundTripMs: 100, loss: 0.01 }, seeds: times(1, 3) },
  { name: 'a dreadful', network: { meanRoundTripMs: 800, loss: 0.02 }, seeds: times(1, 2) },
];

function algorithmsThatFit(fit: LimiterFit): (string | undefined)[] {
  return fit.candidates.filter((each) => each.fitsPromise).map((each) => each.candidate.algorithm);
}

function hasUnpermittedRefusal(trace: Trace, permitted: Uint8Array): boolean {
  return trace.outcome.some((outcome, i) => outcome === limited && permitted[i] === 0);
}

/** The first of the seeds for which `isSo`; what a failing property prints. */
function firstSeed(seeds: number, isSo: (seed: number) => boolean): number | undefined {
  for (let seed = 1; seed <= seeds; seed++) if (isSo(seed)) return seed;
  return undefined;
}

describe('a limiter that keeps its promise', () => {
  for (const [name, { algorithm, make }] of honest) {
    for (const { name: weather, network, seeds } of networks) {
      it(`of the kind "${name}" is never refuted over ${weather} network`, () => {
        const refutedBy = firstSeed(seeds, (seed) => {
          const trace = launchTrace(make, 1_000, seed, factor, network);
          return !algorithmsThatFit(fitLimiters(trace, promised)).includes(algorithm);
        });
        expect(refutedBy, 'seed whose trace refuted the truth').toBeUndefined();
      });
    }

    it(`of the kind "${name}" is never accused of a wrong rejection or of admitting too much`, () => {
      const accusedBy = firstSeed(times(3, 12), (seed) => {
        const trace = launchTrace(make, 1_000, seed, factor);
        return (
          hasUnpermittedRefusal(trace, refusalsPermitted(trace, promised)) ||
          hasUnpermittedRefusal(trace, refusalsPermitted(trace, promised, algorithm)) ||
          admissionsNeedOver(trace, promised, algorithm) !== undefined ||
          refusalsNeedUnder(trace, promised, algorithm) !== undefined
        );
      });
      expect(accusedBy, 'seed whose trace accused the innocent').toBeUndefined();
    });
  }
});

describe('a limit of 900 where 1,000 are promised', () => {
  for (const [name, { make }] of honest) {
    it(`is caught in a ${name}, over the full 60-second window`, () => {
      const trace = launchTrace(make, 900, 7, 1);
      const fit = fitLimiters(trace, { requests: 1_000, windowNs: 60e9 });
      expect(algorithmsThatFit(fit), 'candidates that explain 1,000, seed 7').toEqual([]);
    });
  }

  it('is named for what it is when the limiter is a fixed window', () => {
    const trace = launchTrace(honestLimiters['fixed window, aligned'].make, 900, 3, 1);
    const [window] = fitLimiters(trace, { requests: 1_000, windowNs: 60e9 }).candidates;
    expect(window?.limits?.min).toBeGreaterThanOrEqual(898);
    expect(window?.limits?.max).toBe(900);
  });
});

describe('a burst whose requests are all under way at once', () => {
  it('bounds the limit of a sliding window by what passed of it, in any order', () => {
    const burst = traceOf(
      Array.from({ length: 120 }, (_, seq) => ({
        seq,
        sentNs: 1e9,
        answeredNs: 1.05e9,
        outcome: seq < 100 ? admitted : limited,
      })),
    );
    const { candidates } = fitLimiters(burst, promised);
    expect(
      candidates
        .filter(({ candidate }) => candidate.algorithm === 'sliding-log')
        .map(({ candidate, limits }) => [candidate.id, limits]),
    ).toEqual([
      ['sliding-log', { min: 100, max: 100 }],
      ['sliding-log-all', { min: 100, max: 119 }],
    ]);
  });
});

describe('a limit one below the promise', () => {
  for (const name of ['fixed window, aligned', 'sliding log', 'token bucket'] as const) {
    it(`is caught in a ${name}, over the full 60-second window`, () => {
      const missedBy = firstSeed(3, (seed) => {
        const trace = launchTrace(honestLimiters[name].make, 999, seed, 1, {
          meanRoundTripMs: 1,
          loss: 0,
        });
        return algorithmsThatFit(fitLimiters(trace, { requests: 1_000, windowNs: 60e9 })).length > 0;
      });
      expect(missedBy, 'seed that missed it').toBeUndefined();
    });
  }

  it('cannot be told from a stricter dialect in a sliding counter, and is not accused', () => {
    const trace = launchTrace(honestLimiters['sliding counter'].make, 999, 1, 1);
    expect(algorithmsThatFit(fitLimiters(trace, { requests: 1_000, windowNs: 60e9 }))).toContain(
      'sliding-counter',
    );
  });
});

describe('a limiter that does not limit', () => {
  it('admits more than any candidate of the promised limit does', () => {
    const missedBy = firstSeed(6, (seed) => {
      const trace = launchTrace(crookedLimiters.none, 1_000, seed, factor);
      return admissionsNeedOver(trace, promised) === undefined;
    });
    expect(missedBy, 'seed that missed it').toBeUndefined();
  });
});

describe('a block that every rejection renews', () => {
  it('rejects what no candidate of the promised limit rejects', () => {
    const missedBy = firstSeed(6, (seed) => {
      const random = randomStream(seed, 'renewed block');
      const limiter = crookedLimiters['extended by refusals'](100, 6_000, random);
      const quiet = { requests: 6, ms: 12_000 };
      const trace = traceOf(observe(limiter, [...scaledLoad(factor), quiet], usualNetwork, random));
      return !hasUnpermittedRefusal(trace, refusalsPermitted(trace, promised));
    });
    expect(missedBy, 'seed that missed it').toBeUndefined();
  });
});

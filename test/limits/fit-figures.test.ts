import { describe, expect, it } from 'vitest';
import { type CandidateFit, fitLimiters } from '../../src/limits/fit.ts';
import type { PromisedLimit } from '../../src/limits/kinds/kind.ts';
import { admitted, limited, type Trace } from '../../src/limits/trace.ts';
import { times } from '../effort.ts';
import { honestLimiters, launchTrace } from './simulate.ts';
import { traceOf } from './trace-of.ts';

/** What a fit tells beside whether the promise fits: bounds, the answers that set them, and mismatches. */

const promised: PromisedLimit = { requests: 100, windowNs: 6e9 };
const loopback = { meanRoundTripMs: 0.5, loss: 0 };

/** Requests one after the other, 1 ms each: `from` seconds, how many, and their answer. */
function inTurn(
  ...stretches: readonly (readonly [fromS: number, requests: number, outcome: 0 | 1])[]
): Trace {
  let seq = 0;
  return traceOf(
    stretches.flatMap(([fromS, requests, outcome]) =>
      Array.from({ length: requests }, (_, k) => {
        const sentNs = fromS * 1e9 + k * 1e6;
        return { seq: seq++, sentNs, answeredNs: sentNs + 0.5e6, outcome };
      }),
    ),
  );
}

function fitOf(trace: Trace, id: string): CandidateFit | undefined {
  return fitLimiters(trace, promised).candidates.find(({ candidate }) => candidate.id === id);
}

describe('the figures of a fit', () => {
  it('counts admissions and rejections', () => {
    const fit = fitLimiters(inTurn([0, 30, admitted], [1, 12, limited]), promised);
    expect([fit.admitted, fit.limited]).toEqual([30, 12]);
  });

  it('fits no candidate where none is given', () => {
    expect(fitLimiters(inTurn([0, 3, admitted]), promised, []).candidates).toEqual([]);
  });

  it('names the last admission and the first rejection of a burst as what bounds the limit', () => {
    const fit = fitOf(inTurn([0, 100, admitted], [0.5, 20, limited]), 'sliding-log');
    expect(fit?.limits).toEqual({ min: 100, max: 100 });
    expect(fit?.tightest).toEqual({ admission: 99, refusal: 100 });
    expect(fit?.mismatches).toBe(0);
  });

  it('has no upper bound, and no rejection that sets one, where all is admitted', () => {
    const fit = fitOf(inTurn([0, 60, admitted]), 'sliding-log');
    expect(fit?.limits).toEqual({ min: 60 });
    expect(fit?.tightest).toEqual({ admission: 59 });
  });

  it('names what contradicts itself where a candidate is refuted', () => {
    // 100 pass and one is rejected, and while all of these count, another one passes.
    const fit = fitOf(inTurn([0, 100, admitted], [1, 1, limited], [2, 1, admitted]), 'sliding-log');
    expect(fit?.limits).toBeUndefined();
    expect(fit?.mismatches).toBeUndefined();
    expect(fit?.tightest).toEqual({ admission: 101, refusal: 100 });
  });

  it('covers all phases: with a boundary between two bursts the limit is that of one, else that of both', () => {
    const fit = fitOf(inTurn([1, 60, admitted], [5, 60, admitted], [5.5, 10, limited]), 'fixed-window');
    expect(fit?.limits).toEqual({ min: 60, max: 120 });
    // With a boundary within the first burst it is any limit between them.
    expect(fit?.fitsPromise).toBe(true);
    const { admission = -1, refusal = -1 } = fit?.tightest ?? {};
    expect([admission, refusal]).toEqual([59, 120]);
  });
});

const truths: readonly [string, keyof typeof honestLimiters][] = [
  ['fixed-window', 'fixed window, aligned'],
  ['fixed-window-first-request', 'fixed window, first request'],
  ['sliding-log', 'sliding log'],
  ['token-bucket', 'token bucket'],
];
const seeds = times(2, 20);

describe(`running free, by itself (${seeds} seeds)`, () => {
  it.each(truths)('a %s explains its own answers but for one in a hundred', (id, name) => {
    const wrong = Array.from({ length: seeds }, (_, seed) => {
      const trace = launchTrace(honestLimiters[name].make, 1_000, seed + 1, 10, loopback);
      return { seed: seed + 1, mismatches: fitOf(trace, id)?.mismatches, of: trace.length };
    }).filter(({ mismatches, of }) => mismatches === undefined || mismatches > of / 100);
    expect(wrong).toEqual([]);
  });

  it.each(truths)('another kind gets more answers of a %s wrong, or is refuted', (id, name) => {
    const better = Array.from({ length: seeds }, (_, seed) => {
      const trace = launchTrace(honestLimiters[name].make, 1_000, seed + 1, 10, loopback);
      const own = fitOf(trace, id)?.mismatches ?? Number.POSITIVE_INFINITY;
      return truths
        .filter(([other]) => other !== id && (fitOf(trace, other)?.mismatches ?? Infinity) < own)
        .map(([other]) => ({ seed: seed + 1, other }));
    }).flat();
    expect(better).toEqual([]);
  });
});

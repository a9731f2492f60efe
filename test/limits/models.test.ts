import { describe, expect, it } from 'vitest';
import { trailingMost } from '../../src/limits/counts.ts';
import { type CandidateFit, fitLimiters } from '../../src/limits/fit.ts';
import { admitted, ambiguous, limited, type RequestOutcome, type Trace } from '../../src/limits/trace.ts';
import { traceOf } from './trace-of.ts';

const windowNs = 10e9;

/** Requests at given seconds, each answered 1 ms later: `3+` admitted, `3-` refused, `3?` never answered (up to 20 s). */
function trace(requests: string): Trace {
  const outcomes: Readonly<Record<string, RequestOutcome>> = { '+': admitted, '-': limited, '?': ambiguous };
  return traceOf(
    requests.split(' ').map((text, index) => {
      const outcome = outcomes[text.slice(-1)] ?? ambiguous;
      const sentNs = Number(text.slice(0, -1)) * 1e9;
      return { seq: index + 1, sentNs, answeredNs: sentNs + (outcome === ambiguous ? 20e9 : 1e6), outcome };
    }),
  );
}

function fitOf(requests: string, name: string, limit = 3): CandidateFit | undefined {
  const { candidates } = fitLimiters(trace(requests), { requests: limit, windowNs });
  return candidates.find((each) => each.candidate.name === name);
}

describe('a fixed window', () => {
  it('has the limit that each window admitted before its first rejection', () => {
    expect(fitOf('0+ 1+ 2+ 3- 9- 11+ 12+ 13+ 14- 21+', 'fixed window')?.limits).toEqual({ min: 3, max: 3 });
  });

  it('is refuted by an admission between two rejections without a boundary between', () => {
    expect(fitOf('0+ 1+ 2+ 3- 4+ 5- 6+ 7- 8+', 'fixed window')?.limits).toBeUndefined();
  });

  it('may have counted a request that was never answered, or not', () => {
    expect(
      fitOf('0+ 0.1+ 0.2? 3- 9- 11+ 21+', 'fixed window (started by the first request)')?.limits,
    ).toEqual({
      min: 2,
      max: 3,
    });
  });

  it('opened by a request lasts from that request', () => {
    const name = 'fixed window (started by the first request)';
    expect(fitOf('0+ 4+ 5+ 6- 12+ 13+ 14+ 21.5- 22.5+', name)?.fitsPromise).toBe(true);
    expect(fitOf('0+ 4+ 5+ 6- 12+ 13+ 14+ 20.5+', name)?.fitsPromise).toBe(false);
  });
});

describe('a sliding window', () => {
  it('frees a place when the admission that took it is a window old', () => {
    expect(fitOf('0+ 4+ 8+ 9- 10.5+ 13- 14.5+ 17- 18.5+', 'sliding window')?.limits).toEqual({
      min: 3,
      max: 3,
    });
  });

  it('is refuted by a rejection when it must have had a free place', () => {
    expect(fitOf('0+ 4+ 8+ 9- 10.5- 20+ 21+ 22+ 23+', 'sliding window')?.limits).toBeUndefined();
  });

  it('that also counts rejected requests stays full while they come', () => {
    const name = 'sliding window (rejections count)';
    expect(fitOf('0+ 1+ 2+ 9- 10.5- 11.5- 12.5- 25+', name)?.limits).toEqual({ min: 3, max: 3 });
    expect(fitOf('0+ 1+ 2+ 9- 10.5- 11.5- 12.5- 25+', 'sliding window')?.limits).toBeUndefined();
  });
});

describe('a token bucket', () => {
  it('gives a token every W / L', () => {
    // 3 per 10 s: full at 0, a token each 3.33 s afterwards.
    expect(fitOf('0+ 0.1+ 0.2+ 0.3- 3.5+ 3.6- 6.8+ 6.9-', 'token bucket')?.fitsPromise).toBe(true);
  });

  it('is refuted by a rejection when a token must have been there', () => {
    expect(fitOf('0+ 0.1+ 0.2+ 0.3- 3.5- 3.6-', 'token bucket')?.fitsPromise).toBe(false);
  });

  it('is refuted by an admission when no token can have been there', () => {
    expect(fitOf('0+ 0.1+ 0.2+ 0.3+', 'token bucket')?.limits).toEqual({ min: 4 });
  });
});

describe('a sliding counter', () => {
  it('weighs the window before by what a trailing window would still cover', () => {
    // Phase 0: 3 in the first window; at 15 s they weigh 1.5, so two more pass (load 1.5, 2.5) and the third does not (3.5).
    expect(fitOf('0.1+ 0.2+ 0.3+ 0.4- 15+ 15.1+ 15.2-', 'sliding counter')?.fitsPromise).toBe(true);
  });

  it('is refuted when far more passed than the two windows together leave room for', () => {
    expect(fitOf('0.1+ 0.2+ 0.3+ 5+ 5.1+ 5.2+', 'sliding counter')?.fitsPromise).toBe(false);
  });
});

describe('the most in a trailing window', () => {
  it('needs no limiter: three within ten seconds', () => {
    expect(trailingMost(trace('0+ 4+ 8+ 11- 12+'), 'admitted', windowNs)).toMatchObject({
      atLeast: 3,
      atMost: 3,
    });
  });

  it('counts a request that was never answered as a possibility', () => {
    expect(trailingMost(trace('0+ 4? 8+'), 'admitted', windowNs)).toMatchObject({ atLeast: 2, atMost: 3 });
  });

  it('leaves open whether two requests a window apart were in one', () => {
    expect(trailingMost(trace('0+ 10+'), 'admitted', windowNs)).toMatchObject({ atLeast: 1, atMost: 2 });
  });
});

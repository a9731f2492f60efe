import { describe, expect, it } from 'vitest';
import type { CheckFinding } from '../../../src/checks/core/verdict.ts';
import {
  type AsPromised,
  halved,
  kindsAsPromised,
} from '../../../src/checks/rate-limit/study/as-promised.ts';
import type { LimiterFindings } from '../../../src/checks/rate-limit/study/findings.ts';
import { judgeKind } from '../../../src/checks/rate-limit/study/judge-kind.ts';
import { fitLimiters } from '../../../src/limits/fit.ts';
import { inferLimiter } from '../../../src/limits/infer.ts';
import type { LimiterInference, Survivor } from '../../../src/limits/inference.ts';
import { admitted, ambiguous, limited, type Trace } from '../../../src/limits/trace.ts';
import { profileSchema } from '../../../src/target/profile.ts';
import { rowsOf, times } from '../../effort.ts';
import { SimulatedStudy } from '../../limits/probing.ts';
import { type Truth, truths } from '../../limits/services.ts';
import type { Network } from '../../limits/simulate.ts';
import { type TraceRequest, traceOf } from '../../limits/trace-of.ts';

const promised = { limit: 60, windowMs: 2_000 };
const asPromised = { name: 'token bucket', requests: 60, windowMs: 2_000 };
const prompt: Network = { meanRoundTripMs: 4, loss: 0 };
/** Requests overtake each other, and everything stands still three times a second. */
const busy: Network = { meanRoundTripMs: 25, loss: 0, standstillsPerS: 3 };

/** A limiter of some kind and size after three probes that are scaled to the promised one. */
function studied(
  name: keyof typeof truths,
  actual: typeof promised,
  network: Network,
  seed: number,
): SimulatedStudy {
  const truth = truths[name] as Truth;
  const make: Truth['make'] = (_limit, _windowMs, world) => truth.make(actual.limit, actual.windowMs, world);
  const study = new SimulatedStudy({ ...truth, make }, promised, seed, network);
  for (const probe of ['E', 'B', 'F'] as const) study.probe(probe);
  return study;
}

function judged(study: SimulatedStudy, inference: LimiterInference, limiter = 'unspecified'): CheckFinding[] {
  const profile = profileSchema.parse({ rate_limit: '60/2s', limiter });
  const traces = study.traces().filter(({ length }) => length > 0);
  const findings: LimiterFindings = {
    inference,
    asPromised: alsoAsPromised(inference, traces, profile),
    kindsAsPromised: kindsAsPromised(inference, traces, profile)?.map(({ id }) => id),
    traces,
    tried: [],
    scope: { per_key: null, per_address: null, per_endpoint: null, unauthenticated_counted: null },
    refusalStatus: 429,
    keysDiffer: false,
    rejected: 0,
    drift: undefined,
  };
  return judgeKind(findings, profile);
}

function alsoAsPromised(...given: Parameters<typeof kindsAsPromised>): AsPromised | undefined {
  const [, , { limiter, rate_limit }] = given;
  const kind = kindsAsPromised(...given)?.find(
    ({ algorithm }) => limiter === 'unspecified' || algorithm === limiter,
  );
  return kind && { name: kind.name, requests: rate_limit.requests, windowMs: rate_limit.windowMs };
}

function failed(checks: readonly CheckFinding[]): string[] {
  return checks.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : []));
}

/** A kind that was taken for the only possible one. */
function takenFor(study: SimulatedStudy, survivor: Partial<Survivor>): LimiterInference {
  const [best, ...others] = study.infer().survivors;
  if (best === undefined) throw new Error('there is always a survivor');
  const only = { ...best, ...survivor, confidence: 1 };
  return {
    requests: 600,
    admitted: 500,
    limited: 100,
    survivors: [only, ...others.map(ruledOut)],
    refuted: [],
  };
}

function ruledOut(survivor: Survivor): Survivor {
  return { ...survivor, confidence: 0 };
}

describe('a limiter as promised is not failed for looking like another', () => {
  it.each(rowsOf(['token bucket', 'sliding counter'] as const, (name) => name === 'token bucket'))(
    'a %s on a busy machine',
    (name) => {
      const accusations: string[] = [];
      for (let seed = 11; seed < 11 + times(3, 20); seed++) {
        const study = studied(name, promised, busy, seed);
        accusations.push(...failed(judged(study, study.infer())).map((id) => `${id}, seed ${seed}`));
      }
      expect(accusations).toEqual([]);
    },
  );

  const study = studied('token bucket', promised, busy, 1);
  const chameleon = {
    algorithm: 'sliding-counter-all-first-request',
    name: 'sliding counter (windows started by a request, rejections count)',
    refillPerS: null,
  };
  it.each([
    [
      'window',
      { ...chameleon, limitBounds: { min: 32, max: 62 }, windowMsBounds: { min: 216, max: 858 } },
      'unspecified',
      'rate-limit.window',
    ],
    [
      'limit',
      { ...chameleon, limitBounds: { min: 32, max: 58 }, windowMsBounds: { min: 216, max: 2_858 } },
      'unspecified',
      'rate-limit.limit',
    ],
    ['kind', { ...chameleon }, 'token-bucket', 'rate-limit.algorithm'],
  ])('one that is likelier by a %s of another', (_, survivor, limiter, id) => {
    const checks = judged(study, takenFor(study, survivor), limiter);
    const check = checks.find((each) => each.id === id);
    expect(check?.verdict).toBe('inconclusive');
    expect(check?.reasons).toContainEqual({ code: 'study-also-as-promised', params: asPromised });
    expect(failed(checks)).toEqual([]);
  });
});

describe('what no limiter as promised can have answered is failed', () => {
  it.each([
    ['a token bucket of 54 per 2 s', 'token bucket', { limit: 54, windowMs: 2_000 }, ['rate-limit.limit']],
    ['a sliding window of 2.2 s', 'sliding log', { limit: 60, windowMs: 2_200 }, ['rate-limit.window']],
    ['no limit', 'none', promised, ['rate-limit.algorithm']],
    ['a limit on requests in work', 'concurrency limit', promised, ['rate-limit.algorithm']],
  ] as const)('%s', (_, name, actual, ids) => {
    const study = studied(name, actual, prompt, 3);
    expect(failed(judged(study, study.infer()))).toEqual(ids);
  });

  it('a fixed window where a token bucket is promised', () => {
    const study = studied('fixed window, any phase', promised, prompt, 3);
    expect(failed(judged(study, study.infer(), 'token-bucket'))).toEqual(['rate-limit.algorithm']);
  });
});

describe('a pair of limits', () => {
  const study = studied('fixed window, any phase', promised, prompt, 3);
  const sized = (limit: number, windowMs: number) => ({
    limit: { min: limit, max: limit },
    windowMs: { min: windowMs, max: windowMs },
  });
  it.each([
    ['of which the longer is as promised has the other one for its cause', 60, 'second-limit'],
    ['of which neither is as promised is another kind', 50, 'algorithm-differs'],
  ])('%s', (_, limit, cause) => {
    const { limit: limitBounds, windowMs: windowMsBounds } = sized(limit, 2_000);
    const one = sized(10, 250);
    const pair = {
      ...{ algorithm: 'two-limits', name: 'pair of limits', refillPerS: null, limit, windowMs: 2_000 },
      ...{ limitBounds, windowMsBounds },
      beside: { limit: 10, windowMs: 250, limitBounds: one.limit, windowMsBounds: one.windowMs },
    };
    const checks = judged(study, takenFor(study, pair), 'token-bucket');
    const kind = checks.find(({ id }) => id === 'rate-limit.algorithm');
    expect(kind?.causes?.map((each) => each.cause.code)).toEqual([cause]);
  });
});

describe('several nodes are a failure only where they admit more in the same time', () => {
  const study = studied('concurrency limit', promised, prompt, 3);
  it.each([
    ['twice the limit in the promised window', 120, 2_000, ['rate-limit.algorithm', 'rate-limit.limit']],
    ['twice the limit in eight windows', 120, 16_000, []],
    ['the limit in windows a tenth as long', 60, 200, []],
  ])('%s', (_, limit, windowMs, ids) => {
    const nodes = takenFor(study, {
      algorithm: 'several-nodes',
      name: 'several nodes',
      limit,
      windowMs,
      limitBounds: { min: limit, max: limit },
      windowMsBounds: { min: windowMs, max: windowMs },
    });
    expect(failed(judged(study, nodes))).toEqual(ids);
  });
});

it('beside a limiter as promised another is as likely as not, and no more', () => {
  const study = studied('token bucket', promised, prompt, 1);
  const inference = study.infer();
  const [best] = inference.survivors;
  const sums = [inference, halved(inference)].map(({ survivors }) =>
    survivors.reduce((sum, { confidence }) => sum + confidence, 0),
  );
  expect(best?.algorithm).toBe('token-bucket');
  expect(sums[1]).toBeCloseTo((sums[0] ?? 0) / 2, 12);
  expect(sums[1]).toBeGreaterThan(0.4);
});

describe('what is also possible as promised is asked for only where the likeliest is another', () => {
  const study = studied('token bucket', promised, prompt, 1);
  const traces = study.traces().filter(({ length }) => length > 0);
  const inference = study.infer();
  it.each([
    ['the promised size', '60/2s', 'unspecified', undefined],
    ['the promised kind and size', '60/2s', 'token-bucket', undefined],
    ['another kind, at a size that cannot be', '60/2s', 'fixed-window', undefined],
    ['another size, which cannot be', '54/2s', 'unspecified', undefined],
  ])('%s', (_, rate_limit, limiter, expected) => {
    expect(alsoAsPromised(inference, traces, profileSchema.parse({ rate_limit, limiter }))).toBe(expected);
  });

  it('a queue is told by its waits', () => {
    const [best] = inference.survivors;
    if (best === undefined) throw new Error('there is always a survivor');
    const named = (algorithm: string): LimiterInference => ({
      ...inference,
      survivors: [{ ...best, algorithm, limitBounds: null, windowMsBounds: null }],
    });
    const profile = profileSchema.parse({ rate_limit: '60/2s' });
    expect(alsoAsPromised(named('queueing'), traces, profile)).toBeUndefined();
    expect(alsoAsPromised(named('concurrency'), traces, profile)).toEqual(asPromised);
  });
});

describe('without a rejection, requests that wait for each other are', () => {
  it.each([
    ['a queue, where it serves about the promised rate', 32, 'requests-queued'],
    ['a service as fast as it can, where it serves many times as much', 510, 'limit-not-enforced'],
  ])('%s', (_, refillPerS, cause) => {
    const study = studied('none', promised, prompt, 1);
    const inference = { ...takenFor(study, { algorithm: 'queueing', refillPerS }), limited: 0 };
    const [algorithm] = judged(study, inference);
    expect(algorithm?.causes?.map((each) => each.cause.code)).toEqual([cause]);
  });
});

describe('a limiter as promised that explains every answer only for want of bounds', () => {
  it('excuses no refusal that no limiter of that size gives', () => {
    // One each 60 ms. Before and between bursts come requests whose answers say nothing, and may have opened windows.
    const requests: TraceRequest[] = [];
    let passedMs = Number.NEGATIVE_INFINITY;
    const send = (sentMs: number, isTold: boolean): void => {
      const passes = sentMs - passedMs >= 60;
      if (passes) passedMs = sentMs;
      const outcome = !isTold ? ambiguous : passes ? admitted : limited;
      const answeredNs = (sentMs + (isTold ? 5 : 3_000)) * 1e6;
      requests.push({ seq: requests.length, sentNs: sentMs * 1e6, answeredNs, outcome });
    };
    for (let burst = 0; burst < 6; burst++) {
      for (let k = 0; k < 20; k++) send(burst * 14_000 + k * 2_000, false);
      for (let k = 0; k < 40; k++) send(burst * 14_000 + 6_300 + k * 7, true);
    }
    const traces = [traceOf(requests)];
    const profile = profileSchema.parse({ rate_limit: '100/6s' });
    const fit = fitLimiters(traces[0] as Trace, { requests: 100, windowNs: 6e9 });
    expect(fit.candidates.some(({ fitsPromise }) => fitsPromise)).toBe(true);
    expect(alsoAsPromised(inferLimiter(traces), traces, profile)).toBeUndefined();
  });
});

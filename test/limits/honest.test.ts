import { describe, expect, it } from 'vitest';
import { honestLikeness } from '../../src/limits/fit.ts';
import type { PromisedLimit } from '../../src/limits/kinds/kind.ts';
import type { Trace } from '../../src/limits/trace.ts';
import { type Random, randomStream } from '../../src/random.ts';
import { truths } from './services.ts';
import {
  crookedLimiters,
  honestLimiters,
  type LimiterMaker,
  launchTrace,
  observe,
  scaledLoad,
  usualNetwork,
} from './simulate.ts';
import { traceOf } from './trace-of.ts';

/** 100 in 6 s stands for 1,000 in 60 s. */
const factor = 10;
const promised: PromisedLimit = { requests: 100, windowNs: 6e9 };
const seeds = [1, 2, 3, 4, 5];

/** What the launch load sees of a simulated service with prompt answers. */
function served(name: string, seed: number): Trace {
  const make: LimiterMaker = (limit, windowMs, random) => {
    const service = truths[name]?.make(limit, windowMs, { epochMs: 1.77e12 + 1e7 * random(), random })();
    return (ms) => service?.(ms).passes ?? true;
  };
  return launchTrace(make, 1_000, seed, factor);
}

const calm = { meanRoundTripMs: 1, loss: 0 };

/** nginx: from idle one more than the burst. */
const oneMoreFromIdle: LimiterMaker = (limit, windowMs) => {
  let missing = 0;
  let lastMs = 0;
  return (ms) => {
    missing = Math.max(0, missing - ((ms - lastMs) * limit) / windowMs);
    lastMs = ms;
    if (missing > limit) return false;
    missing += 1;
    return true;
  };
};

/** A bucket that holds a fifth of the limit, and is refilled as promised. */
const smallBucket: LimiterMaker = (limit, windowMs) => {
  let missing = 0;
  let lastMs = 0;
  return (ms) => {
    missing = Math.max(0, missing - ((ms - lastMs) * limit) / windowMs);
    lastMs = ms;
    if (missing + 1 > limit / 5) return false;
    missing += 1;
    return true;
  };
};

/** A sliding counter that reads its clock in ticks of a sixtieth of the window: seconds in a minute. */
const coarseCounter: LimiterMaker = (limit, windowMs, random) => {
  const tickMs = windowMs / 60;
  const fine = honestLimiters['sliding counter'].make(limit, windowMs, random);
  return (ms) => fine(Math.floor(ms / tickMs) * tickMs);
};

function seedsWithout(makeTrace: (seed: number) => Trace): number[] {
  return seeds.filter((seed) => honestLikeness(makeTrace(seed), promised, false) === undefined);
}

describe('a limiter that keeps the promised limit in an unusual way is recognised and not accused', () => {
  it.each([
    'fixed window of a second',
    'sliding counter, block cache',
    'token bucket, refilled each second',
    'block after a rejection',
  ])('%s', (name) => {
    expect(
      seedsWithout((seed) => served(name, seed)),
      'seeds that would accuse it',
    ).toEqual([]);
  });

  it.each([
    ['a bucket that admits one more when idle', oneMoreFromIdle],
    ['a bucket that holds a fifth of the limit', smallBucket],
    ['a sliding counter by a coarse clock', coarseCounter],
  ] as const)('%s', (_name, make) => {
    expect(
      seedsWithout((seed) => launchTrace(make, 1_000, seed, factor)),
      'seeds that would accuse it',
    ).toEqual([]);
  });
});

describe('a limiter that does not keep the promised limit resembles none that does', () => {
  it('when it is a bucket that holds a fifth of the limit, and has rejected below it', () => {
    const rejecting = (seed: number): Trace => launchTrace(smallBucket, 1_000, seed, factor);
    expect(seeds.map((seed) => honestLikeness(rejecting(seed), promised, true))).toEqual(
      seeds.map(() => undefined),
    );
  });

  it('when it admits a tenth less', () => {
    const make = honestLimiters['fixed window, first request'].make;
    expect(seedsWithout((seed) => launchTrace(make, 900, seed, factor))).toEqual(seeds);
  });

  it('when it admits one more in each window, over the full 60 seconds', () => {
    const trace = launchTrace(honestLimiters['fixed window, aligned'].make, 1_001, 1, 1, calm);
    expect(honestLikeness(trace, { requests: 1_000, windowNs: 60e9 }, false)?.name).toBeUndefined();
  });

  it('when it does not limit', () => {
    expect(seedsWithout((seed) => launchTrace(crookedLimiters.none, 1_000, seed, factor))).toEqual(seeds);
  });

  it('if rejections extend the window, once that shows', () => {
    const renewed = (random: Random): Trace => {
      const limiter = crookedLimiters['extended by refusals'](100, 6_000, random);
      const quiet = { requests: 6, ms: 12_000 };
      return traceOf(observe(limiter, [...scaledLoad(factor), quiet], usualNetwork, random));
    };
    expect(seedsWithout((seed) => renewed(randomStream(seed, 'renewed block')))).toEqual(seeds);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Survivor } from '../../src/limits/inference.ts';
import { withStandingClock } from '../../src/limits/standing-clock.ts';
import { admitted, ambiguous, type RequestOutcome, type Trace } from '../../src/limits/trace.ts';
import { times } from '../effort.ts';
import { SimulatedStudy } from './probing.ts';
import { type SimulatedService, type Truth, truths } from './services.ts';
import { traceOf } from './trace-of.ts';

type Sent = readonly [sentMs: number, answeredMs: number, outcome?: RequestOutcome];

function traceIn(ms: readonly Sent[]): Trace {
  return traceOf(
    ms.map(([sentMs, answeredMs, outcome = admitted], seq) => ({
      seq,
      sentNs: sentMs * 1e6,
      answeredNs: answeredMs * 1e6,
      outcome,
    })),
  );
}

const sentMs = (trace: Trace | undefined): number[] => Array.from(trace?.sentNs ?? [], (ns) => ns / 1e6);

describe('when a request may have been reckoned, by a target that reads its clock once a round', () => {
  it.each<[string, readonly Sent[], readonly number[]]>([
    [
      'not before it was sent, alone',
      [
        [0, 5],
        [50, 55],
      ],
      [0, 50],
    ],
    [
      'since the first of those sent that were answered with it',
      [
        [0, 100],
        [60, 101],
        [95, 102],
      ],
      [0, 0, 0],
    ],
    [
      'not since one that was answered sooner, or later',
      [
        [0, 70],
        [60, 101],
        [10, 140],
      ],
      [0, 10, 60],
    ],
    [
      'not since before another answer, for who answers does not stand still',
      [
        [0, 100],
        [20, 70],
        [90, 101],
      ],
      [0, 20, 60],
    ],
    [
      'not by so little as clocks are off anyway',
      [
        [0, 12],
        [9, 14],
      ],
      [0, 9],
    ],
    [
      'earlier by a pause that the clock may have left out, from its end on',
      [
        [0, 5],
        [100, 310],
        [160, 311],
        [210, 312],
        [400, 405],
      ],
      [0, 100, 100, 100, 190],
    ],
    [
      'not by a pause in which others were answered, or in which little came',
      [
        [0, 210],
        [90, 211],
        [99, 212],
        [400, 405],
      ],
      [0, 0, 0, 400],
    ],
    [
      'not since one without a known end',
      [
        [0, 100, ambiguous],
        [60, 101],
      ],
      [0, 60],
    ],
  ])('%s', (_, requests, expected) => {
    expect(sentMs(withStandingClock([traceIn(requests)])[0])).toEqual(expected);
  });

  it('is told by the requests of all keys', () => {
    const [, second] = withStandingClock([traceIn([[0, 100]]), traceIn([[60, 101]])]);
    expect(sentMs(second)).toEqual([0]);
  });

  it('never later than it was sent, and in the order of sending', () => {
    const request = fc.tuple(fc.nat(500), fc.nat(120)).map(([at, took]): Sent => [at, at + took]);
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
        const trace = traceIn(requests);
        const [doubted] = withStandingClock([trace]);
        const [before, after] = [sentMs(trace), sentMs(doubted)];
        expect(after.every((ms, i) => ms <= (before[i] ?? 0))).toBe(true);
        expect(after).toEqual(after.toSorted((a, b) => a - b));
      }),
    );
  });
});

/** How a service pauses. */
interface Pauses {
  /** Milliseconds from the end of one to the next, and how long one lasts, from a number in 0 … 1. */
  readonly gapMs: (random: number) => number;
  readonly lastsMs: (random: number) => number;
  /** Whether its clock leaves them out (HAProxy, from 100 ms on, where they begin while it works). */
  readonly areLeftOut: boolean;
}

const short: Pauses = {
  gapMs: (random) => 200 + random * 1_500,
  lastsMs: (random) => random ** 2 * 100,
  areLeftOut: false,
};
const leftOut: Pauses = {
  gapMs: (random) => 500 + random * 6_000,
  lastsMs: (random) => 130 + random * 300,
  areLeftOut: true,
};

/** A program that works is given requests so near each other. */
const busyMs = 30;

/** A service that pauses at some requests, and reckons what comes meanwhile by the clock of before. */
function pausing(truth: Truth, { areLeftOut, gapMs, lastsMs }: Pauses): Truth {
  return {
    ...truth,
    make: (limit, windowMs, world) => {
      const service = truth.make(limit, windowMs, world);
      let lastMs = Number.NEGATIVE_INFINITY;
      let [fromMs, toMs, nextMs] = [0, 0, gapMs(world.random())];
      let [beforeMs, leftOutMs] = [0, 0];
      return (): SimulatedService => {
        const serve = service();
        return (ms) => {
          const isBusy = ms - lastMs <= busyMs;
          lastMs = ms;
          if (ms >= nextMs && (isBusy || !areLeftOut)) {
            [fromMs, toMs] = [ms, ms + lastsMs(world.random())];
            nextMs = toMs + gapMs(world.random());
            beforeMs = leftOutMs;
            if (areLeftOut) leftOutMs += toMs - fromMs;
          }
          const pauseMs = Math.max(0, toMs - ms);
          // Within a pause its clock shows when it began.
          const shownMs = pauseMs > 0 ? fromMs - beforeMs : ms - leftOutMs;
          const { delayMs, passes } = serve(shownMs);
          return { passes, delayMs: pauseMs + delayMs };
        };
      };
    },
  };
}

const scale = { limit: 40, windowMs: 2_000 };

/** What is inferred of a service that pauses, for several seeds. */
function inferred(name: string, pauses: Pauses): readonly { seed: number; truth: Survivor | undefined }[] {
  const truth = truths[name];
  if (truth === undefined) throw new Error(`no service is a ${name}`);
  return Array.from({ length: times(2, 8) }, (_, at) => at + 1).map((seed) => {
    const study = new SimulatedStudy(pausing(truth, pauses), scale, seed);
    for (const probe of ['E', 'B', 'G', 'F'] as const) study.probe(probe);
    const { survivors } = study.infer();
    return { seed, truth: survivors.find(({ algorithm }) => truth.names.includes(algorithm)) };
  });
}

describe('a limiter whose program stands still is not refuted', () => {
  it.each(['token bucket', 'GCRA', 'block after a rejection', 'fixed window, first request'])(
    '%s',
    (name) => {
      const refutedBy = inferred(name, short).filter(({ truth }) => truth === undefined);
      expect(refutedBy, 'seeds whose traces refute the truth').toEqual([]);
    },
  );
});

describe('a limiter whose clock leaves out pauses is not refuted, and its window lies within the bounds', () => {
  it.each([
    'sliding counter, started by a request',
    'sliding counter, started by a request, rejections count',
    'fixed window, first request',
  ])('%s', (name) => {
    const wrong = inferred(name, leftOut).filter(({ truth }) => {
      const { max = Number.POSITIVE_INFINITY, min = 0 } = truth?.windowMsBounds ?? {};
      return truth === undefined || min > scale.windowMs || max < scale.windowMs;
    });
    expect(wrong).toEqual([]);
  });
});

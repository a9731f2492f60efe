import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProbeKind } from '../../src/limits/probes.ts';
import { withStandingClock } from '../../src/limits/standing-clock.ts';
import { admitted, ambiguous, type RequestOutcome, type Trace, traceOf } from '../../src/limits/trace.ts';
import { SimulatedStudy } from './probing.ts';
import type { SimulatedService, Truth } from './services.ts';
import { truths } from './services.ts';

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

/** A service that stands still for up to 100 ms now and then, and reckons what came meanwhile by the clock of before. */
function standingStill(truth: Truth): Truth {
  return {
    ...truth,
    make: (limit, windowMs, world) => {
      const service = truth.make(limit, windowMs, world);
      const stands: [fromMs: number, toMs: number][] = [];
      let drawnMs = 0;
      return (): SimulatedService => {
        const serve = service();
        return (ms) => {
          while (drawnMs < ms + 5_000) {
            const fromMs = drawnMs + 200 + world.random() * 1_500;
            drawnMs = fromMs + world.random() ** 2 * 100;
            stands.push([fromMs, drawnMs]);
          }
          const [fromMs, toMs] = stands.findLast(([from, to]) => from <= ms && ms < to) ?? [ms, ms];
          const { delayMs, passes } = serve(fromMs);
          return { passes, delayMs: toMs - ms + delayMs };
        };
      };
    },
  };
}

describe('a limiter whose program stands still is not refuted', () => {
  const probes: readonly ProbeKind[] = ['E', 'B', 'G', 'F'];

  it.each(['token bucket', 'GCRA', 'block after a rejection', 'fixed window, first request'])(
    '%s',
    (name) => {
      const truth = truths[name];
      if (truth === undefined) throw new Error(`no service is a ${name}`);
      const refutedBy = [1, 2, 3, 4, 5, 6, 7, 8].filter((seed) => {
        const study = new SimulatedStudy(standingStill(truth), { limit: 40, windowMs: 2_000 }, seed);
        for (const probe of probes) study.probe(probe);
        return !study.infer().survivors.some(({ algorithm }) => truth.names.includes(algorithm));
      });
      expect(refutedBy, 'seeds whose traces refute the truth').toEqual([]);
    },
  );
});

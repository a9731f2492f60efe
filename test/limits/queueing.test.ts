import { describe, expect, it } from 'vitest';
import { inferLimiter } from '../../src/limits/infer.ts';
import { isSettled } from '../../src/limits/inference.ts';
import { type ProbeKind, probeSchedule } from '../../src/limits/probes.ts';
import { admitted, ambiguous, limited, outOfScope, type RequestOutcome } from '../../src/limits/trace.ts';
import { type Random, randomStream } from '../../src/random.ts';
import { rowsOf, times } from '../effort.ts';
import { SimulatedStudy } from './probing.ts';
import type { SimulatedService, Truth } from './services.ts';
import { honestLimiters } from './simulate.ts';
import { type TraceRequest, traceOf } from './trace-of.ts';

const scale = { limit: 40, windowMs: 2_000 };
const probes: readonly ProbeKind[] = ['E', 'B'];
const seeds = Array.from({ length: times(2, 10) }, (_, n) => n + 1);

/** A limiter that refuses at once, before a service that stands still now and then and then works off what has come, in turn. */
function beforeStalls(limiter: keyof typeof honestLimiters, everyMs: number, stallMs: number): Truth {
  return {
    names: [],
    make: (limit, windowMs, { random }) => {
      const phaseMs = random() * everyMs;
      return (): SimulatedService => {
        const passes = honestLimiters[limiter].make(limit, windowMs, random);
        let freeMs = 0;
        return (ms) => {
          if (!passes(ms)) return { passes: false, delayMs: 0 };
          const intoMs = (ms + phaseMs) % everyMs;
          const standsMs = intoMs < stallMs ? stallMs - intoMs : 0;
          freeMs = Math.max(freeMs, ms + standsMs) + 3;
          return { passes: true, delayMs: freeMs - ms };
        };
      };
    },
  };
}

describe('a limiter before a service that stalls is not taken for a queue', () => {
  it.each(
    rowsOf(
      [
        ['token bucket', 'token bucket', 1_700, 400],
        ['token bucket, and rare long stalls', 'token bucket', 5_300, 1_200],
        ['sliding log', 'sliding log', 1_700, 400],
        ['fixed window', 'fixed window, first request', 2_900, 700],
      ] as const,
      ([sentence]) => /^token bucket, and|^fixed/.test(sentence),
    ),
  )('%s', (_, limiter, everyMs, stallMs) => {
    const named = seeds.map((seed) => {
      const study = new SimulatedStudy(beforeStalls(limiter, everyMs, stallMs), scale, seed);
      for (const probe of probes) study.probe(probe);
      const inference = study.infer();
      return isSettled(inference) ? inference.survivors[0]?.algorithm : 'undecided';
    });
    expect(named, `by seeds ${seeds.join(' ')}`).not.toContain('queueing');
  });
});

/**
 * Probe E of a sliding window that lets requests wait in place of rejecting them. Who waits tries again when the oldest
 * request leaves the window, all at once and in any order. After `giveUpMs` the client has no answer.
 */
function heldRequests(
  { limit, windowMs }: typeof scale,
  random: Random,
  giveUpMs = Infinity,
): TraceRequest[] {
  const sent = probeSchedule('E', { limit, windowMs }, random).map(({ atMs }) => atMs);
  const left = sent.map((atMs, k) => ({ atMs, turn: random(), k }));
  const passed: number[] = [];
  const answeredMs: number[] = [];
  while (left.length > 0) {
    const freeMs = passed.length < limit ? 0 : (passed.at(-limit) as number) + windowMs;
    const firstMs = Math.max(freeMs, Math.min(...left.map(({ atMs }) => atMs)));
    const next = left.filter(({ atMs }) => atMs <= firstMs).toSorted((a, b) => a.turn - b.turn)[0];
    if (next === undefined) throw new Error('somebody has come by then');
    left.splice(left.indexOf(next), 1);
    passed.push(firstMs);
    answeredMs[next.k] = firstMs + 2 + random();
  }
  return sent.map((atMs, k) => {
    const isLate = (answeredMs[k] as number) - atMs > giveUpMs;
    return requestAt(
      atMs,
      isLate ? giveUpMs + windowMs : (answeredMs[k] as number) - atMs,
      isLate ? ambiguous : admitted,
    );
  });
}

function requestAt(sentMs: number, tookMs: number, outcome: RequestOutcome): TraceRequest {
  return { seq: sentMs, sentNs: sentMs * 1e6, answeredNs: (sentMs + tookMs) * 1e6, outcome };
}

/** Requests of a set-up, all answered at once. */
function setUp(count: number, outcome: RequestOutcome): TraceRequest[] {
  return Array.from({ length: count }, (_, k) => requestAt(-20_000 + 100 * k, 2, outcome));
}

describe('requests that wait for a place in a window', () => {
  it.each([
    ['that are all answered', 0, Infinity, [], 'queueing'],
    ['of which some are given up', 0, 1.1 * scale.windowMs, [], 'queueing'],
    ['after a long set-up under a limit of its own, perhaps', 60, Infinity, [outOfScope], 'queueing'],
    ['after a set-up with answers that may be rejections', 60, Infinity, [ambiguous], undefined],
  ] as const)('%s', (_, count, giveUpMs, [outcome = outOfScope], expected) => {
    const named = seeds.map((seed) => {
      const held = heldRequests(scale, randomStream(seed, 'held'), giveUpMs);
      const { survivors } = inferLimiter([traceOf([...setUp(count, outcome), ...held])]);
      return survivors.map(({ algorithm }) => algorithm);
    });
    expect(named, `by seeds ${seeds.join(' ')}`).toEqual(seeds.map(() => (expected ? [expected] : [])));
  });
});

/** A volley from idle, then 25 a second: nginx's `limit_req` of 1,000 a minute with room for 60 more, of which `delay` do not wait. */
function delayedBeyond(delay: number, random: Random): TraceRequest[] {
  const perMs = 1_000 / 60_000;
  const volley = Array.from({ length: 80 }, (_, k) => 3 * k + random());
  const steadily = Array.from({ length: 600 }, (_, k) => 15_000 + 40 * (k + random()));
  let [excess, lastMs] = [0, 0];
  return [...volley, ...steadily]
    .toSorted((a, b) => a - b)
    .map((ms) => {
      const next = Math.max(0, excess - (ms - lastMs) * perMs) + 1;
      if (next - 1 > 60) return requestAt(ms, 3, limited);
      [excess, lastMs] = [next, ms];
      return requestAt(ms, 3 + Math.max(0, next - 1 - delay) / perMs, admitted);
    });
}

describe('a queue that rejects when full', () => {
  it.each([0, 8, 20, 25])('is named where %i requests pass at once, before others wait', (delay) => {
    for (const seed of seeds) {
      const { survivors } = inferLimiter([traceOf(delayedBeyond(delay, randomStream(seed, 'delay')))]);
      expect(survivors[0], `seed ${seed}`).toMatchObject({ algorithm: 'queueing', limit: 61 });
    }
  });
});

describe('answers without a rejection', () => {
  it.each([
    ['show no limit, whatever else was sent', [...setUp(100, admitted), ...setUp(60, outOfScope)], ['none']],
    ['show nothing where every tenth is unclear', [...setUp(90, admitted), ...setUp(10, ambiguous)], []],
    ['show nothing of a limit that may count none of them', setUp(100, outOfScope), []],
  ] as const)('%s', (_, requests, expected) => {
    expect(inferLimiter([traceOf(requests)]).survivors.map(({ algorithm }) => algorithm)).toEqual(expected);
  });
});

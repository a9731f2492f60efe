import { describe, expect, it } from 'vitest';
import { isSettled } from '../../src/limits/inference.ts';
import type { ProbeKind } from '../../src/limits/probes.ts';
import { times } from '../effort.ts';
import { SimulatedStudy } from './probing.ts';
import type { SimulatedService, Truth } from './services.ts';
import { honestLimiters } from './simulate.ts';

const scale = { limit: 40, windowMs: 2_000 };
const probes: readonly ProbeKind[] = ['E', 'B'];
const seeds = Array.from({ length: times(3, 10) }, (_, n) => n + 1);

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
  it.each([
    ['token bucket', 'token bucket', 1_700, 400],
    ['token bucket, and rare long stalls', 'token bucket', 5_300, 1_200],
    ['sliding log', 'sliding log', 1_700, 400],
    ['fixed window', 'fixed window, first request', 2_900, 700],
  ] as const)('%s', (_, limiter, everyMs, stallMs) => {
    const named = seeds.map((seed) => {
      const study = new SimulatedStudy(beforeStalls(limiter, everyMs, stallMs), scale, seed);
      for (const probe of probes) study.probe(probe);
      const inference = study.infer();
      return isSettled(inference) ? inference.survivors[0]?.algorithm : 'undecided';
    });
    expect(named, `by seeds ${seeds.join(' ')}`).not.toContain('queueing');
  });
});

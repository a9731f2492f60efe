import { describe, expect, it } from 'vitest';
import { stillPossible } from '../../../src/checks/rate-limit/headers/limiter.ts';
import type { Survivor } from '../../../src/limits/inference.ts';

const promised = { requests: 1_000, windowNs: 60e9 };

function survivor(
  name: string,
  confidence: number,
  limit: [number, number],
  windowMs: [number, number],
): Survivor {
  return {
    algorithm: name,
    name,
    confidence,
    limit: limit[1],
    windowMs: windowMs[1],
    burst: null,
    refillPerS: null,
    phase: null,
    rejectsCount: null,
    limitBounds: { min: limit[0], max: limit[1] },
    windowMsBounds: { min: windowMs[0], max: windowMs[1] },
    mismatches: 0,
    settled: { kind: 'fixed-window', limit: 1, scaleNs: 1, boundaryNs: 0 },
  };
}

describe('kinds that headers are held against', () => {
  const likely = survivor('likely', 0.49, [841, 962], [29_098, 33_971]);

  it.each<[string, Survivor, boolean]>([
    ['explains the promise', survivor('other', 0.0085, [903, 1_000], [59_873, 82_166]), true],
    ['has another limit', survivor('other', 0.0085, [903, 999], [59_873, 82_166]), false],
    ['has another window', survivor('other', 0.0085, [903, 1_000], [70_000, 82_166]), false],
    ['is not unlikely', survivor('other', 0.01, [1, 2], [1, 2]), true],
  ])('include an unlikely kind that %s: %o', (_, other, isPossible) => {
    const names = stillPossible([likely, other], promised).map(({ name }) => name);
    expect(names).toEqual(isPossible ? ['likely', 'other'] : ['likely']);
  });
});

import { describe, expect, it } from 'vitest';
import { isSettled, type LimiterInference, limiterJson, type Survivor } from '../../src/limits/inference.ts';
import {
  measuringProbe,
  nextProbe,
  type ProbeKind,
  probeKinds,
  probeSchedule,
  probeWindows,
  reachingProbe,
  scaleOf,
  silenceAfter,
} from '../../src/limits/probes.ts';

const scale = { limit: 100, windowMs: 10_000 };
/** The middle of each slot. */
const middle = (): number => 0.5;

function survivor(algorithm: string, confidence: number, others: Partial<Survivor> = {}): Survivor {
  return {
    algorithm,
    name: algorithm,
    limit: 100,
    windowMs: 10_000,
    burst: 100,
    refillPerS: null,
    phase: null,
    rejectsCount: false,
    limitBounds: { min: 100, max: 100 },
    windowMsBounds: { min: 10_000, max: 10_000 },
    mismatches: 0,
    confidence,
    settled: {
      kind: algorithm,
      limit: 100,
      scaleNs: algorithm === 'token-bucket' ? 0.1e9 : 10e9,
      boundaryNs: 0,
    },
    ...others,
  };
}

function inference(...survivors: readonly Survivor[]): LimiterInference {
  return { requests: 1_000, admitted: 900, limited: 100, survivors, refuted: [] };
}

describe('a probe', () => {
  it.each<[ProbeKind, number, number, number, number]>([
    // Requests with each key, and when the first and the last is sent.
    ['A', 408, 0, 2, 12_479],
    ['B', 400, 0, 42, 20_779],
    ['C', 217, 0, 2, 10_748],
    ['D', 278, 240, 2, 14_157],
    ['E', 376, 0, 2, 18_398],
    ['F', 277, 0, 2, 41_500],
    ['G', 136, 134, 2, 26_286],
    ['H', 221, 0, 5_000, 18_488],
  ])(
    '%s sends %d and %d requests from %d ms to %d ms after its start',
    (kind, first, second, fromMs, toMs) => {
      const sends = probeSchedule(kind, scale, middle);
      const count = (key: 0 | 1): number => sends.filter((send) => send.key === key).length;
      expect([count(0), count(1)]).toEqual([first, second]);
      const at = sends.map(({ atMs }) => atMs);
      expect(at).toEqual(at.toSorted((a, b) => a - b));
      // One request alone is sent first by probe C.
      expect([Math.round(at[kind === 'C' ? 1 : 0] ?? 0) >= fromMs, Math.round(at.at(-1) ?? 0)]).toEqual([
        true,
        toMs,
      ]);
      expect(toMs).toBeLessThanOrEqual(probeWindows[kind] * 10_000);
    },
  );

  it('C begins with one request alone', () => {
    expect(
      probeSchedule('C', scale, middle)
        .slice(0, 2)
        .map(({ atMs }) => Math.round(atMs)),
    ).toEqual([0, 7_502]);
  });

  it('sends each request within its slot, and at least one in each stretch', () => {
    const [early, late] = [0, 0.999].map((part) =>
      probeSchedule('H', { limit: 1, windowMs: 1_000 }, () => part),
    );
    expect(early?.map(({ atMs }) => Math.round(atMs))).toEqual([500, 1_300, 1_575]);
    expect(late?.map(({ atMs }) => Math.round(atMs))).toEqual([500, 1_575, 1_850]);
    expect(probeSchedule('A', { limit: 0.1, windowMs: 1_000 }, middle)).toHaveLength(2);
  });

  it('is followed by a silence of more than a window, and of no multiple of one', () => {
    expect([0, 1].map((part) => silenceAfter(scale, () => part))).toEqual([12_900, 16_000]);
  });
});

describe('the next probe', () => {
  const fixed = survivor('fixed-window', 0.5);
  const log = survivor('sliding-log', 0.5);

  it('is the one with which the survivors differ most, and a repetition is worth a fifth of it', () => {
    const best = nextProbe(inference(fixed, log));
    expect(best).toBeDefined();
    expect(nextProbe(inference(fixed, log), [best as ProbeKind])).not.toBe(best);
    expect(nextProbe(inference(fixed, log), [], undefined, [best as ProbeKind])).toBe(best);
  });

  it('tells a window from a trailing one by a burst on either side of its end', () => {
    expect(
      nextProbe(inference(survivor('fixed-window-first-request', 0.5), log), [], undefined, ['A', 'C', 'H']),
    ).toBe('C');
  });

  it('is E where nothing is known, and then those not sent yet, until two are sent and one kind is sure', () => {
    expect(nextProbe(inference())).toBe('E');
    expect(nextProbe(inference(), ['E'])).toBe('F');
    expect(nextProbe(inference(), ['E', 'F'])).toBe('B');
    expect(nextProbe(inference(), [], undefined, ['B', 'A'])).toBe('B');
    const { settled: _, ...sure } = survivor('none', 0.96);
    expect(nextProbe(inference(sure), ['E'])).toBe('F');
    expect(nextProbe(inference(sure), ['E', 'F'])).toBeUndefined();
  });

  it('is none where one kind is left, or where kinds that are left decide alike', () => {
    expect(nextProbe(inference(survivor('sliding-log', 1)))).toBeUndefined();
    const twins = inference(survivor('sliding-log', 0.96), survivor('sliding-log', 0.04));
    expect(nextProbe(twins)).toBeUndefined();
  });

  it('is one not sent yet where kinds decide alike and none is sure', () => {
    const twins = inference(survivor('sliding-log', 0.5), survivor('sliding-log', 0.5));
    expect(nextProbe(twins)).toBe('E');
    expect(nextProbe(twins, ['E', 'F', 'B', 'G', 'D', 'C', 'A'])).toBeUndefined();
  });

  it('is at the scale of the likeliest, or of a thousand a minute', () => {
    expect(scaleOf(fixed)).toEqual({ limit: 100, windowMs: 10_000 });
    expect(scaleOf({ ...fixed, limit: null, windowMs: null })).toEqual({ limit: 1_000, windowMs: 60_000 });
  });

  it('is always one of those for which there is time', () => {
    for (const kind of probeKinds)
      expect([kind, undefined]).toContain(nextProbe(inference(fixed, log), [], scale, [kind]));
  });
});

describe('a probe that measures', () => {
  const vague = { windowMsBounds: { min: 10_000, max: 10_200 } };
  const pair = {
    beside: {
      limit: 10,
      windowMs: 1_000,
      limitBounds: { min: 10, max: 10 },
      windowMsBounds: { min: 1_000, max: 1_100 },
    },
  };

  it.each<[string, Survivor, readonly ProbeKind[], ProbeKind | undefined]>([
    ['is H for a vague window that rejections extend', survivor('extended-by-refusals', 1, vague), [], 'H'],
    ['is H for a vague window before a block', survivor('block-after-refusal', 1, vague), ['A', 'B'], 'H'],
    ['is sent once', survivor('extended-by-refusals', 1, vague), ['H'], undefined],
    [
      'is none for a window known to a hundredth',
      survivor('extended-by-refusals', 1, { windowMsBounds: { min: 10_000, max: 10_100 } }),
      [],
      undefined,
    ],
    [
      'is H for a window without an upper bound',
      survivor('extended-by-refusals', 1, { windowMsBounds: { min: 10_000 } }),
      [],
      'H',
    ],
    ['is none for other kinds', survivor('sliding-log', 1, vague), [], undefined],
    ['is B for a pair of limits', survivor('two-limits', 1, pair), ['A'], 'B'],
    ['is none for a known pair after B', survivor('two-limits', 1, pair), ['B'], undefined],
    [
      'is A for a vague pair after B',
      survivor('two-limits', 1, { ...pair, windowMsBounds: { min: 1_000, max: 1_201 } }),
      ['B'],
      'A',
    ],
    [
      'is none for a pair known to a fifth',
      survivor('two-limits', 1, { ...pair, windowMsBounds: { min: 1_000, max: 1_200 } }),
      ['B'],
      undefined,
    ],
    [
      'is H for a vague pair after B and A',
      survivor('two-limits', 1, { ...pair, limitBounds: { min: 10 } }),
      ['B', 'A'],
      'H',
    ],
    [
      'is none for a vague pair after all',
      survivor('two-limits', 1, { ...pair, limitBounds: { min: 10 } }),
      ['B', 'A', 'H', 'C', 'E'],
      undefined,
    ],
  ])('%s', (_, best, already, expected) => {
    expect(measuringProbe(inference(best), already)).toBe(expected);
  });

  it('is none without a survivor', () => {
    expect(measuringProbe(inference(), [])).toBeUndefined();
  });
});

describe('a probe that reaches the promised limit', () => {
  it.each<[string, Partial<Survivor>, ProbeKind | undefined]>([
    ['is B where a smaller limit with a higher rate is found', { limit: 50, windowMs: 1_000 }, 'B'],
    ['is none where the rate is no higher', { limit: 50, windowMs: 5_000 }, undefined],
    ['is none where the limit is no smaller', { limit: 100, windowMs: 1_000 }, undefined],
    ['is none where no limit is found', { limit: null }, undefined],
    ['is none where no window is found', { windowMs: null }, undefined],
  ])('%s', (_, found, expected) => {
    expect(reachingProbe(inference(survivor('sliding-log', 1, found)), scale)).toBe(expected);
  });

  it('is none without a survivor', () => {
    expect(reachingProbe(inference(), scale)).toBeUndefined();
  });
});

describe('an inference', () => {
  it('is settled where one kind is likely enough', () => {
    expect(
      [0.95, 0.949].map((confidence) => isSettled(inference(survivor('sliding-log', confidence)))),
    ).toEqual([true, false]);
    expect([isSettled(inference(survivor('sliding-log', 0.6)), 0.6), isSettled(inference())]).toEqual([
      true,
      false,
    ]);
  });

  it('is written with the likeliest kind', () => {
    const refuted = [{ algorithm: 'fixed-window', because: 'It is not.', evidence: [1] }];
    const best = survivor('block-after-refusal', 0.9, { blockMs: 4_000, phase: 'unaligned', refillPerS: 3 });
    expect(limiterJson({ ...inference(best, survivor('sliding-log', 0.1)), refuted })).toEqual({
      algorithm: 'block-after-refusal',
      window_ms: 10_000,
      limit: 100,
      burst: 100,
      refill_per_s: 3,
      phase: 'unaligned',
      rejects_count: false,
      block_ms: 4_000,
      confidence: 0.9,
      refuted,
    });
  });

  it('is written with nulls where no kind survives', () => {
    expect(limiterJson(inference())).toEqual({
      algorithm: null,
      window_ms: null,
      limit: null,
      burst: null,
      refill_per_s: null,
      phase: null,
      rejects_count: null,
      confidence: 0,
      refuted: [],
    });
  });
});

import { describe, expect, it } from 'vitest';
import { inferLimiter } from '../../src/limits/infer.ts';
import { isSettled, limiterJson } from '../../src/limits/inference.ts';
import { nextProbe } from '../../src/limits/probes.ts';
import { admitted, ambiguous, limited } from '../../src/limits/trace.ts';
import { fullBudget, probeAdaptively, SimulatedStudy } from './probing.ts';
import { type Truth, truths } from './services.ts';
import { type TraceRequest, traceOf } from './trace-of.ts';

/** Small enough for many traces: 40 in 2.4 s stands for 1,000 in 60 s. The figures of the whole study are in docs/accuracy.md. */
const small = { limit: 40, windowMs: 2_400 };

function infer(truth: Truth, seed: number, scale = small) {
  const study = new SimulatedStudy(truth, scale, seed);
  for (const probe of fullBudget) study.probe(probe);
  return study.infer();
}

function truthNamed(name: string): Truth {
  const truth = truths[name];
  if (truth === undefined) throw new Error(`no simulated service is called ${name}`);
  return truth;
}

describe('limit and window, of which nothing is known beforehand', () => {
  it.each(['fixed window, clock-aligned', 'sliding log', 'token bucket'])(
    'are found within 0.5 %% for a %s',
    (name) => {
      const best = limiterJson(infer(truthNamed(name), 7, { limit: 250, windowMs: 11_000 }));
      expect(best.limit).toBeGreaterThanOrEqual(249);
      expect(best.limit).toBeLessThanOrEqual(251);
      expect(Math.abs((best.window_ms ?? 0) / 11_000 - 1)).toBeLessThan(0.005);
    },
  );

  it('say of a window of a second that it is one', () => {
    const best = limiterJson(infer(truthNamed('fixed window of a second'), 3));
    expect(best).toMatchObject({ algorithm: 'fixed-window', limit: 17 });
    expect(Math.abs((best.window_ms ?? 0) - 1_000)).toBeLessThan(5);
  });
});

describe('where windows begin', () => {
  it('is on the clock where the Date headers allow it', () => {
    expect(limiterJson(infer(truthNamed('fixed window, clock-aligned'), 5)).phase).toBe('clock-aligned');
  });

  it('is told from a grid that has nothing to do with the clock', () => {
    expect(limiterJson(infer(truthNamed('fixed window, any phase'), 5)).phase).toBe('unaligned');
  });
});

describe('three nodes that count for themselves', () => {
  it('are recognised by rejections among admissions, and their limits added up', () => {
    const best = limiterJson(infer(truthNamed('three nodes'), 2, { limit: 120, windowMs: 6_000 }));
    expect(best).toMatchObject({ algorithm: 'several-nodes', limit: 120 });
  });
});

describe('a refutation', () => {
  it('names the requests that contradict each other, and why', () => {
    const { refuted } = infer(truthNamed('sliding log'), 1);
    const window = refuted.find(({ algorithm }) => algorithm === 'fixed-window');
    expect(window?.because).toMatch(
      /needs a limit of at least \d+, and rejecting request \d+ one of at most \d+/,
    );
    expect(window?.evidence).toHaveLength(2);
  });

  it('serialises', () => {
    const json = limiterJson(infer(truthNamed('token bucket'), 1));
    expect(JSON.parse(JSON.stringify(json))).toEqual(json);
  });
});

describe('too little evidence', () => {
  it('leaves nothing when nothing was sent', () => {
    expect(inferLimiter([])).toMatchObject({ requests: 0, survivors: [] });
  });

  it('leaves many kinds when one burst is all there is', () => {
    const burst = Array.from(
      { length: 60 },
      (_, k) =>
        ({
          seq: k + 1,
          sentNs: k * 10e6,
          answeredNs: k * 10e6 + 5e6,
          outcome: k < 40 ? admitted : limited,
        }) satisfies TraceRequest,
    );
    const inference = inferLimiter([traceOf(burst)]);
    expect(inference.survivors.length).toBeGreaterThan(5);
    expect(isSettled(inference)).toBe(false);
    expect(nextProbe(inference)).toBeDefined();
  });
});

describe('rejections with an unexpected status', () => {
  it('are no proof of a service without a limit', () => {
    const study = new SimulatedStudy(truthNamed('token bucket'), small, 1);
    study.probe('E');
    const unread = study.traces().map((trace) => ({
      ...trace,
      outcome: trace.outcome.map((each) => (each === limited ? ambiguous : each)),
    }));
    expect(inferLimiter(unread).survivors).toEqual([]);
  });
});

describe('a block that lasts longer than the window', () => {
  it('is found beside it', () => {
    const best = infer(truthNamed('block for one and a half windows'), 1).survivors[0];
    expect(best?.algorithm).toBe('block-after-refusal');
    expect(best?.blockMsBounds?.min).toBeLessThanOrEqual(3_600);
    expect(best?.blockMsBounds?.max).toBeGreaterThanOrEqual(3_600);
    expect(best?.windowMsBounds?.min).toBeLessThanOrEqual(2_400);
    expect(best?.windowMsBounds?.max).toBeGreaterThanOrEqual(2_400);
  });
});

describe('the adaptive prober', () => {
  it('stops early when one kind is left', () => {
    const study = new SimulatedStudy(truthNamed('fixed window, first request'), small, 4);
    const { inference, probes } = probeAdaptively(study, 6);
    expect(probes.length).toBeLessThan(5);
    expect(inference.survivors[0]?.algorithm).toBe('fixed-window-first-request');
  });
});

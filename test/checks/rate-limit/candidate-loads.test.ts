import { describe, expect, it } from 'vitest';
import { candidateLoads } from '../../../src/checks/rate-limit/study/candidate-loads.ts';
import type { LimiterFindings } from '../../../src/checks/rate-limit/study/findings.ts';
import { limiterFindings } from '../../../src/checks/rate-limit/study/findings.ts';
import { studySlots, trailingAdmitted } from '../../../src/checks/rate-limit/study/time-slots.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';
import { SimulatedStudy } from '../../limits/probing.ts';
import { truths } from '../../limits/services.ts';
import { limitsHistory } from '../../report/limits-sample.ts';

const slots = { fromNs: 0, widthNs: 0.25e9, count: 200 };
const promised = { requests: 60, windowMs: 3_000 };

/** What a study of a simulated target finds out with two probes. */
function findingsOf(truth: keyof typeof truths): LimiterFindings {
  const made = truths[truth];
  if (made === undefined) throw new Error(`no simulated target is called ${truth}`);
  const study = new SimulatedStudy(made, { limit: promised.requests, windowMs: promised.windowMs }, 4);
  study.probe('E');
  study.probe('B');
  return {
    inference: study.infer(),
    traces: study.traces().filter((trace) => trace.length > 0),
    tried: [],
    scope: { per_key: null, per_address: null, per_endpoint: null, unauthenticated_counted: null },
    refusalStatus: 429,
    keysDiffer: false,
    rejected: 0,
    uneven: undefined,
    drift: undefined,
    asPromised: undefined,
  };
}

describe('what each kind of limiter would have counted', () => {
  it.each(['fixed window, any phase', 'sliding log', 'sliding counter', 'token bucket'])(
    'of a %s: the right kind less than its limit at admissions, others something impossible',
    (truth) => {
      const candidates = candidateLoads(findingsOf(truth), promised, slots);
      const [best] = candidates;
      expect(truths[truth]?.names).toContain(best?.algorithm);
      expect(best?.load?.contradicted).toBe(0);
      // Arrivals are guessed: one or two at the very edge may seem to have come in the other order.
      const highest = Math.max(...(best?.load?.admitted ?? []).map((load) => load ?? 0));
      expect(highest).toBeGreaterThan(50);
      expect(highest).toBeLessThanOrEqual(62);
      const refuted = candidates.filter(
        ({ standing, load }) => standing.kind === 'refuted' && load !== undefined,
      );
      expect(refuted.length).toBeGreaterThan(4);
      // Of lumps, a lump's worth is left in doubt: enough to hide what a bucket does otherwise.
      const unseen = refuted.filter(({ load }) => load?.contradicted === 0).map(({ algorithm }) => algorithm);
      expect(unseen.filter((algorithm) => algorithm !== 'token-bucket-second-lumps')).toEqual([]);
    },
  );

  it('has a bounded number of points, whatever the number of requests', () => {
    for (const { load } of candidateLoads(findingsOf('sliding log'), promised, { ...slots, count: 7 })) {
      for (const points of [load?.admitted, load?.refused, load?.wrong])
        expect(points === undefined || points.length === 7).toBe(true);
    }
  });

  it('is not said of kinds that count nothing', () => {
    const candidates = candidateLoads(findingsOf('sliding log'), promised, slots);
    const drawn = new Map(candidates.map(({ algorithm, load }) => [algorithm, load !== undefined]));
    expect(Object.fromEntries(drawn)).toMatchObject({ none: false, queueing: false, 'token-bucket': true });
  });
});

describe('what was admitted in the trailing window', () => {
  it('is counted key by key, and by slot the most', async () => {
    const s = 1e9;
    const request = (atS: number, credential: 'load' | 'bystander', status = 200): SampleRequest => ({
      endpoint: 'list-shades',
      stage: 'study',
      phase: 'limits: probe E',
      credential,
      sentNs: atS * s,
      status,
    });
    const keys = await withHistory(
      {
        run: { studies: [{ kind: 'limits', budget_ms: 1 }] },
        profile: { rate_limit: '2/2s' },
        requests: [
          request(0, 'load'),
          request(0.5, 'load'),
          request(1, 'load', 429),
          request(2.2, 'load'),
          request(3.5, 'bystander'),
          request(8, 'load', 429),
        ],
      },
      async (history) => {
        const findings = await limiterFindings(history);
        const cut = await studySlots(history, 8);
        if (findings === undefined || cut === undefined) throw new Error('the run has a study');
        return trailingAdmitted(history, findings, cut);
      },
    );
    expect(keys).toEqual([
      { label: 'load', most: [2, 2, 2, 1, 1, 0, 0, 0] },
      { label: 'bystander', most: [null, null, null, 1, 1, 1, 0, 0] },
    ]);
  });

  it('has no slots where the study sent nothing', async () => {
    const run = { studies: [{ kind: 'limits' as const, budget_ms: 1 }] };
    expect(await withHistory({ run }, (history) => studySlots(history, 10))).toBeUndefined();
  });

  it('is the limit at most, of a sliding window', async () => {
    const most = await withHistory(limitsHistory(), async (history) => {
      const findings = await limiterFindings(history);
      const cut = await studySlots(history, 100);
      if (findings === undefined || cut === undefined) throw new Error('the run has a study');
      return (await trailingAdmitted(history, findings, cut)).map(({ label, most: all }) => [
        label,
        Math.max(...all.map((value) => value ?? 0)),
      ]);
    });
    expect(most).toEqual([
      ['load', 100],
      ['bystander', 100],
    ]);
  });
});

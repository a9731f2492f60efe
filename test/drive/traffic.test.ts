import { describe, expect, it } from 'vitest';
import { SessionSample } from '../../src/drive/ask/sample.ts';
import type { RequestRecord } from '../../src/history/record.ts';
import { exhaustQuota, idle, steady, together } from '../../src/scenario/load.ts';
import { type Behaviour, healthy, secretKey, sessionToken, simulate } from './virtual.ts';

const ms = 1e6;
const quick = { thinkTime: 0.05 };

/** Counts by status, or by why there is none. */
function outcomes(requests: readonly RequestRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, lost, notSent } of requests) {
    const outcome = String(status ?? lost ?? notSent);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

describe('traffic in the open model', () => {
  it('sends every slot at its intended instant, to the nanosecond, though nothing is answered for seconds', async () => {
    const { requests } = await simulate([steady('1200/min', '5s', { traffic: 'reads' })], healthy(3_000));
    expect(requests).toHaveLength(100);
    expect(requests.map((r) => r.sentNs).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 100 }, (_, k) => k * 50 * ms),
    );
  });

  it('shows all of a stall to requests during it: no request waits for the answer before', async () => {
    const [fromMs, toMs, latencyMs] = [3_000, 5_000, 5];
    const stalling: Behaviour = (request) => {
      const atMs = request.atNs / ms;
      const waitMs = atMs >= fromMs && atMs < toMs ? toMs - atMs : 0;
      return { afterMs: waitMs + latencyMs, status: 200, body: [] };
    };
    const { requests } = await simulate([steady('100/s', '20s', { traffic: 'reads' })], stalling);
    const responseMs = requests
      .map(({ answeredNs = 0, intendedNs }) => (answeredNs - intendedNs) / ms)
      .sort((a, b) => a - b);
    const quantile = (share: number): number => responseMs[Math.floor(share * responseMs.length)] ?? 0;
    // A tenth of 20 s is the stall: of the requests one in ten waits, evenly from 0 to 2 s.
    expect(quantile(0.89)).toBe(latencyMs);
    expect(quantile(0.95)).toBe(1_010 + latencyMs);
    expect(quantile(0.99)).toBe(1_810 + latencyMs);
  });

  it('records each planned request exactly once, whatever becomes of it', async () => {
    const flaky: Behaviour = (request) => {
      if (request.count % 7 === 0)
        return { afterMs: 5, error: Object.assign(new Error('x'), { code: 'ECONNRESET' }) };
      if (request.count % 11 === 0) return 'refuse-connection';
      if (request.count % 5 === 0) return { afterMs: 5, status: 429 };
      return healthy()(request);
    };
    const { requests, plan } = await simulate([steady('1200/min', '20s')], flaky, { shoppers: quick });
    const planned = requests.map((r) => r.planned).sort((a, b) => Number(a) - Number(b));
    expect(planned).toEqual([...plan.requests()].map(({ number }) => number).sort((a, b) => a - b));
    expect(Object.keys(outcomes(requests)).sort()).toEqual([
      '200',
      '202',
      '429',
      'no-connection',
      'no-session',
      'reset',
    ]);
    for (const { status, lost, notSent } of requests) {
      expect([status, lost, notSent].filter((each) => each !== undefined)).toHaveLength(1);
    }
  });

  it('lets events wait for a session that opens late, and counts the wait in response time, not in service time', async () => {
    const slow: Behaviour = (request) => {
      const answer = healthy()(request);
      const opens = request.method === 'POST' && !request.path.endsWith('/interactions');
      return opens && typeof answer === 'object' ? { ...answer, afterMs: 2_000 } : answer;
    };
    const { requests } = await simulate([steady('300/min', '5s'), idle('20s')], slow, {
      shoppers: { ...quick, patienceMedian: '60s', patienceSigma: 0 },
    });
    const waited = requests.filter((r) => r.endpoint === 'interact' && r.readyNs > r.intendedNs);
    expect(waited.length).toBeGreaterThan(5);
    for (const { answeredNs = 0, intendedNs, readyNs, sentNs = 0 } of waited) {
      expect(sentNs).toBe(readyNs);
      expect(answeredNs - sentNs).toBe(5 * ms);
      expect(answeredNs - intendedNs).toBeGreaterThan(5 * ms);
    }
  });

  const endings: readonly [
    what: string,
    behaviour: Behaviour,
    shoppers: object,
    expected: string,
    absent: string,
  ][] = [
    [
      'a shopper whose session was rejected sends no events',
      (request) => (request.method === 'POST' ? { afterMs: 5, status: 402 } : healthy()(request)),
      quick,
      'no-session',
      '202',
    ],
    [
      'a shopper leaves when the session takes longer than patience lasts',
      healthy(4_000),
      { ...quick, patienceMedian: '3s', patienceSigma: 0 },
      'patience',
      '202',
    ],
    [
      'a session with an invalid answer gives no token for events',
      (request) =>
        request.method === 'POST' ? { afterMs: 5, status: 200, body: { session_id: 7 } } : healthy()(request),
      quick,
      'no-session',
      '202',
    ],
  ];
  it.each(endings)('%s', async (_what, behaviour, shoppers, expected, absent) => {
    const { requests } = await simulate([steady('300/min', '10s'), idle('10s')], behaviour, { shoppers });
    const counts = outcomes(requests);
    expect(counts[expected]).toBeGreaterThan(10);
    expect(counts[absent]).toBeUndefined();
  });

  it('without an interaction channel opens sessions, and says why they have no events', async () => {
    const { requests } = await simulate([steady('300/min', '10s')], healthy(), {
      shoppers: quick,
      channel: false,
    });
    const acts = requests.filter((r) => r.endpoint === 'interact');
    expect(acts.length).toBeGreaterThan(10);
    expect(new Set(acts.map((r) => r.notSent))).toEqual(new Set(['no-channel']));
  });

  it('does not queue beyond the bound on requests in flight, and counts what it left out', async () => {
    const { requests } = await simulate([steady('600/min', '2s', { traffic: 'reads' })], healthy(60_000), {
      traffic: { inFlightBound: 5 },
    });
    expect(outcomes(requests)).toEqual({ '200': 5, 'in-flight-bound': 15 });
  });

  it('stopped half-way counts the rest of the plan as not sent, and lets what is in flight finish', async () => {
    const { requests } = await simulate([steady('600/min', '10s', { traffic: 'reads' })], healthy(500), {
      during: (clock, traffic) => clock.at(5_000 * ms, () => (traffic.stopped = 'interrupted')),
    });
    const counts = outcomes(requests);
    expect((counts['200'] ?? 0) + (counts.stopped ?? 0)).toBe(100);
    expect(counts['200']).toBeGreaterThanOrEqual(50);
    expect(counts['200']).toBeLessThanOrEqual(52);
  });

  it('ends, and says why, when this program itself fails on an answer', async () => {
    const broken = new Error('the sample is broken');
    const sample = new SessionSample(1, () => 0);
    sample.opened = () => {
      throw broken;
    };
    const { requests, traffic } = await simulate(
      [steady('600/min', '5s', { traffic: 'sessions' })],
      healthy(),
      {
        traffic: { sample },
      },
    );
    expect([traffic.stopped, traffic.failure]).toEqual(['error', broken]);
    expect(requests).toHaveLength(50);
  });

  it('spends exactly quota and beyond on the quota key, at its own pace beside other phases', async () => {
    const { requests } = await simulate(
      [together(steady('60/min', '5s', { traffic: 'reads' }), exhaustQuota({ rate: '600/min', beyond: 5 }))],
      healthy(),
    );
    const quota = requests.filter((r) => r.credential === 'quota');
    expect(quota.map((r) => r.intendedNs)).toEqual(Array.from({ length: 15 }, (_, k) => k * 100 * ms));
  });

  it('never puts a key or a token into a record', async () => {
    const { requests, interactions, answers } = await simulate([steady('600/min', '20s')], healthy(), {
      shoppers: quick,
    });
    const everything = JSON.stringify([requests, interactions, answers]);
    expect(interactions.length).toBeGreaterThan(50);
    expect(everything).not.toContain(secretKey);
    expect(everything).not.toContain(sessionToken(0).slice(0, -1));
  });
});

describe('the media type of an answer', () => {
  const shades =
    (type: string, status = 200): Behaviour =>
    () => ({ afterMs: 1, status, body: [], headers: { 'content-type': type } });
  const problems = async (behaviour: Behaviour): Promise<(string | undefined)[]> => {
    const { requests } = await simulate([steady('10/s', '300ms', { traffic: 'reads' })], behaviour);
    return requests.map(({ problem }) => problem);
  };

  it.each([
    ['application/json', undefined],
    ['application/json; charset=utf-8', undefined],
    ['Application/JSON;charset=UTF-8', undefined],
    ['text/html', 'content-type: expected application/json, got "text/html"'],
    ['application/jsonp', 'content-type: expected application/json, got "application/jsonp"'],
    ['', 'content-type: expected application/json, got ""'],
  ])('"%s" on a list of shades: %s', async (type, problem) => {
    expect(await problems(shades(type))).toEqual([problem, problem, problem]);
  });

  it('is not promised of a 4xx', async () => {
    expect(await problems(shades('text/html', 429))).toEqual([undefined, undefined, undefined]);
  });
});

import { describe, expect, it } from 'vitest';
import { latencyTable } from '../../src/checks/latency/table.ts';
import { checkLatency } from '../../src/checks/latency.ts';
import type { CheckResult, Verdict } from '../../src/checks/verdict.ts';
import type { Slo } from '../../src/history/run.ts';
import { type SampleRequest, withHistory } from '../history/sample.ts';

const ms = 1e6;

/** A request answered `responseMs` after it was intended, `serviceMs` after it was sent. */
function answered(responseMs: number, serviceMs = responseMs): SampleRequest {
  return {
    endpoint: 'create-session',
    phase: 'steady',
    intendedNs: 0,
    readyNs: 0,
    sentNs: (responseMs - serviceMs) * ms,
    answeredNs: responseMs * ms,
  };
}

/** Answers after 1, 2, … `count` ms. */
function ramp(count: number): SampleRequest[] {
  return Array.from({ length: count }, (_, index) => answered(index + 1));
}

const lost: SampleRequest = { endpoint: 'create-session', phase: 'steady', lost: 'timeout' };
const slo: Slo = { endpoint: 'create-session', percentile: 99, max_ms: 99 };

async function judgedSlo(requests: readonly SampleRequest[], bound: Slo): Promise<CheckResult | undefined> {
  const results = await withHistory({ run: { slo: [bound] }, requests }, checkLatency);
  return results.find((result) => result.id === 'latency.slo.1');
}

describe('a bound on response time', () => {
  it.each<[string, readonly SampleRequest[], Slo, Verdict, RegExp]>([
    [
      'is kept by 100 answers of which the 99th took just as long',
      ramp(100),
      slo,
      'pass',
      /p99 of 100 samples is 99 ms/,
    ],
    [
      'is broken when the 99th took longer',
      ramp(100),
      { ...slo, max_ms: 98.999 },
      'fail',
      /99 ms, over the bound of 98.999 ms/,
    ],
    [
      'on all endpoints counts every one',
      [
        ...ramp(100),
        ...Array.from({ length: 100 }, () => ({ ...answered(500), endpoint: 'analytics' }) as const),
      ],
      { ...slo, endpoint: '*' },
      'fail',
      /500 ms/,
    ],
    [
      'on one endpoint leaves the others out',
      [...ramp(100), { ...answered(9000), endpoint: 'analytics' }],
      slo,
      'pass',
      /99 ms/,
    ],
    [
      'in one phase leaves the others out',
      [...ramp(100), ...Array.from({ length: 50 }, () => ({ ...answered(9000), phase: 'spike' }))],
      { ...slo, phase: 'steady' },
      'pass',
      /99 ms/,
    ],
    [
      'counts response time and not service time',
      [...ramp(98), answered(2000, 5), answered(2000, 5)],
      slo,
      'fail',
      /2,000 ms/,
    ],
    [
      'leaves refused requests out',
      [...ramp(100), ...Array.from({ length: 50 }, () => ({ ...answered(9000), status: 429 }))],
      slo,
      'pass',
      /99 ms/,
    ],
    [
      'leaves contract probes out',
      [...ramp(100), { ...answered(9000), probe: 'batch-max' }, { ...answered(9000), probe: 'batch-max' }],
      slo,
      'pass',
      /99 ms/,
    ],
    [
      'takes a lost request for slower than any',
      [...ramp(98), lost, lost],
      slo,
      'fail',
      /never answered\. 2 requests without an answer/,
    ],
    [
      'bears one lost request in a hundred at p99',
      [...ramp(99), lost],
      slo,
      'pass',
      /99 ms, within 99 ms\. 1 request without/,
    ],
    [
      'leaves out what was in flight when the run was stopped',
      [...ramp(100), ...Array.from({ length: 9 }, () => ({ ...lost, lost: 'stopped' }) as const)],
      slo,
      'pass',
      /of 100 samples/,
    ],
    ['is not judged by no answer at all', [], slo, 'inconclusive', /no answer to measure/],
    [
      'at p99 is not judged by 99 answers',
      ramp(99),
      slo,
      'inconclusive',
      /99 samples are too few for a p99: that takes 100/,
    ],
    [
      'at p99.9 is not judged by 999 answers',
      ramp(999),
      { ...slo, percentile: 99.9 },
      'inconclusive',
      /that takes 1,000/,
    ],
    ['at p99.9 is judged by 1000', ramp(1000), { ...slo, percentile: 99.9, max_ms: 999 }, 'pass', /999 ms/],
    [
      'on the maximum is judged by one answer',
      ramp(1),
      { ...slo, percentile: 100 },
      'pass',
      /maximum of 1 sample is 1 ms/,
    ],
    [
      'at p50 is judged by two',
      ramp(2),
      { ...slo, percentile: 50, max_ms: 1 },
      'pass',
      /p50 of 2 samples is 1 ms/,
    ],
  ])('%s', async (_, requests, bound, verdict, explanation) => {
    const result = await judgedSlo(requests, bound);
    expect(result).toMatchObject({ verdict });
    expect(result?.explanation).toMatch(explanation);
  });

  it('names the slowest requests, slowest first', async () => {
    const result = await judgedSlo(ramp(120), slo);
    expect(result?.evidence).toEqual([
      { what: 'the slowest', seqs: [120, 119, 118, 117, 116, 115, 114, 113, 112, 111], total: 21 },
    ]);
  });
});

describe('the table of latencies', () => {
  const frozen = [
    ...Array.from({ length: 8 }, () => answered(10)),
    // The server stood still for two seconds; these were held up, and answered at once when they got through.
    answered(2000, 12),
    answered(1000, 11),
    { ...answered(3), status: 429 },
    { ...answered(9000), probe: 'bad-key:create-session', status: 401 },
    lost,
  ];

  it('keeps service and response time apart, by endpoint and exact status', async () => {
    const table = await withHistory({ requests: frozen }, latencyTable);
    expect(table).toEqual([
      {
        endpoint: 'create-session',
        status: 200,
        answers: 10,
        service: { p50Ms: 10, p90Ms: 11, p99Ms: 12, p999Ms: 12, maxMs: 12 },
        response: { p50Ms: 10, p90Ms: 1000, p99Ms: 2000, p999Ms: 2000, maxMs: 2000 },
      },
      {
        endpoint: 'create-session',
        status: 429,
        answers: 1,
        service: { p50Ms: 3, p90Ms: 3, p99Ms: 3, p999Ms: 3, maxMs: 3 },
        response: { p50Ms: 3, p90Ms: 3, p99Ms: 3, p999Ms: 3, maxMs: 3 },
      },
    ]);
  });

  it.each<[string, readonly SampleRequest[], RegExp]>([
    [
      'sent before it was meant to be',
      [{ ...answered(10), intendedNs: 5 * ms }],
      /1 with latencies that cannot be/,
    ],
    [
      'answered before it was sent',
      [{ ...answered(10), sentNs: 20 * ms, answeredNs: 10 * ms }],
      /1 with latencies that cannot be/,
    ],
  ])('with an answer %s fails, and blames the harness', async (_, odd, words) => {
    const [result] = await withHistory({ requests: [...frozen, ...odd] }, checkLatency);
    expect(result?.explanation).toMatch(/^A defect of the harness/);
    expect(result?.explanation).toMatch(words);
    expect(result).toMatchObject({ verdict: 'fail', evidence: [{ seqs: [14], total: 1 }] });
  });

  it('is shown by a result that passes, and says what that means', async () => {
    const [result] = await withHistory({ requests: frozen }, checkLatency);
    expect(result).toMatchObject({
      id: 'latency.table',
      verdict: 'pass',
      title: 'Every answer has both latencies, and response time is never under service time',
      explanation: expect.stringMatching(/^Measured for 11 answers; how long is too long is for the bounds/),
      observed: {
        'create-session': { 200: { answers: 10, 'response time, ms': { max: 2000, 'p99.9': 2000 } } },
      },
    });
  });

  it('of nothing is inconclusive', async () => {
    const [result] = await withHistory({ requests: [lost] }, checkLatency);
    expect(result).toMatchObject({ id: 'latency.table', verdict: 'inconclusive' });
  });
});

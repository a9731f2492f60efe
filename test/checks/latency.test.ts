import { describe, expect, it } from 'vitest';
import type { CheckFinding, Verdict } from '../../src/checks/core/verdict.ts';
import { latencyTable } from '../../src/checks/latency/table.ts';
import { checkLatency } from '../../src/checks/latency.ts';
import { type Reason, reason } from '../../src/checks/reasons/reason.ts';
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

async function judgedSlo(requests: readonly SampleRequest[], bound: Slo): Promise<CheckFinding | undefined> {
  const results = await withHistory({ run: { slo: [bound] }, requests }, checkLatency);
  return results.find((result) => result.id === 'latency.slo.1');
}

describe('a bound on response time', () => {
  const kept = (samples = 100, atMs = 99): Reason =>
    reason('slo-kept', { percentile: 'p99', samples, atMs, boundMs: 99 });
  const over = (atMs: number, boundMs = 99): Reason =>
    reason('slo-over', { percentile: 'p99', atMs, boundMs });

  it.each<[string, readonly SampleRequest[], Slo, Verdict, ...(readonly Reason[])]>([
    ['is kept by 100 answers of which the 99th took just as long', ramp(100), slo, 'pass', kept()],
    ['is broken when the 99th took longer', ramp(100), { ...slo, max_ms: 98.999 }, 'fail', over(99, 98.999)],
    [
      'on all endpoints counts every one',
      [
        ...ramp(100),
        ...Array.from({ length: 100 }, () => ({ ...answered(500), endpoint: 'analytics' }) as const),
      ],
      { ...slo, endpoint: '*' },
      'fail',
      over(500),
    ],
    [
      'on one endpoint leaves the others out',
      [...ramp(100), { ...answered(9000), endpoint: 'analytics' }],
      slo,
      'pass',
      kept(),
    ],
    [
      'in one phase leaves the others out',
      [...ramp(100), ...Array.from({ length: 50 }, () => ({ ...answered(9000), phase: 'spike' }))],
      { ...slo, phase: 'steady' },
      'pass',
      kept(),
    ],
    [
      'counts response time and not service time',
      [...ramp(98), answered(2000, 5), answered(2000, 5)],
      slo,
      'fail',
      over(2_000),
    ],
    [
      'leaves refused requests out',
      [...ramp(100), ...Array.from({ length: 50 }, () => ({ ...answered(9000), status: 429 }))],
      slo,
      'pass',
      kept(),
    ],
    [
      'leaves contract probes out',
      [...ramp(100), { ...answered(9000), probe: 'batch-max' }, { ...answered(9000), probe: 'batch-max' }],
      slo,
      'pass',
      kept(),
    ],
    [
      'on reads is on lists and on sessions that are read, and on no other endpoint',
      [
        ...ramp(50).map((each) => ({ ...each, endpoint: 'list-shades' as const })),
        ...ramp(100).map((each) => ({ ...each, endpoint: 'read-session' as const })),
        answered(9000),
      ],
      { ...slo, endpoint: 'reads' },
      'pass',
      kept(150),
    ],
    [
      'takes a lost request for slower than any',
      [...ramp(98), lost, lost],
      slo,
      'fail',
      reason('slo-unanswered', { percentile: 'p99', boundMs: 99 }),
      reason('slo-lost', { requests: 2 }),
    ],
    [
      'bears one lost request in a hundred at p99',
      [...ramp(99), lost],
      slo,
      'pass',
      kept(),
      reason('slo-lost', { requests: 1 }),
    ],
    [
      'leaves out what was in flight when the run was stopped',
      [...ramp(100), ...Array.from({ length: 9 }, () => ({ ...lost, lost: 'stopped' }) as const)],
      slo,
      'pass',
      kept(),
    ],
    ['is not judged by no answer at all', [], slo, 'inconclusive', reason('latency-no-answer')],
    [
      'at p99 is not judged by 99 answers',
      ramp(99),
      slo,
      'inconclusive',
      reason('slo-too-few', { samples: 99, percentile: 'p99', needed: 100 }),
    ],
    [
      'at p99.9 is not judged by 999 answers',
      ramp(999),
      { ...slo, percentile: 99.9 },
      'inconclusive',
      reason('slo-too-few', { samples: 999, percentile: 'p99.9', needed: 1_000 }),
    ],
    [
      'at p99.9 is judged by 1000',
      ramp(1000),
      { ...slo, percentile: 99.9, max_ms: 999 },
      'pass',
      reason('slo-kept', { percentile: 'p99.9', samples: 1_000, atMs: 999, boundMs: 999 }),
    ],
    [
      'on the maximum is judged by one answer',
      ramp(1),
      { ...slo, percentile: 100 },
      'pass',
      reason('slo-kept', { percentile: 'maximum', samples: 1, atMs: 1, boundMs: 99 }),
    ],
    [
      'at p50 is judged by two',
      ramp(2),
      { ...slo, percentile: 50, max_ms: 1 },
      'pass',
      reason('slo-kept', { percentile: 'p50', samples: 2, atMs: 1, boundMs: 1 }),
    ],
  ])('%s', async (_, requests, bound, verdict, ...reasons) => {
    const result = await judgedSlo(requests, bound);
    expect(result?.verdict).toBe(verdict);
    // What the slow requests of a failure have in common is tested by itself.
    const shapes = ['slo-stood-still', 'slo-grew', 'slo-single'];
    expect(result?.reasons?.filter(({ code }) => !shapes.includes(code))).toEqual(reasons);
  });

  it('has its endpoint, its phase, its percentile and its maximum in its title', async () => {
    const titles = [slo, { endpoint: '*', percentile: 100, max_ms: 1_500, phase: 'spike' } as const].map(
      async (bound) => (await judgedSlo(ramp(9), bound))?.titleParams,
    );
    expect(await Promise.all(titles)).toEqual([
      { endpoint: 'create-session', phase: null, percentile: 'p99', maxMs: 99 },
      { endpoint: null, phase: 'spike', percentile: 'maximum', maxMs: 1_500 },
    ]);
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
        service: { p50: 10, p90: 11, p99: 12, 'p99.9': 12, max: 12 },
        response: { p50: 10, p90: 1000, p99: 2000, 'p99.9': 2000, max: 2000 },
      },
      {
        endpoint: 'create-session',
        status: 429,
        answers: 1,
        service: { p50: 3, p90: 3, p99: 3, 'p99.9': 3, max: 3 },
        response: { p50: 3, p90: 3, p99: 3, 'p99.9': 3, max: 3 },
      },
    ]);
  });

  it.each<[string, readonly SampleRequest[]]>([
    ['sent before it was meant to be', [{ ...answered(10), intendedNs: 5 * ms }]],
    ['answered before it was sent', [{ ...answered(10), sentNs: 20 * ms, answeredNs: 10 * ms }]],
  ])('with an answer %s fails, and blames tryon', async (_, odd) => {
    const [result] = await withHistory({ requests: [...frozen, ...odd] }, checkLatency);
    expect(result?.reasons).toEqual([reason('latency-impossible', { answers: 1 })]);
    expect(result).toMatchObject({ verdict: 'fail', evidence: [{ seqs: [14], total: 1 }] });
  });

  it('is shown by a result that passes, and says what that means', async () => {
    const [result] = await withHistory({ requests: frozen }, checkLatency);
    expect(result).toMatchObject({
      id: 'latency.table',
      verdict: 'pass',
      reasons: [reason('latency-table-measured', { answers: 11 })],
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

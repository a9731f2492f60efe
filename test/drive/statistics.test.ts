import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LiveStatistics } from '../../src/drive/record/statistics.ts';
import type { RequestRecord } from '../../src/history/record.ts';
import { sampleRequest } from '../history/sample.ts';

const ms = 1e6;

const anyRecord: fc.Arbitrary<RequestRecord> = fc
  .record({
    intendedMs: fc.nat(10_000),
    lagMs: fc.double({ min: 0, max: 500, noNaN: true }),
    tookMs: fc.double({ min: 0, max: 60_000, noNaN: true }),
    endpoint: fc.constantFrom('create-session' as const, 'list-shades' as const),
    end: fc.constantFrom<Partial<RequestRecord>>(
      { status: 200 },
      { status: 429 },
      { status: 503 },
      { lost: 'timeout' },
      { notSent: 'stopped' },
    ),
    planned: fc.option(fc.nat(), { nil: undefined }),
  })
  .map(({ end, endpoint, intendedMs, lagMs, planned, tookMs }) => {
    const sentNs = Math.round((intendedMs + lagMs) * ms);
    const times = end.notSent === undefined ? { sentNs, answeredNs: Math.round(sentNs + tookMs * ms) } : {};
    return sampleRequest(
      {
        endpoint,
        intendedNs: intendedMs * ms,
        readyNs: intendedMs * ms,
        planned,
        ...end,
        ...times,
      },
      1,
    );
  });

function all(statistics: LiveStatistics): unknown {
  const { admitted, created, failures, lost, notSent, sent, statuses } = statistics.counts;
  return {
    ...{ lost, notSent, sent },
    tallies: [admitted, created, failures, statuses].map((each) => [...each].toSorted()),
    second: statistics.second(),
  };
}

describe('statistics of several workers', () => {
  it('added up are those of one that has seen it all, to the count and the quantile', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), anyRecord, fc.boolean()), { maxLength: 60 }), (records) => {
        const one = new LiveStatistics();
        const sum = new LiveStatistics();
        const workers = [1, 2, 3, 4].map(() => new LiveStatistics());
        for (const [who, record, tellsNow] of records) {
          one.record(record);
          workers[who]?.record(record);
          if (tellsNow) for (const worker of workers) sum.add(structuredClone(worker.handOver()));
        }
        for (const worker of workers) sum.add(structuredClone(worker.handOver()));
        expect(all(sum)).toEqual(all(one));
      }),
      { numRuns: 50 },
    );
  });

  it('are told once: what was handed over is gone', () => {
    const worker = new LiveStatistics();
    worker.record(sampleRequest({ endpoint: 'list-shades' }, 1));
    worker.handOver();
    expect(all(worker)).toEqual(all(new LiveStatistics()));
  });
});

it('a request of a closed loop is counted apart, and its latency with the others', () => {
  const statistics = new LiveStatistics();
  statistics.noteClosed(200, 12);
  statistics.noteClosed(503, 12);
  statistics.noteClosed(undefined, 0);
  expect(statistics.closed).toEqual({
    sent: 3,
    lost: 1,
    statuses: new Map([
      [200, 1],
      [503, 1],
    ]),
  });
  expect([statistics.counts.sent, statistics.counts.statuses.size]).toEqual([0, 0]);
  expect(statistics.second()?.p50Ms).toBeCloseTo(12, 0);
});

it('sessions granted on the polled product are counted', () => {
  const statistics = new LiveStatistics(undefined, 'p');
  const create = { endpoint: 'create-session', productId: 'p', sessionId: 's' } as const;
  for (const request of [
    create,
    { ...create, status: 201 },
    { ...create, productId: 'q' },
    { ...create, status: 402 },
    { ...create, lost: 'timeout' } as const,
    { endpoint: 'analytics', productId: 'p' } as const,
  ])
    statistics.record(sampleRequest(request, 1));
  expect(statistics.counts.granted).toBe(2);
});

describe('a failure, for the display, is', () => {
  it.each<[string, Partial<RequestRecord>, string[]]>([
    ['a wrong status', { status: 404 }, ['list-shades 404']],
    ['no 2xx', { status: 200 }, []],
    ['no 429, which a limit may promise', { status: 429 }, []],
    ['no 402, which a quota may promise', { status: 402 }, []],
    ['no 4xx of a probe, which may be wanted', { status: 401, probe: 'no-key' }, []],
    ['a 5xx, also of a probe', { status: 500, probe: 'no-key' }, ['list-shades 500']],
    ['a connection that broke', { lost: 'reset' }, ['list-shades reset']],
    ['no request that the end of the run cut off', { lost: 'stopped' }, []],
    ['no request that was not sent', { notSent: 'patience' }, []],
  ])('%s', (_, end, kinds) => {
    const statistics = new LiveStatistics();
    const sentNs = end.notSent === undefined ? { sentNs: 5 * ms } : {};
    statistics.record(sampleRequest({ endpoint: 'list-shades', ...sentNs, ...end }, 1));
    expect([...statistics.counts.failures.keys()]).toEqual(kinds);
    if (kinds.length > 0)
      expect([...statistics.counts.failures.values()]).toEqual([{ count: 1, firstNs: 5 * ms }]);
  });
});

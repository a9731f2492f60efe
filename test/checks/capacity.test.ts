import { describe, expect, it } from 'vitest';
import { checkCapacity } from '../../src/checks/capacity.ts';
import type { Verdict } from '../../src/checks/core/verdict.ts';
import { type Reason, reason } from '../../src/checks/reasons/reason.ts';
import type { EventRecord } from '../../src/history/record.ts';
import type { Slo } from '../../src/history/run.ts';
import { withHistory } from '../history/sample.ts';

type Step = Extract<EventRecord, { kind: 'saturation' }>;
const slo: readonly Slo[] = [{ endpoint: '*', percentile: 99, max_ms: 100 }];

function step(connections: number, p99: number, requestsPerSecond: number, more: Partial<Step> = {}): Step {
  return {
    kind: 'saturation',
    phase: 'climb',
    startNs: connections * 1e9,
    connections,
    durationMs: 5000,
    statuses: { 200: requestsPerSecond * 5 },
    errors: 0,
    timeouts: 0,
    requestsPerSecond,
    latencyMs: { p50: p99 / 2, p90: p99 / 1.5, p99, max: p99 * 2 },
    ...more,
  };
}

/** Requests per second: the sample promises 1,000 a minute. */
const promised = 16.7;
const found = (best: number): Reason => reason('climb-found', { promised, best });
const kept = (connections: number, perSecond: number): Reason =>
  reason('climb-kept', { connections, perSecond });
const slow = (connections: number, atMs: number, boundMs = 100, percentile = 'p99'): Reason =>
  reason('climb-slow', { connections, percentile, atMs, boundMs });
const failed = (connections: number, requests: number): Reason =>
  reason('climb-failed', { connections, failed: requests });
const notReached = reason('climb-not-reached');

describe('the knee', () => {
  it.each<[string, readonly EventRecord[], readonly Slo[], Verdict, ...(readonly Reason[])]>([
    [
      'is the last step before the bound breaks',
      [step(1, 20, 50), step(2, 40, 90), step(4, 150, 100)],
      slo,
      'pass',
      found(90),
      kept(2, 90),
      slow(4, 150),
    ],
    [
      'is found whatever the order of the records',
      [step(4, 150, 100), step(1, 20, 50), step(2, 40, 90)],
      slo,
      'pass',
      found(90),
      kept(2, 90),
      slow(4, 150),
    ],
    [
      'is the last step before errors',
      [step(1, 20, 50), step(2, 40, 90, { errors: 3 })],
      slo,
      'pass',
      found(50),
      kept(1, 50),
      failed(2, 3),
    ],
    [
      'is the last step before time-outs',
      [step(1, 20, 50), step(2, 40, 90, { timeouts: 1 })],
      slo,
      'pass',
      found(50),
      kept(1, 50),
      failed(2, 1),
    ],
    [
      'is the last step before server errors',
      [step(1, 20, 50), step(2, 40, 90, { statuses: { 200: 9, 503: 4 } })],
      slo,
      'pass',
      found(50),
      kept(1, 50),
      failed(2, 4),
    ],
    [
      'is the first breaking point, not a later recovery',
      [step(1, 20, 50), step(2, 150, 90), step(4, 40, 100)],
      slo,
      'pass',
      found(50),
      kept(1, 50),
      slow(2, 150),
    ],
    [
      'that was not reached is inconclusive',
      [step(1, 20, 50), step(2, 40, 90)],
      slo,
      'inconclusive',
      notReached,
      kept(2, 90),
    ],
    [
      'below the promised request rate fails',
      [step(1, 20, 8), step(2, 150, 9)],
      slo,
      'fail',
      reason('climb-below', { promised, best: 8 }),
      kept(1, 8),
      slow(2, 150),
    ],
    [
      'below the first step fails',
      [step(8, 900, 50)],
      slo,
      'fail',
      reason('climb-first-broke'),
      slow(8, 900),
    ],
    [
      'behind a rate limit is inconclusive',
      [step(1, 20, 50), step(2, 40, 90, { statuses: { 200: 400, 429: 50 } })],
      slo,
      'inconclusive',
      reason('climb-limited'),
      reason('climb-rejected', { connections: 2, rejected: 50, answers: 450 }),
    ],
    ['without a bound is inconclusive', [step(1, 20, 50)], [], 'inconclusive', reason('climb-unbounded')],
    ['without a step is inconclusive', [], slo, 'inconclusive', reason('climb-untried')],
    [
      'is judged by bounds on all endpoints where there are any',
      [step(1, 20, 50), step(2, 40, 90)],
      [...slo, { endpoint: 'analytics', percentile: 99, max_ms: 1 }],
      'inconclusive',
      notReached,
      kept(2, 90),
    ],
    [
      'is judged by every percentile that is measured',
      [step(1, 20, 50), step(2, 90, 90)],
      [{ endpoint: '*', percentile: 100, max_ms: 150 }],
      'pass',
      found(50),
      kept(1, 50),
      slow(2, 180, 150, 'p100'),
    ],
    [
      'is not judged by a bound on another phase',
      [step(1, 20, 50), step(2, 150, 90)],
      [{ endpoint: '*', percentile: 99, max_ms: 100, phase: 'steady' }],
      'inconclusive',
      notReached,
      kept(2, 90),
    ],
  ])('%s', async (_, events, bounds, verdict, ...reasons) => {
    const [result] = await withHistory({ events, run: { slo: [...bounds] } }, checkCapacity);
    expect(result).toMatchObject({ id: 'capacity.knee', verdict, reasons });
    expect(result?.causes?.map(({ cause }) => cause.code)).toEqual(
      verdict === 'fail' ? ['capacity-below-promise'] : undefined,
    );
  });
});

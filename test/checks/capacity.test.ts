import { describe, expect, it } from 'vitest';
import { checkCapacity } from '../../src/checks/capacity.ts';
import type { Verdict } from '../../src/checks/verdict.ts';
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

describe('the knee', () => {
  it.each<[string, readonly EventRecord[], readonly Slo[], Verdict, RegExp]>([
    [
      'is the last step before the bound breaks',
      [step(1, 20, 50), step(2, 40, 90), step(4, 150, 100)],
      slo,
      'pass',
      /found: 2 connections kept the bounds at 90 requests a second; with 4, p99 was 150 ms/,
    ],
    [
      'is found whatever the order of the records',
      [step(4, 150, 100), step(1, 20, 50), step(2, 40, 90)],
      slo,
      'pass',
      /found: 2 connections/,
    ],
    [
      'is the last step before errors',
      [step(1, 20, 50), step(2, 40, 90, { errors: 3 })],
      slo,
      'pass',
      /3 requests failed/,
    ],
    [
      'is the last step before time-outs',
      [step(1, 20, 50), step(2, 40, 90, { timeouts: 1 })],
      slo,
      'pass',
      /1 request failed/,
    ],
    [
      'is the last step before server errors',
      [step(1, 20, 50), step(2, 40, 90, { statuses: { 200: 9, 503: 4 } })],
      slo,
      'pass',
      /4 requests failed/,
    ],
    [
      'is the first breaking point, not a later recovery',
      [step(1, 20, 50), step(2, 150, 90), step(4, 40, 100)],
      slo,
      'pass',
      /found: 1 connection kept/,
    ],
    [
      'that was not reached is inconclusive',
      [step(1, 20, 50), step(2, 40, 90)],
      slo,
      'inconclusive',
      /not reached: 2 connections kept the bounds/,
    ],
    [
      'below the promised request rate fails',
      [step(1, 20, 8), step(2, 150, 9)],
      slo,
      'fail',
      /below the promised request rate/,
    ],
    [
      'below the first step fails',
      [step(8, 900, 50)],
      slo,
      'fail',
      /first step, with 8 connections, broke already/,
    ],
    [
      'behind a rate limit is inconclusive',
      [step(1, 20, 50), step(2, 40, 90, { statuses: { 200: 400, 429: 50 } })],
      slo,
      'inconclusive',
      /A limit ended the climb at 2 connections: 50 of 450/,
    ],
    ['without a bound is inconclusive', [step(1, 20, 50)], [], 'inconclusive', /states no bound/],
    ['without a step is inconclusive', [], slo, 'inconclusive', /No step/],
    [
      'is judged by bounds on all endpoints where there are any',
      [step(1, 20, 50), step(2, 40, 90)],
      [...slo, { endpoint: 'analytics', percentile: 99, max_ms: 1 }],
      'inconclusive',
      /not reached/,
    ],
    [
      'is judged by every percentile that is measured',
      [step(1, 20, 50), step(2, 90, 90)],
      [{ endpoint: '*', percentile: 100, max_ms: 150 }],
      'pass',
      /p100 was 180 ms, over 150/,
    ],
    [
      'is not judged by a bound on another phase',
      [step(1, 20, 50), step(2, 150, 90)],
      [{ endpoint: '*', percentile: 99, max_ms: 100, phase: 'steady' }],
      'inconclusive',
      /not reached/,
    ],
  ])('%s', async (_, events, bounds, verdict, explanation) => {
    const [result] = await withHistory({ events, run: { slo: [...bounds] } }, checkCapacity);
    expect(result).toMatchObject({ id: 'capacity.knee', verdict });
    expect(result?.explanation).toMatch(explanation);
    expect(result?.causes?.map(({ cause }) => cause.code)).toEqual(
      verdict === 'fail' ? ['capacity-below-promise'] : undefined,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { checkClockSet } from '../../../src/checks/analytics/record/clock.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

const set = {
  kind: 'clock',
  askedNs: 1e9,
  setNs: 1.01e9,
  epochMs: Date.parse('2028-02-28T23:59:59Z'),
} as const;

/** Sessions that are created two seconds into the run and later. */
const created = (...expiries: readonly string[]): SampleRequest[] =>
  expiries.map((expiresAt, n) => {
    const sentNs = 2e9 + n * 1e8;
    return { endpoint: 'create-session', sessionId: `s${n}`, expiresAt, sentNs, answeredNs: sentNs + 1e6 };
  });

describe('a clock that the run sets', () => {
  it.each<[string, SampleRequest[], Verdict]>([
    ['and that sessions expire by passes', created('2028-02-29T00:30:00Z', '2028-02-29T00:30:01Z'), 'pass'],
    ['and that they do not expire by fails', created('2026-05-01T12:30:00Z', '2026-05-01T12:30:01Z'), 'fail'],
    [
      'where one of two processes follows fails',
      created('2028-02-29T00:30:00Z', '2026-05-01T12:30:01Z'),
      'fail',
    ],
    ['and whose sessions say nothing legible is in doubt', created('soon', ''), 'inconclusive'],
    ['before any session is in doubt', [], 'inconclusive'],
  ])('%s', async (_, requests, verdict) => {
    const [finding] = await withHistory({ requests, events: [set] }, checkClockSet);
    expect(finding?.verdict).toBe(verdict);
    expect(finding?.causes?.map(({ cause }) => cause.code) ?? []).toEqual(
      verdict === 'fail' ? ['clock-not-set'] : [],
    );
  });

  it('is not judged where it was not set', async () => {
    expect(await withHistory({ requests: created('2026-05-01T12:30:00Z') }, checkClockSet)).toEqual([]);
  });
});

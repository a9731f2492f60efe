import { describe, expect, it } from 'vitest';
import { checkExpiry } from '../../../src/checks/contract/sessions/expiry.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { type SampleRequest, sampleRun, withHistory } from '../../history/sample.ts';

const startMs = sampleRun.zero_epoch_ms;
const lifetimeMs = 1_800_000;

/** Sessions created at even distances within so many seconds, which expire at the instant given for each. */
function sessions(count: number, seconds: number, expiryMs: (createdMs: number) => number): SampleRequest[] {
  return Array.from({ length: count }, (_, n) => {
    const atMs = (n * seconds * 1e3) / (count - 1);
    return {
      endpoint: 'create-session',
      sentNs: atMs * 1e6,
      answeredNs: (atMs + 5) * 1e6,
      sessionId: `s${n}`,
      expiresAt: new Date(expiryMs(startMs + atMs)).toISOString(),
    };
  });
}

const fromStart = startMs - 12_345 + lifetimeMs;

describe('sessions', () => {
  it.each<[string, readonly SampleRequest[], Verdict]>([
    ['that live for half an hour pass', sessions(20, 90, (at) => at + lifetimeMs), 'pass'],
    ['that all expire at one odd instant fail', sessions(20, 90, () => fromStart), 'fail'],
    ['that all expire within one second fail', sessions(20, 90, (at) => fromStart + (at % 900)), 'fail'],
    ['that all expire at midnight pass', sessions(20, 90, () => Date.UTC(2026, 4, 2)), 'pass'],
    [
      'that all expire at the last second of a day pass',
      sessions(20, 90, () => Date.UTC(2026, 4, 2) - 1_000),
      'pass',
    ],
    [
      'that all expire at the last millisecond of a day pass',
      sessions(20, 90, () => Date.UTC(2026, 4, 2) - 1),
      'pass',
    ],
    [
      'whose expiry is cut to a quarter of a minute pass, if they were created within that',
      sessions(20, 12, () => Date.UTC(2026, 4, 1, 12, 30, 15)),
      'pass',
    ],
    ['that were created within five seconds pass', sessions(20, 5, () => fromStart), 'pass'],
    ['pass where there are few', sessions(5, 90, () => fromStart), 'pass'],
  ])('%s', async (_, requests, verdict) => {
    const finding = await withHistory({ requests: [...requests] }, checkExpiry);
    expect(finding.verdict).toBe(verdict);
    expect(finding.causes?.map(({ cause: { code } }) => code) ?? []).toEqual(
      verdict === 'fail' ? ['expiry-fixed'] : [],
    );
  });
});

import { describe, expect, it } from 'vitest';
import { periodOf } from '../../../src/checks/analytics/conventions/zones.ts';
import { clockOffset } from '../../../src/checks/analytics/record/clock.ts';
import { type SampleRequest, sampleRun, withHistory } from '../../history/sample.ts';

/** An answer of a target whose clock is `offsetMs` ahead: its `Date` header names the second in which it was made. */
function dated(sentMs: number, offsetMs: number): SampleRequest {
  const madeMs = sampleRun.zero_epoch_ms + sentMs + 2 + offsetMs;
  return { endpoint: 'list-shades', sentNs: sentMs * 1e6, serverDateMs: Math.floor(madeMs / 1_000) * 1_000 };
}

describe('the clock offset', () => {
  it.each([0, 400, -400, 3_600_000, -7_200_000])('of %i ms lies within its bounds', async (offsetMs) => {
    const requests = Array.from({ length: 50 }, (_, index) => dated(index * 137, offsetMs));
    const offset = await withHistory({ requests }, clockOffset);
    expect(offset).toMatchObject({ steady: true });
    expect(offset.lowMs).toBeLessThanOrEqual(offsetMs);
    expect(offset.highMs).toBeGreaterThanOrEqual(offsetMs);
    expect(offset.highMs - offset.lowMs).toBeLessThan(1_300);
  });

  it('is not steady when the clock jumps, and then covers both sides', async () => {
    const offset = await withHistory({ requests: [dated(0, 0), dated(100, 60_000)] }, clockOffset);
    expect(offset.steady).toBe(false);
    expect(offset.lowMs).toBeLessThanOrEqual(0);
    expect(offset.highMs).toBeGreaterThanOrEqual(60_000);
  });

  it('is the profile’s bound where no answer says', async () => {
    const sample = { requests: [{ endpoint: 'list-shades' as const }], profile: { clock_skew_bound: '5s' } };
    expect(await withHistory(sample, clockOffset)).toMatchObject({
      lowMs: -5_000,
      highMs: 5_000,
      steady: true,
    });
  });
});

describe('a period', () => {
  const at = (text: string): number => Date.parse(text);

  it.each([
    ['2026-02-28', '2026-02-28', 'inclusive', '2026-02-28T00:00:00Z', '2026-03-01T00:00:00Z'],
    ['2028-02-28', '2028-02-29', 'inclusive', '2028-02-28T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['2026-05-01', '2026-05-02', 'exclusive', '2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z'],
    [
      '2026-05-01T06:00:00Z',
      '2026-05-01T18:00:00Z',
      'exclusive',
      '2026-05-01T06:00:00Z',
      '2026-05-01T18:00:00Z',
    ],
    [
      '2026-05-01T06:00:00Z',
      '2026-05-01T18:00:00Z',
      'inclusive-day',
      '2026-05-01T00:00:00Z',
      '2026-05-02T00:00:00Z',
    ],
  ] as const)('from %s to %s, %s, is from %s up to %s', (start, end, convention, from, to) => {
    expect(periodOf(start, end, convention)).toEqual({
      startMs: at(from),
      endLowMs: at(to),
      endHighMs: at(to),
    });
  });

  it('whose end is an instant may or may not hold the last second', () => {
    expect(periodOf('2026-05-01T00:00:00Z', '2026-05-01T18:00:00Z', 'inclusive')).toEqual({
      startMs: at('2026-05-01'),
      endLowMs: at('2026-05-01T18:00:00Z'),
      endHighMs: at('2026-05-01T18:00:01Z'),
    });
  });

  it.each(['yesterday', '01/05/2026', '2026-13-01', ''])('of %j is not readable', (text) => {
    expect(periodOf(text, '2026-05-01', 'inclusive')).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import { checkExpiry } from '../../../src/checks/contract/sessions/expiry.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import type { Probe } from '../../../src/vocabulary/probes.ts';
import { type SampleRequest, sampleRun, withHistory } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { type Change, judged, second } from './target.ts';

const zeroMs = sampleRun.zero_epoch_ms;

/** An answer each second for a minute, dated by a clock that is told the second of the run. */
function dated(
  clockS: (atS: number) => number,
  endpoint: SampleRequest['endpoint'] = 'interact',
): SampleRequest[] {
  return Array.from({ length: 60 }, (_, atS) => ({
    endpoint,
    status: 429,
    intendedNs: atS * second,
    serverDateMs: zeroMs + Math.floor(clockS(atS)) * 1e3,
  }));
}

describe('the Date header', () => {
  it.each<[string, Change, ...CauseCode[]]>([
    ['that is the time is right', { more: dated((atS) => atS) }],
    ['that is half an hour off is right', { more: dated((atS) => atS + 1_800) }],
    ['of two machines that are 2 s apart is right', { more: dated((atS) => atS + (atS % 2) * 2) }],
    ['of a clock that is set once is right', { more: dated((atS) => (atS < 20 ? atS : atS + 60)) }],
    ['that a cache repeats is right', { more: dated(() => 0, 'list-shades') }],
    ['that stands still is wrong', { more: dated(() => 0) }, 'dates-apart'],
    ['that runs at half the speed is wrong', { more: dated((atS) => atS / 2) }, 'dates-apart'],
    [
      'of machines that are as far apart as the profile says is right',
      { more: dated((atS) => atS + (atS % 2) * 20), profile: { clock_skew_bound: '10s' } },
    ],
  ])('%s', async (_, change, ...causes) => {
    const answers = (await judged(change)).find(({ id }) => id === 'contract.answers');
    expect(answers?.verdict).toBe(causes.length === 0 ? 'pass' : 'fail');
    expect(causeCodes([answers])).toEqual(causes);
  });

  it.each<[string, (atS: number) => number, byMs: number | undefined]>([
    ['a clock that is set back', (atS) => (atS < 20 ? atS : atS - 5), -5_000],
    ['a clock that is set forward', (atS) => (atS < 20 ? atS : atS + 60), 60_000],
    ['no clock that runs on', (atS) => atS, undefined],
    ['none of two that answer in turn', (atS) => atS + (atS % 2) * 5, undefined],
  ])('shows the step of %s', async (_, clockS, byMs) => {
    const answers = (await judged({ more: dated(clockS) })).find(({ id }) => id === 'contract.answers');
    const steps = answers?.reasons.filter(({ code }) => code === 'answers-clock-stepped');
    expect(steps).toEqual(
      byMs === undefined
        ? []
        : [{ code: 'answers-clock-stepped', params: { byMs: expect.closeTo(byMs, -3), atMs: 20_000 } }],
    );
  });
});

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

const problem = 'content-type of a 404: expected application/json, got "text/html"';

/** The check of answers, where a 404 with a page comes to a request for a session. */
async function answersWith(probe: Probe | undefined): Promise<string | undefined> {
  const page = { endpoint: 'read-session', credential: 'load', status: 404, problem } as const;
  const more = [probe === undefined ? page : { ...page, probe }];
  const results = await judged({ more, profile: { error_bodies: 'json' } });
  return results.find(({ id }) => id === 'contract.answers')?.verdict;
}

describe('an error that is a page, where JSON is promised', () => {
  it.each<[string, Probe | undefined, string]>([
    ['to an ordinary request is wrong', undefined, 'fail'],
    ['to an unknown id is wrong', 'unknown-session', 'fail'],
    ['to a path in another spelling may be a router’s', 'scope:spelled', 'pass'],
  ])('%s', async (_, probe, verdict) => {
    expect(await answersWith(probe)).toBe(verdict);
  });
});

it('is no fault where nothing is promised of errors, and is said', async () => {
  const page = { endpoint: 'read-session', credential: 'load', status: 404, problem } as const;
  const results = await judged({ more: [page] });
  expect(results.find(({ id }) => id === 'contract.answers')).toMatchObject({
    verdict: 'pass',
    explanation: expect.stringContaining(
      'Errors (404) from GET /sessions/{id} do not have the media type of JSON.',
    ),
  });
});

import { describe, expect, it } from 'vitest';
import type { CheckFinding } from '../../../src/checks/core/verdict.ts';
import { checkOpening } from '../../../src/checks/latency/connections.ts';
import { checkSlo } from '../../../src/checks/latency/slo.ts';
import { type Reason, reason } from '../../../src/checks/reasons/reason.ts';
import type { Slo } from '../../../src/history/run.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

const slo: Slo = { endpoint: '*', percentile: 99, max_ms: 1_000 };
const gapMs = 50;

/** 400 requests at 20 a second; `tookMs`: what the n-th took, or that it was lost. */
function judged(tookMs: (n: number) => number | 'lost', bound = slo): Promise<CheckFinding> {
  const requests = Array.from({ length: 400 }, (_, n): SampleRequest => {
    const atNs = n * gapMs * 1e6;
    const took = tookMs(n);
    return {
      endpoint: 'list-shades',
      intendedNs: atNs,
      readyNs: atNs,
      sentNs: atNs,
      ...(took === 'lost' ? { lost: 'timeout' } : { answeredNs: atNs + took * 1e6 }),
    };
  });
  return withHistory({ run: { slo: [bound] }, requests }, (history) => checkSlo(history, bound, 1));
}

/** From the 100th request on, for 3 s, nothing is answered. */
const stall = (n: number): number => (n >= 100 && n < 160 ? 3_000 - (n - 100) * gapMs + 5 : 5);

/** For 30 requests from each of these on, nothing is answered. */
function pausedMs(n: number, from: readonly number[]): number {
  const begun = from.find((first) => n >= first && n < first + 30);
  return begun === undefined ? 5 : (begun + 30 - n) * gapMs + 5;
}

const stoodStill = (held: number): Reason =>
  reason('slo-stood-still', { forMs: 3_050, fromMs: 4_955, held, over: 41 });

describe('what was over a bound', () => {
  it.each<[string, (n: number) => number | 'lost', Reason, ...causes: string[]]>([
    ['in a stall is said to have waited for it', stall, stoodStill(41), 'target-stood-still'],
    [
      'in a stall that lost some as well',
      (n) => (n === 110 ? 'lost' : stall(n)),
      stoodStill(40),
      'target-stood-still',
    ],
    [
      'in pauses at regular intervals is said to have waited for them',
      (n) => pausedMs(n, [50, 130, 210, 290, 370]),
      reason('slo-pauses', { pauses: 5, longestMs: 1_550, everyMs: 4_000, held: 55, over: 55 }),
      'target-stands-still',
    ],
    [
      'in pauses at no regular intervals is said so, too',
      (n) => pausedMs(n, [60, 130, 300]),
      reason('slo-pauses', { pauses: 3, longestMs: 1_550, held: 33, over: 33 }),
      'target-stands-still',
    ],
    [
      'since more came than could be answered is said to have grown',
      (n) => 20 + n * 12,
      reason('slo-grew', { mediansMs: [488, 1_448, 2_408, 3_368, 4_328] }),
      'does-not-keep-up',
    ],
    [
      'one by one is said to have been late by itself',
      (n) => (n % 57 === 3 ? 2_000 : 5),
      reason('slo-single', { single: 7, over: 7 }),
      'periodically-slow',
      'single-requests-slow',
    ],
    [
      'in no plain shape is not given one',
      (n) => (n % 2 === 0 ? 1_500 : 900),
      reason('slo-over', { percentile: 'p99', atMs: 1_500, boundMs: 1_000 }),
      'slow-answers',
    ],
  ])('%s', async (_, tookMs, last, ...named) => {
    const { causes, reasons, verdict } = await judged(tookMs);
    expect(causes?.map(({ cause }) => cause.code)).toEqual(named);
    expect(verdict).toBe('fail');
    expect(reasons?.at(-1)).toEqual(last);
  });

  const late = (more: Partial<SampleRequest>, n: number, tookMs: number): SampleRequest => {
    const atNs = n * gapMs * 1e6;
    const at = { intendedNs: atNs, readyNs: atNs, sentNs: atNs, answeredNs: atNs + tookMs * 1e6 };
    return { endpoint: 'create-session', ...at, ...more };
  };

  it.each<[string, (n: number) => SampleRequest, cause: string, Partial<Slo>?]>([
    [
      'are those of one product',
      (n) => late({ sessionId: `s${n}`, productId: `p${n % 5}`, catalogId: 'c' }, n, n % 5 === 2 ? 1_500 : 5),
      'slow-by-value',
    ],
    [
      'are the first of their connection',
      (n) =>
        late({ sessionId: `s${n}`, localPort: 50_000 + Math.floor(n / 10) }, n, n % 10 === 0 ? 1_300 : 4),
      'new-connections-slow',
      { percentile: 95 },
    ],
    [
      'are all from one on',
      (n) => late({ sessionId: `s${n}` }, n, n >= 300 ? 1_500 + (n % 7) * 90 : 5),
      'slower-with-time',
    ],
  ])('is told by what they have in common: they %s', async (_, request, cause, bound = {}) => {
    const limit = { ...slo, ...bound };
    const requests = Array.from({ length: 400 }, (_each, n) => request(n));
    const { causes } = await withHistory({ run: { slo: [limit] }, requests }, (history) =>
      checkSlo(history, limit, 1),
    );
    expect(causes?.map((each) => each.cause.code)).toEqual([cause]);
  });

  it.each<[sentence: string, workMs: number, verdict: string, last: string]>([
    ['broken only by the wait for connections to open is not judged', 5, 'inconclusive', 'slo-opening'],
    ['broken by the answers as well is failed', 1_200, 'fail', 'slo-over'],
  ])('%s', async (_, workMs, verdict, last) => {
    const requests = Array.from({ length: 400 }, (_each, n): SampleRequest => {
      const openingNs = n % 10 === 0 ? 1_600e6 : 0;
      const atNs = n * gapMs * 1e6;
      const sentNs = atNs + openingNs;
      return {
        ...late({ localPort: 50_000 + Math.floor(n / 10) }, n, 0),
        ...{ readyNs: sentNs, sentNs, answeredNs: sentNs + workMs * 1e6 },
        ...(n % 10 === 0 ? { openingNs, resolveNs: 1_500e6, connectNs: 100e6 } : {}),
      };
    });
    const found = await withHistory({ run: { slo: [slo] }, requests }, (history) =>
      checkSlo(history, slo, 1),
    );
    expect([found.verdict, found.reasons?.at(-1)?.code]).toEqual([verdict, last]);
  });

  it('are the first of their connection, but not slow: no connection is named for them', async () => {
    // They wait for 1.5 s before they are sent, and are then answered as quickly as all others.
    const requests = Array.from({ length: 400 }, (_, n): SampleRequest => {
      const request = late({ localPort: 50_000 + Math.floor(n / 10) }, n, 5 + (n % 7));
      const waitNs = n % 10 === 0 ? 1_500e6 : 0;
      return {
        ...request,
        sentNs: (request.sentNs ?? 0) + waitNs,
        answeredNs: (request.answeredNs ?? 0) + waitNs,
      };
    });
    const limit = { ...slo, percentile: 95 };
    const { causes } = await withHistory({ run: { slo: [limit] }, requests }, (history) =>
      checkSlo(history, limit, 1),
    );
    expect(causes?.map(({ cause }) => cause.code)).not.toContain('new-connections-slow');
  });

  it('by a queue is told with the rate at which it is emptied', async () => {
    // Ten requests at once every 3 s, and one after the other 250 ms of work.
    const requests = Array.from({ length: 400 }, (_, n): SampleRequest => {
      const atNs = Math.floor(n / 10) * 3e9 + (n % 10) * 1e6;
      const answeredNs = Math.floor(n / 10) * 3e9 + ((n % 10) + 1) * 250e6;
      return { endpoint: 'list-shades', intendedNs: atNs, readyNs: atNs, sentNs: atNs, answeredNs };
    });
    const limit = { ...slo, percentile: 90 };
    const { causes } = await withHistory({ run: { slo: [limit] }, requests }, (history) =>
      checkSlo(history, limit, 1),
    );
    expect(causes?.map(({ cause }) => cause)).toEqual([
      { code: 'does-not-keep-up', params: { perSecond: 4 } },
    ]);
  });

  it('while its key was rejected is said to have waited in a queue, though interactions were quick', async () => {
    // Places become free once in 150 ms: of three requests two are rejected, and the third waits for 3 s.
    const requests = Array.from({ length: 400 }, (_, n): SampleRequest[] => {
      const atNs = n * gapMs * 1e6;
      const at = { intendedNs: atNs, readyNs: atNs, sentNs: atNs };
      const answered = (ms: number): number => atNs + ms * 1e6;
      return [
        n % 3 === 0
          ? { endpoint: 'list-shades', ...at, status: 200, answeredNs: answered(3_000) }
          : { endpoint: 'list-shades', ...at, status: 429, answeredNs: answered(1) },
        { endpoint: 'interact', credential: 'session', ...at, status: 202, answeredNs: answered(2) },
      ];
    }).flat();
    const { causes, reasons } = await withHistory({ run: { slo: [slo] }, requests }, (history) =>
      checkSlo(history, slo, 1),
    );
    expect(reasons?.at(-1)).toEqual(reason('slo-queued', { queued: 133, over: 134 }));
    expect(causes?.map(({ cause }) => cause)).toEqual([
      { code: 'requests-queued', params: { waitMs: 3_000 } },
    ]);
  });

  it('in a pause that one request alone waited in is no stall', async () => {
    const { reasons } = await judged((n) => (n === 399 ? 2_000 : 5), { ...slo, percentile: 100 });
    expect(reasons).toEqual([reason('slo-over', { percentile: 'maximum', atMs: 2_000, boundMs: 1_000 })]);
  });
});

describe('connections', () => {
  it.each<[sentence: string, opened: readonly number[], bound: ProfileInput, verdict: string | undefined]>([
    ['are not judged where nothing is promised', [3_000, 3_000], {}, undefined],
    ['that open in time pass', [4, 190], { opening_bound: '200ms' }, 'pass'],
    ['that open late fail', [4, 1_004, 3_004], { opening_bound: '200ms' }, 'fail'],
    [
      'of which one is late may have lost a packet',
      [4, 1_004, 4],
      { opening_bound: '200ms' },
      'inconclusive',
    ],
    ['that nobody opened show nothing', [], { opening_bound: '200ms' }, 'inconclusive'],
  ])('%s', async (_, opened, profile, verdict) => {
    const requests = opened.map(
      (ms): SampleRequest => ({
        endpoint: 'list-shades',
        // The name server is slow, too.
        resolveNs: 900e6,
        connectNs: (ms - 2) * 1e6,
        handshakeNs: 2e6,
      }),
    );
    const [found] = await withHistory({ profile, requests }, checkOpening);
    expect(found?.verdict).toBe(verdict);
  });
});

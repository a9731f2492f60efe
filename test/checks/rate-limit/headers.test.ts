import { describe, expect, it } from 'vitest';
import type { CheckResult, Verdict } from '../../../src/checks/core/verdict.ts';
import { profileSchema } from '../../../src/target/profile.ts';
import { type SampleHistory, type SampleRequest, withHistory } from '../../history/sample.ts';
import { renderedRateLimit } from './rendered.ts';

/** 100 in 6 s are promised; nobody has used the keys before. */
async function judge(sample: SampleHistory): Promise<Map<string, CheckResult>> {
  const target = { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' } as const;
  const results = await withHistory(
    { ...sample, run: { target, ...sample.run }, profile: { rate_limit: '100/6s', ...sample.profile } },
    renderedRateLimit,
  );
  return new Map(results.map((result) => [result.id, result]));
}

const atMs = (ms: number, request: Partial<SampleRequest> = {}): SampleRequest => ({
  endpoint: 'list-shades',
  sentNs: ms * 1e6,
  ...request,
});

/** The draft 6 headers of 100 in 6 s. */
const headers = (remaining: number, reset: number): { limitHeaders: string } => ({
  limitHeaders: `ratelimit-limit: 100 | ratelimit-remaining: ${remaining} | ratelimit-reset: ${reset} | ratelimit-policy: 100;w=6`,
});

/** A fixed window from 0 on, asked 130 times in 1.3 s; the last 30 are refused. `told`: what the k-th answer says. */
const exhausted = (told: (k: number) => Partial<SampleRequest>): SampleRequest[] =>
  Array.from({ length: 130 }, (_, k) => atMs(k * 10, { ...(k < 100 ? {} : { status: 429 }), ...told(k) }));

const truth = (k: number): Partial<SampleRequest> => headers(Math.max(0, 99 - k), 6 - Math.floor(k / 100));

describe('headers of a limit in a history', () => {
  it('are held against the promise, one row for each dialect', async () => {
    const results = await judge({ requests: exhausted(truth) });
    expect(results.get('rate-limit.headers')).toMatchObject({
      verdict: 'pass',
      observed: {
        answers_with_headers: 130,
        dialects: [
          {
            dialect: 'draft-6',
            policy: '',
            answers: 130,
            of_them_429: 30,
            limits: [100],
            windows_s: [6],
            reset_as: ['time-from-now'],
            limit: 'as-promised',
            remaining: 'consistent',
            unexplained: 0,
            reset: 'consistent',
          },
        ],
      },
    });
    expect(results.get('rate-limit.headers-remaining')?.verdict).toBe('pass');
    expect(results.get('rate-limit.headers-reset')?.verdict).toBe('pass');
  });

  it.each<[string, SampleHistory['profile'], (k: number) => number, string | undefined]>([
    ['never change', {}, () => 99, 'remaining-constant'],
    ['never change, by a key that others use', { shared_keys: true }, () => 99, 'remaining-constant'],
    ['fall, and at once rise again', {}, (k) => 99 - (k % 5), 'remaining-rises'],
    ['fall by one', {}, (k) => 99 - k, undefined],
    ['fall by two', {}, (k) => Math.max(0, 99 - 2 * k), undefined],
    ['fall, and others free nothing', { shared_keys: true }, (k) => Math.max(0, 60 - k), undefined],
  ])('that %s are judged though nothing was rejected', async (_, profile, left, wrong) => {
    const requests = Array.from({ length: 90 }, (__, k) => atMs(k * 25, headers(left(k), 6)));
    const result = (await judge({ requests, profile: { exclusive_keys: false, ...profile } })).get(
      'rate-limit.headers-remaining',
    );
    expect(result?.reasons?.flatMap(({ params }) => ('wrong' in params ? [params.wrong] : []))).toEqual(
      wrong === undefined ? [] : [wrong],
    );
  });

  it.each<[string, (k: number) => Partial<SampleRequest>]>([
    [
      'by a 401, which may come before the limiter',
      (k) => (k % 10 === 9 ? { status: 401, ...headers(500, -5) } : truth(k)),
    ],
    [
      'to a shopper, whose acts may spend no limit',
      (k) => (k % 10 === 9 ? { endpoint: 'interact', ...headers(100, 6) } : truth(k)),
    ],
    [
      'from another address, which may have a limit of its own',
      (k) => (k % 10 === 9 ? { probe: 'scope:other-address', ...headers(99, 6) } : truth(k)),
    ],
  ])('said %s are not read', async (_, told) => {
    const results = await judge({ requests: exhausted(told) });
    expect(results.get('rate-limit.headers-remaining')?.verdict).toBe('pass');
    expect(results.get('rate-limit.headers-reset')?.verdict).toBe('pass');
  });

  it('may be those of each endpoint by itself', async () => {
    const requests = Array.from({ length: 120 }, (_, k) =>
      atMs(k * 10, {
        endpoint: k % 2 === 0 ? 'analytics' : 'list-shades',
        ...headers(99 - Math.floor(k / 2), 6),
      }),
    );
    expect((await judge({ requests })).get('rate-limit.headers-remaining')?.verdict).toBe('pass');
  });

  it('show that somebody else uses the key', async () => {
    const requests = Array.from({ length: 20 }, (_, k) => atMs(k * 100, headers(99 - 5 * k, 6)));
    const results = await judge({ requests });
    expect(results.get('rate-limit.headers-remaining')?.verdict).toBe('pass');
    // Once 3 and six times 6: a count may be late by one request, and no two falls share an answer.
    expect(results.get('rate-limit.headers')?.observed).toMatchObject({ dialects: [{ unexplained: 39 }] });
  });

  it('are not missed where none were promised', async () => {
    const within = Array.from({ length: 20 }, (_, k) => atMs(k * 100));
    expect([...(await judge({ requests: within })).keys()]).toEqual(['rate-limit.wrongful']);
    const beyond = (await judge({ requests: exhausted(() => ({})) })).get('rate-limit.headers');
    expect(beyond?.verdict).toBe('pass');
    expect(beyond?.reasons).toEqual([{ code: 'headers-none', params: { promises: false } }]);
  });

  it('are missed where refusals are promised to carry them', async () => {
    const sample: SampleHistory = {
      profile: { refusal_headers: ['Retry-After', 'RateLimit-Remaining'] },
      requests: exhausted((k) => ({ ...truth(k), ...(k === 110 ? {} : { retryAfter: '5' }) })),
    };
    const result = (await judge(sample)).get('rate-limit.headers');
    expect(result?.verdict).toBe('fail');
    expect(result?.reasons).toContainEqual({
      code: 'headers-missing',
      params: { header: 'Retry-After', missing: 1, rejected: 30 },
    });
    expect(result?.evidence).toEqual([{ what: expect.any(String), seqs: [111], total: 1 }]);
  });

  it('that a profile may promise are those that speak of limits', () => {
    expect(profileSchema.safeParse({ refusal_headers: ['X-Rate-Limit-Reset', 'retry-after'] }).success).toBe(
      true,
    );
    expect(profileSchema.safeParse({ refusal_headers: ['Set-Cookie'] }).success).toBe(false);
  });
});

describe('rate-limit.retry-after', () => {
  const id = 'rate-limit.retry-after';
  /** A run that means to go past the limit says also what it could not find out. */
  const overload = {
    name: 'overload',
    role: 'load',
    unit: 'requests',
    pace: '4000/min',
    start_ns: 0,
    end_ns: 1,
    peak_per_minute: 4_000,
  } as const;
  /** Answered after 5 ms, and told to wait 4 s. */
  const refused = (ms: number, more: Partial<SampleRequest> = {}): SampleRequest =>
    atMs(ms, { status: 429, retryAfter: '4', ...more });
  const early = (ms: number, status: number): SampleRequest =>
    atMs(ms, { status, probe: 'wait:early', ...(status === 429 ? { retryAfter: '1' } : {}) });
  const full = (ms: number, status: number): SampleRequest =>
    atMs(ms, { status, probe: 'wait:full', ...(status === 429 ? { retryAfter: '1' } : {}) });

  it.each<[string, Verdict, readonly SampleRequest[]]>([
    ['passes when who waits as told is admitted', 'pass', [refused(0), full(4_010, 200)]],
    [
      'passes when who waits less is refused, and then waits as told anew, twice',
      'pass',
      [0, 20_000].flatMap((ms) => [refused(ms), early(ms + 2_950, 429), full(ms + 3_970, 200)]),
    ],
    [
      'is inconclusive when one of several waits was tested: one may be right by luck',
      'inconclusive',
      [refused(0), early(2_950, 429), full(3_970, 200)],
    ],
    [
      'passes when who waits less is admitted: whole seconds are rounded up',
      'pass',
      [refused(0), early(3_300, 200)],
    ],
    [
      'fails when who waits as told is refused, more than once',
      'fail',
      [refused(0), full(4_010, 429), atMs(9_000), refused(10_000), full(14_010, 429)],
    ],
    [
      'is inconclusive when that happened once, and nobody else waited',
      'inconclusive',
      [refused(0), full(4_010, 429)],
    ],
    [
      'is inconclusive when every wait was too near the instant to tell',
      'inconclusive',
      [refused(0), full(4_002, 429), refused(10_000), full(14_003, 429)],
    ],
    [
      'holds nothing against a target that something else was asked of meanwhile',
      'inconclusive',
      [
        ...[refused(0), atMs(2_000, { endpoint: 'analytics' }), full(4_010, 429)],
        ...[refused(10_000), atMs(12_000, { credential: 'bystander' }), full(14_010, 429)],
      ],
    ],
    [
      'holds nothing against a target while a request without an answer may still arrive',
      'inconclusive',
      [
        atMs(0, { lost: 'timeout', answeredNs: 1e9 }),
        ...[refused(2_000), full(6_010, 429), refused(10_000), full(14_010, 429)],
      ],
    ],
    [
      'fails when a date that has come for certain did not help',
      'fail',
      [0, 20_000].flatMap((ms) => [
        refused(ms, { retryAfter: new Date(Date.UTC(2026, 4, 1, 12) + ms + 4_000).toUTCString() }),
        full(ms + 8_000, 429),
      ]),
    ],
    [
      'leaves a date in doubt that the clock of the target may not have reached',
      'inconclusive',
      [0, 20_000].flatMap((ms) => [
        refused(ms, { retryAfter: new Date(Date.UTC(2026, 4, 1, 12) + ms + 4_000).toUTCString() }),
        full(ms + 4_400, 429),
      ]),
    ],
    [
      'takes a reset at its word where there is no Retry-After',
      'fail',
      [0, 20_000].flatMap((ms) => [
        atMs(ms, { status: 429, ...headers(0, 4) }),
        atMs(ms + 5_010, { status: 429, probe: 'wait:full', ...headers(0, 4) }),
      ]),
    ],
    [
      'goes by Retry-After where there is a reset as well',
      'pass',
      [
        atMs(0, { status: 429, retryAfter: '4', ...headers(0, 1) }),
        atMs(2_500, { status: 429, retryAfter: '2', ...headers(0, 1) }),
        full(4_510, 200),
        atMs(20_000, { status: 429, retryAfter: '4', ...headers(0, 1) }),
        full(24_010, 200),
      ],
    ],
  ])('%s', async (_, verdict, requests) => {
    expect((await judge({ requests, run: { phases: [overload] } })).get(id)?.verdict).toBe(verdict);
  });
});

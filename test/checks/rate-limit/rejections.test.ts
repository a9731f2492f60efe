import { describe, expect, it } from 'vitest';
import { type SampleHistory, type SampleRequest, sampleRun } from '../../history/sample.ts';
import { judge, launched, slidingLog, steady, verdict } from './launched.ts';

describe('rate-limit.rejections', () => {
  const id = 'rate-limit.rejections';
  const withRetryAfter = (retryAfter: string) => ({ requests: launched(slidingLog, 1_000, { retryAfter }) });

  it('passes refusals without headers', async () => {
    const result = (await judge({ requests: launched(slidingLog) })).get(id);
    expect(result?.verdict).toBe('pass');
    expect(result?.observed).toMatchObject({ with_retry_after: 0 });
  });

  const zero = sampleRun.zero_epoch_ms;
  for (const [what, text] of [
    ['seconds within the window', '6'],
    ['the next whole second', '0'],
    ['an HTTP date within the window', new Date(zero + 20_000).toUTCString()],
    ['a date by a clock that is far off', new Date(zero + 86_400_000).toUTCString()],
  ] as const) {
    it(`passes a Retry-After of ${what}`, async () => {
      expect(await verdict(withRetryAfter(text), id)).toBe('pass');
    });
  }

  for (const [what, text] of [
    ['an epoch time', '1777636812'],
    ['a negative wait', '-3'],
    ['what is neither seconds nor a date', 'NaN'],
  ] as const) {
    it(`fails a Retry-After of ${what}`, async () => {
      expect(await verdict(withRetryAfter(text), id)).toBe('fail');
    });
  }

  /** Every rejection with what `text` makes of the time at which it is given, by a clock that `Date` shows. */
  const saying = (text: (nowMs: number, k: number) => string) => ({
    requests: launched(slidingLog).map((request, k) => {
      const nowMs = zero + (request.answeredNs ?? 0) / 1e6;
      const dated = { ...request, serverDateMs: Math.floor(nowMs / 1e3) * 1e3 };
      return request.status === 429 ? { ...dated, retryAfter: text(nowMs, k) } : dated;
    }),
  });
  const http = (ms: number): string => new Date(ms).toUTCString();
  const hourMs = 3_600_000;

  it.each<[string, (nowMs: number, k: number) => string, how: string | undefined]>([
    ['seconds', () => '6', undefined],
    ['an HTTP date', (now) => http(now + 6_000), undefined],
    [
      'an HTTP date of the older form',
      (now) => http(now + 6_000).replace(/^(\w+), (\d+) (\w+) 20(\d+)/, 'Friday, $2-$3-$4'),
      undefined,
    ],
    ['milliseconds', () => '6000', 'in milliseconds'],
    ['seconds since 1970', (now) => String(Math.ceil(now / 1e3) + 6), 'an instant in place of a wait'],
    ['milliseconds since 1970', (now) => String(Math.ceil(now) + 6_000), 'an instant in place of a wait'],
    ['seconds with a fraction', () => '5.5', 'not in whole seconds'],
    ['seconds with a minus', () => '-3', 'negative'],
    ['a date 2 h late', (now) => http(now + 6_000 + 2 * hourMs), 'a date of another zone, 2 h too late'],
    [
      'a date of half an hour more than 5 h early',
      (now) => http(now + 6_000 - 5.5 * hourMs),
      'a date of another zone, 5 h 30 min too early',
    ],
    ['a date in the past', (now) => http(now - 60_000), 'a date in the past'],
    [
      'a date with another zone than GMT, though it is right',
      (now) => http(now + 6_000 + 2 * hourMs).replace('GMT', '+0200'),
      'a date, but not in a form of HTTP',
    ],
    ['a date of ISO 8601', (now) => new Date(now + 6_000).toISOString(), 'a date, but not in a form of HTTP'],
    ['words', () => 'soon', 'neither seconds nor a date'],
    ['an hour', () => '3600', 'too long'],
    [
      'now an instant, now words',
      (now, k) => (k % 3 > 0 ? String(Math.ceil(now / 1e3) + 6) : 'soon'),
      'now an instant in place of a wait, now neither seconds nor a date',
    ],
  ])('names a Retry-After of %s', async (_, text, how) => {
    const results = await judge(saying(text));
    const judged = [id, 'rate-limit.retry-after'].flatMap((each) => results.get(each) ?? []);
    const said = judged.flatMap(({ causes = [] }) =>
      causes.flatMap(({ cause }) => (cause.code === 'retry-after-wrong' ? [cause.params.how] : [])),
    );
    expect(said[0]).toBe(how);
    expect(judged.some(({ verdict }) => verdict === 'fail')).toBe(how !== undefined);
  });

  it('says what it judges, and no more', async () => {
    expect((await judge(withRetryAfter('6'))).get(id)?.title).toBe(
      'Retry-After of a 429 names a possible wait',
    );
  });

  /** A hundred and ten requests admitted, ten refused with a word on when to come back, and requests of `status` from `fromMs` on. */
  const locked = (retryAfter: string, fromMs: number, count: number, later: Partial<SampleRequest> = {}) => ({
    requests: [
      ...steady(110, 0, 10, {}),
      ...steady(10, 1_100, 10, { status: 429, retryAfter }),
      ...steady(count, fromMs, 500, later),
    ],
  });

  const retry = 'rate-limit.retry-after';
  it.each<[string, SampleHistory, (string | undefined)[]]>([
    ['kept to the end of the run, passes', locked('300', 20_000, 200, { status: 429 }), []],
    ['kept until it is over, which no limiter of 6 s needs, fails', locked('300', 301_200, 50), [retry]],
    ['after 20 s admitted, fails', locked('300', 20_000, 50), [retry]],
    ['admitted meanwhile on another endpoint', locked('300', 20_000, 50, { endpoint: 'analytics' }), []],
    ['while another key was admitted, passes', locked('300', 20_000, 50, { credential: 'bystander' }), []],
    ['of a day and more, whatever happened', locked('90000', 20_000, 50, { status: 429 }), [id]],
  ])('a Retry-After of 300 s, %s', async (_, sample, failing) => {
    const results = await judge(sample);
    expect([id, retry].filter((each) => results.get(each)?.verdict === 'fail')).toEqual(failing);
    expect(results.get(id)?.reasons.map(({ code }) => code)).toContain('rejections-wrong');
  });

  it('names the rate limit headers it saw', async () => {
    const limitHeaders = 'RateLimit-Limit: 100 | RateLimit-Remaining: 0';
    const result = (await judge({ requests: launched(slidingLog, 1_000, { limitHeaders }) })).get(id);
    expect(result?.observed).toMatchObject({ limit_headers: ['ratelimit-limit', 'ratelimit-remaining'] });
  });

  it('is inconclusive when nothing was refused', async () => {
    expect(await verdict({ requests: steady(120, 0, 50, {}) }, id)).toBe('inconclusive');
  });
});

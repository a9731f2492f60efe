import { describe, expect, it } from 'vitest';
import { checkRateLimit } from '../../src/checks/rate-limit.ts';
import type { CheckResult, Verdict } from '../../src/checks/verdict.ts';
import type { RunInfo } from '../../src/history/run.ts';
import { ambiguous, limited } from '../../src/limits/trace.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import { type SampleHistory, type SampleRequest, sampleRun, withHistory } from '../history/sample.ts';
import { crookedLimiters, honestLimiters, type LimiterMaker, launchTrace } from '../limits/simulate.ts';

/** The launch scenario at a tenth of its length: 100 requests in 6 s are promised. */
const factor = 10;
const profile: ProfileInput = { rate_limit: '100/6s' };

function phase(role: 'load' | 'quota' | 'bystander', perMinute: number): RunInfo['phases'][number] {
  return {
    name: 'overload',
    role,
    unit: 'requests',
    pace: `${perMinute}/min`,
    start_ns: 0,
    end_ns: 1,
    peak_per_minute: perMinute,
  };
}
/** Nobody has used these keys before the run. */
const embedded = { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' } as const;
const meantToExceed: Partial<RunInfo> = { phases: [phase('load', 4_000)] };

/** What a client saw of a limiter under the launch load; refusals as `refusal` says. */
function launched(make: LimiterMaker, limit = 1_000, refusal: Partial<SampleRequest> = {}): SampleRequest[] {
  const trace = launchTrace(make, limit, 1, factor);
  return Array.from(trace.outcome, (outcome, i) => ({
    endpoint: 'list-shades' as const,
    sentNs: Math.round(trace.sentNs[i] ?? 0),
    answeredNs: Math.round(trace.answeredNs[i] ?? 0),
    ...(outcome === ambiguous ? { lost: 'timeout' as const } : { status: outcome === limited ? 429 : 200 }),
    ...(outcome === limited ? refusal : {}),
  }));
}

/** Requests every `everyMs` from `fromMs`, answered with `status`. */
function steady(
  count: number,
  fromMs: number,
  everyMs: number,
  request: Partial<SampleRequest>,
): SampleRequest[] {
  return Array.from({ length: count }, (_, k) => ({
    endpoint: 'list-shades' as const,
    sentNs: (fromMs + k * everyMs) * 1e6,
    ...request,
  }));
}

const fixedWindow = honestLimiters['fixed window, first request'].make;
const slidingLog = honestLimiters['sliding log'].make;

/** Judges a history in which the overload was meant, unless it says otherwise. */
async function judge(sample: SampleHistory): Promise<Map<string, CheckResult>> {
  const requests = sample.requests?.toSorted((a, b) => (a.sentNs ?? 0) - (b.sentNs ?? 0));
  const results = await withHistory(
    {
      ...sample,
      run: { target: embedded, ...(sample.run ?? meantToExceed) },
      profile: { ...profile, ...sample.profile },
      ...(requests ? { requests } : {}),
    },
    checkRateLimit,
  );
  return new Map(results.map((result) => [result.id, result]));
}

async function verdict(sample: SampleHistory, id: string): Promise<Verdict | undefined> {
  return (await judge(sample)).get(id)?.verdict;
}

/** Quiet load, within the limit by any reading: 10 a second for 5 s, with refusals of its 20th to 22nd request. */
const refusedWhenQuiet = steady(50, 0, 100, {}).map((request, k) =>
  k >= 20 && k < 23 ? { ...request, status: 429 } : request,
);

describe('rate-limit.wrongful', () => {
  const id = 'rate-limit.wrongful';

  it('passes when nothing was refused under the limit', async () => {
    expect(await verdict({ run: {}, requests: steady(50, 0, 100, {}) }, id)).toBe('pass');
  });

  it('passes when every refusal came past the limit', async () => {
    expect(await verdict({ requests: launched(fixedWindow) }, id)).toBe('pass');
  });

  it('fails on refusals where any limiter had room, and names them', async () => {
    const result = (await judge({ run: {}, requests: refusedWhenQuiet })).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.evidence[0]?.seqs).toEqual([21, 22, 23]);
  });

  it('holds nothing against a foreign target that somebody else’s use of the key before the run would explain', async () => {
    const run = { target: { ...embedded, kind: 'foreign' as const } };
    expect(await verdict({ run, requests: refusedWhenQuiet }, id)).toBe('pass');
    const later = [...steady(20, 0, 100, {}), ...steady(50, 8_000, 100, { status: 429 })];
    expect(await verdict({ run, requests: later }, id)).toBe('fail');
  });

  it('is inconclusive when nothing was answered', async () => {
    expect(await verdict({ run: {}, requests: steady(5, 0, 100, { lost: 'timeout' }) }, id)).toBe(
      'inconclusive',
    );
  });

  it('is not put in doubt by a key that was used in passing', async () => {
    const requests = [...steady(50, 0, 100, {}), ...steady(1, 50, 1, { credential: 'quota', status: 404 })];
    expect(await verdict({ run: {}, requests }, id)).toBe('pass');
  });

  it('is inconclusive when nothing was sent', async () => {
    expect(await verdict({ run: {} }, id)).toBe('inconclusive');
  });

  it('does not hold refusals against the target while unanswered requests may have filled the window', async () => {
    const requests = [
      ...steady(100, 0, 10, { lost: 'timeout', answeredNs: 5e9 }),
      ...steady(3, 1_100, 10, { status: 429 }),
      ...steady(3, 30_000, 10, {}),
    ];
    expect(await verdict({ run: {}, requests }, id)).toBe('pass');
  });
});

describe('rate-limit.enforced', () => {
  const id = 'rate-limit.enforced';

  for (const [name, { make, algorithm }] of Object.entries(honestLimiters)) {
    it(`passes a ${name} of the promised limit, whether or not the profile names the algorithm`, async () => {
      const requests = launched(make);
      expect(await verdict({ requests }, id)).toBe('pass');
      expect(await verdict({ requests, profile: { limiter: algorithm } }, id)).toBe('pass');
    });
  }

  it('fails a limit of 90 where 100 are promised, and says what it looks like', async () => {
    const result = (await judge({ requests: launched(fixedWindow, 900) })).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.explanation).toContain(
      'looks like a fixed window opened by a request of 90 per 6 s, not of 100',
    );
  });

  it('fails a limiter of another kind than the profile promises', async () => {
    const result = (
      await judge({ requests: launched(fixedWindow), profile: { limiter: 'sliding-log' } })
    ).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.explanation).toContain('looks like a fixed window');
    expect(result?.explanation).toContain('not a sliding-log of 100');
  });

  it('fails when nothing is ever refused', async () => {
    const result = (await judge({ requests: launched(crookedLimiters.none) })).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.explanation).toContain('not enforced');
  });

  it('fails when another status stands in for 429', async () => {
    const result = (await judge({ requests: launched(fixedWindow, 1_000, { status: 503 }) })).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.explanation).toContain('503 instead of 429');
  });

  it('is inconclusive when the load stayed within what a lenient limiter admits', async () => {
    expect(await verdict({ requests: steady(120, 0, 50, {}) }, id)).toBe('inconclusive');
  });

  it('is inconclusive when the run ended before anything was sent', async () => {
    expect(await verdict({}, id)).toBe('inconclusive');
  });

  it('is left out, with all that belongs to it, when the run neither meant to exceed the limit nor was refused', async () => {
    const results = await judge({ run: { phases: [phase('load', 600)] }, requests: steady(50, 0, 100, {}) });
    expect([...results.keys()]).toEqual(['rate-limit.wrongful']);
  });
});

describe('rate-limit.admitted', () => {
  const id = 'rate-limit.admitted';

  it('passes twice the limit around a boundary, where a fixed window is not ruled out', async () => {
    const result = (await judge({ requests: launched(fixedWindow) })).get(id);
    expect(result).toMatchObject({ verdict: 'pass', expected: { max: 200 } });
  });

  it('fails the same where a sliding log is promised', async () => {
    const result = (
      await judge({ requests: launched(fixedWindow), profile: { limiter: 'sliding-log' } })
    ).get(id);
    expect(result).toMatchObject({ verdict: 'fail', expected: { max: 100 } });
    expect(result?.evidence[0]?.total).toBeGreaterThan(100);
  });

  it('passes a sliding log at exactly the limit', async () => {
    const result = (await judge({ requests: launched(slidingLog) })).get(id);
    expect(result).toMatchObject({ verdict: 'pass', observed: { min: 100 } });
  });

  it('is inconclusive when nothing was refused', async () => {
    expect(await verdict({ requests: steady(120, 0, 50, {}) }, id)).toBe('inconclusive');
  });
});

describe('rate-limit.recovery', () => {
  const id = 'rate-limit.recovery';
  const overload = launched(slidingLog);
  const longAfterMs = 60_000;

  it('passes when requests long after the overload are admitted', async () => {
    const requests = [...overload, ...steady(5, longAfterMs, 500, {})];
    expect(await verdict({ requests }, id)).toBe('pass');
  });

  it('fails when the key is still locked out', async () => {
    const requests = [...overload, ...steady(5, longAfterMs, 500, { status: 429 })];
    const result = (await judge({ requests })).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.evidence[0]?.total).toBe(5);
  });

  it('is inconclusive when nothing was sent after the overload', async () => {
    const firstRefused = overload.findIndex((each) => each.status === 429);
    expect(await verdict({ requests: overload.slice(0, firstRefused + 20) }, id)).toBe('inconclusive');
  });
});

describe('rate-limit.isolation', () => {
  const id = 'rate-limit.isolation';
  const overload = launched(slidingLog);
  const firstRefusedMs = (overload.find((each) => each.status === 429)?.sentNs ?? 0) / 1e6;
  const bystander = (status: number) =>
    steady(20, firstRefusedMs + 100, 150, { credential: 'bystander', status });

  it('passes when a bystander goes through while another key is refused', async () => {
    expect(await verdict({ requests: [...overload, ...bystander(200)] }, id)).toBe('pass');
  });

  it('is inconclusive without a bystander, and says so', async () => {
    const result = (await judge({ requests: overload })).get(id);
    expect(result?.verdict).toBe('inconclusive');
    expect(result?.explanation).toContain('bystander');
  });

  it('is left out of a run that did not mean to exceed the limit and touched the bystander key in passing', async () => {
    const requests = [...steady(50, 0, 100, {}), ...steady(1, 50, 1, { credential: 'bystander' })];
    expect(await verdict({ run: {}, requests }, id)).toBeUndefined();
  });

  it('fails when the bystander is refused though each key is promised a limit of its own', async () => {
    const requests = [...overload, ...bystander(429)];
    expect(await verdict({ requests, profile: { limit_scope: 'per-key' } }, id)).toBe('fail');
  });

  it('fails when the bystander is refused and no shared limit explains it', async () => {
    const requests = [...overload, ...bystander(200), ...steady(5, longQuietMs, 100, bystanderRefused)];
    expect(await verdict({ requests }, id)).toBe('fail');
  });

  it('reports a limit that all keys share as a convention', async () => {
    // One sliding log saw everything; every seventh request was the bystander's.
    const requests = overload.map((each, k) =>
      k % 7 === 0 ? { ...each, credential: 'bystander' as const } : each,
    );
    const results = await judge({ requests });
    expect(results.get(id)).toMatchObject({ verdict: 'pass' });
    expect(results.get('rate-limit.enforced')).toMatchObject({ verdict: 'pass' });
    expect(results.get('rate-limit.enforced')?.explanation).toContain('all keys share one limit');
    expect(await verdict({ requests, profile: { limit_scope: 'shared' } }, id)).toBe('pass');
    expect(await verdict({ requests, profile: { limit_scope: 'per-key' } }, id)).toBe('fail');
  });
});

const longQuietMs = 60_000;
const bystanderRefused = { credential: 'bystander', status: 429 } as const;

describe('rate-limit.rejections', () => {
  const id = 'rate-limit.rejections';
  const withRetryAfter = (retryAfter: string) => ({ requests: launched(slidingLog, 1_000, { retryAfter }) });

  it('passes refusals without headers, and shows what they cost in time', async () => {
    const result = (await judge({ requests: launched(slidingLog) })).get(id);
    expect(result?.verdict).toBe('pass');
    expect(result?.observed).toMatchObject({
      with_retry_after: 0,
      service_time_ms: { 429: { p50: expect.any(Number) } },
    });
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
    ['milliseconds', '6000'],
    ['an epoch time', '1777636812'],
    ['a negative wait', '-3'],
  ] as const) {
    it(`fails a Retry-After of ${what}`, async () => {
      expect(await verdict(withRetryAfter(text), id)).toBe('fail');
    });
  }

  it('says what it judges, and no more', async () => {
    expect((await judge(withRetryAfter('6'))).get(id)?.title).toBe('Headers of refusals are plausible');
  });

  /** A hundred and ten requests admitted, ten refused with a word on when to come back, and requests of `status` from `fromMs` on. */
  const locked = (retryAfter: string, fromMs: number, count: number, later: Partial<SampleRequest> = {}) => ({
    requests: [
      ...steady(110, 0, 10, {}),
      ...steady(10, 1_100, 10, { status: 429, retryAfter }),
      ...steady(count, fromMs, 500, later),
    ],
  });

  it.each<[string, SampleHistory, Verdict, RegExp]>([
    [
      'of 300 s, kept to the end of the run, passes',
      locked('300', 20_000, 200, { status: 429 }),
      'pass',
      /Retry-After: 300 asks for a wait of 300 s, where two windows last 12 s; nothing contradicts it/,
    ],
    ['of 300 s, kept until it is over, passes', locked('300', 301_200, 50), 'pass', /nothing contradicts it/],
    [
      'of 300 s, a little early admitted, passes',
      locked('300', 296_000, 50),
      'pass',
      /nothing contradicts it/,
    ],
    [
      'of 300 s, after 20 s admitted again and again, fails',
      locked('300', 20_000, 50),
      'fail',
      /Retry-After: 300 asks for a wait of 300 s, yet the same key was admitted 3 times and more/,
    ],
    [
      'of 300 s, admitted twice meanwhile, passes',
      locked('300', 20_000, 2),
      'pass',
      /nothing contradicts it/,
    ],
    [
      'of 300 s, admitted meanwhile on another endpoint, passes',
      locked('300', 20_000, 50, { endpoint: 'analytics' }),
      'pass',
      /nothing contradicts it/,
    ],
    [
      'of 300 s, while another key was admitted, passes',
      locked('300', 20_000, 50, { credential: 'bystander' }),
      'pass',
      /nothing contradicts it/,
    ],
    [
      'of more than a day fails, whatever happened',
      locked('90000', 20_000, 50, { status: 429 }),
      'fail',
      /over a day: it looks like an epoch time or milliseconds/,
    ],
  ])('a Retry-After %s', async (_, sample, verdict, words) => {
    const result = (await judge(sample)).get(id);
    expect(result?.explanation).toMatch(words);
    expect(result?.verdict).toBe(verdict);
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

describe("shoppers' acts on the interaction channel", () => {
  const id = 'rate-limit.enforced';
  // Every third request that the limiter saw was an act; without them the limit looks like two thirds of itself.
  const requests = launched(slidingLog).map((each, k) =>
    k % 3 === 0
      ? { ...each, endpoint: 'interact' as const, credential: 'session' as const, sessionId: 's' }
      : each,
  );
  const opening: SampleRequest = {
    endpoint: 'create-session',
    sessionId: 's',
    sentNs: -1e9,
    answeredNs: -1e9 + 5e6,
  };
  const all = [opening, ...requests];

  it('spend the limit of the key that opened the session where the profile says so', async () => {
    const channel = { counts_against_rate_limit: true };
    expect(await verdict({ requests: all, profile: { channel } }, id)).toBe('pass');
  });

  it('do not where the profile says so: what is left then looks like a lower limit', async () => {
    expect(await verdict({ requests: all, profile: { channel: {} } }, id)).toBe('fail');
  });

  it('are found to spend it where the profile leaves that open', async () => {
    const result = (await judge({ requests: all })).get(id);
    expect(result?.verdict).toBe('pass');
    expect(result?.explanation).toContain("shoppers' acts spend the limit");
  });
});

describe('where requests may be delivered again', () => {
  /** Its limiter meets each request so often, and one of the answers is passed on. */
  const metTimes =
    (times: number, make: LimiterMaker): LimiterMaker =>
    (limit, windowMs, random) => {
      const limiter = make(limit, windowMs, random);
      return (ms) => {
        const answers = Array.from({ length: times }, () => limiter(ms));
        return answers[Math.floor(random() * times)] ?? false;
      };
    };
  const failedIn = async (sample: SampleHistory): Promise<string[]> =>
    [...(await judge(sample)).values()].flatMap(({ id, verdict: found }) => (found === 'fail' ? [id] : []));

  for (const [name, { make, algorithm }] of Object.entries(honestLimiters)) {
    it(`a ${name} that meets each of them twice is accused of nothing, if the profile says so`, async () => {
      const requests = launched(metTimes(2, make));
      const told = { limit_scope: 'per-key' } as const;
      for (const limiter of ['unspecified', algorithm] as const)
        expect(await failedIn({ requests, profile: { ...told, limiter, redeliveries: 1 } }), limiter).toEqual(
          [],
        );
      expect(await failedIn({ requests, profile: told })).not.toEqual([]);
    });
  }

  it('what was spent by nobody is reported, and why nobody is accused of it', async () => {
    const results = await judge({
      requests: launched(metTimes(2, slidingLog)),
      profile: { redeliveries: 1 },
    });
    expect(results.get('rate-limit.others')).toMatchObject({ verdict: 'inconclusive' });
    expect(results.get('rate-limit.wrongful')).toMatchObject({
      verdict: 'inconclusive',
      explanation: expect.stringContaining('delivered up to 2 times (profile: redeliveries)'),
    });
  });

  it('a limit that lets more through than is promised fails all the same', async () => {
    const requests = launched(slidingLog, 2_500);
    expect(await failedIn({ requests, profile: { redeliveries: 5 } })).toContain('rate-limit.enforced');
    const twice = launched(metTimes(2, slidingLog), 5_000);
    expect(await failedIn({ requests: twice, profile: { redeliveries: 1 } })).toContain(
      'rate-limit.enforced',
    );
  });

  it('a bystander that may have come near its own limit by them is not judged by its refusals', async () => {
    const overload = launched(slidingLog);
    const refusedMs = (overload.find(({ status }) => status === 429)?.sentNs ?? 0) / 1e6;
    const requests = [
      ...overload,
      ...steady(10, refusedMs + 100, 150, { credential: 'bystander' }),
      // Thirty in two windows: not half of its limit, unless each was delivered twice.
      ...steady(40, longQuietMs, 400, { credential: 'bystander' }),
      ...steady(5, longQuietMs + 16_000, 100, bystanderRefused),
    ];
    const isolation = (redeliveries: number): Promise<Verdict | undefined> =>
      verdict({ requests, profile: { limit_scope: 'per-key', redeliveries } }, 'rate-limit.isolation');
    expect(await isolation(0)).toBe('fail');
    expect(await isolation(1)).toBe('pass');
  });
});

describe('a run too long to be judged as a whole', () => {
  const judgeFirst = (requests: SampleRequest[], most: number): Promise<readonly CheckResult[]> =>
    withHistory({ requests, run: { target: embedded, ...meantToExceed }, profile }, (history) =>
      checkRateLimit(history, most),
    );
  const verdictsOf = (results: readonly CheckResult[]): Verdict[] => [
    ...new Set(results.map(({ verdict }) => verdict)),
  ];

  it('is judged by its first requests, and does not pass by them', async () => {
    const requests = launched(slidingLog);
    const whole = await judgeFirst(requests, requests.length);
    expect(verdictsOf(whole)).toContain('pass');
    const [first] = await judgeFirst(requests, requests.length - 50);
    expect(first).toMatchObject({
      verdict: 'inconclusive',
      explanation: expect.stringContaining('the 50 sent after them are too many'),
    });
  });

  it('fails by them, if they show a fault', async () => {
    const refused = steady(40, 0, 300, { status: 429 });
    const [first] = await judgeFirst(refused, 30);
    expect(first).toMatchObject({ id: 'rate-limit.wrongful', verdict: 'fail' });
  });

  it('is not accused of what requests can have brought about that were left out', async () => {
    // Forty refusals are answered only when a hundred more requests are on their way.
    const busy = [
      ...steady(40, 0, 300, { answeredNs: 13e9, status: 429 }),
      ...steady(100, 12_100, 1, { answeredNs: 12.9e9, status: 200 }),
    ];
    const [alone] = await judgeFirst(busy.slice(0, 40), 40);
    expect(alone?.verdict).toBe('fail');
    const [first] = await judgeFirst(busy, 40);
    expect(first?.verdict).toBe('inconclusive');
  });
});

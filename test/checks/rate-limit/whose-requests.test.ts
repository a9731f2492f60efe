import { describe, expect, it } from 'vitest';
import type { CheckResult, Verdict } from '../../../src/checks/core/verdict.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { rowsOf } from '../../effort.ts';
import { type SampleHistory, type SampleRequest, withHistory } from '../../history/sample.ts';
import { honestLimiters, type LimiterMaker } from '../../limits/simulate.ts';
import {
  bystanderRefused,
  embedded,
  judge,
  launched,
  longQuietMs,
  meantToExceed,
  profile,
  slidingLog,
  steady,
  verdict,
} from './launched.ts';
import { renderedRateLimit } from './rendered.ts';

describe('interactions', () => {
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
    const channel = { counts_against_rate_limit: false };
    expect(await verdict({ requests: all, profile: { channel } }, id)).toBe('fail');
  });

  it.each<[string, ProfileInput]>([
    ['says nothing of a channel', {}],
    ['says where it is, and no more', { channel: { path: '/acts/{session_id}', auth: 'session-token' } }],
    ['says that there is one', { channel: {} }],
  ])('are found to spend it where the profile %s', async (_, profile) => {
    const results = await judge({ requests: all, profile });
    expect(results.get(id)?.verdict).toBe('pass');
    expect(results.get(id)?.reasons).toContainEqual({ code: 'found-interactions-count', params: {} });
    expect([...results.values()].filter((each) => each.verdict === 'fail')).toEqual([]);
  });

  it.each<[string, ProfileInput]>([
    ['says so', { channel: { counts_against_rate_limit: true } }],
    ['leaves that open', {}],
  ])('are in what a study infers the limiter from, where the profile %s', async (_, profile) => {
    const run = { studies: [{ kind: 'limits' as const, budget_ms: 1 }] };
    const results = await judge({ requests: all, profile, run });
    expect(results.get('rate-limit.algorithm')?.explanation).not.toContain('No known kind');
    expect(results.get('rate-limit.limit')?.observed).toMatchObject({
      'sliding window': {
        min: expect.toSatisfy((min) => min <= 100),
        max: expect.toSatisfy((max) => max >= 100),
      },
    });
  });

  it('that were never refused, but explain the refusals of others, are found to spend it too', async () => {
    const admitted = all.filter((each) => each.endpoint !== 'interact' || each.status !== 429);
    expect((await judge({ requests: admitted })).get(id)?.reasons).toContainEqual({
      code: 'found-interactions-count',
      params: {},
    });
  });
});

describe('where somebody else sends a few requests with the key now and then', () => {
  /** Three in a window of a hundred, at intervals that vary. */
  const among =
    (make: LimiterMaker): LimiterMaker =>
    (limit, windowMs, random) => {
      const limiter = make(limit, windowMs, random);
      let nextMs = -windowMs * random();
      return (ms) => {
        for (; nextMs < ms; nextMs += (windowMs / 3) * (0.8 + 0.4 * random())) limiter(nextMs);
        return limiter(ms);
      };
    };
  const foreign = { kind: 'foreign', base_url: 'http://127.0.0.1:1/v1' } as const;
  const found = async (make: LimiterMaker, profile: ProfileInput, limit?: number) =>
    [
      ...(
        await judge({ requests: launched(make, limit), profile, run: { ...meantToExceed, target: foreign } })
      ).values(),
    ].filter(({ id }) => id === 'rate-limit.wrongful' || id === 'rate-limit.enforced');
  const short = ['sliding log', 'fixed window, first request'];
  // One that counts rejections is never free again under the load: that is one window.
  const kinds = rowsOf(
    Object.entries(honestLimiters).filter(([name]) => name !== 'sliding log, rejections count'),
    ([name]) => short.includes(name),
  );
  const exact = kinds.filter(([, { algorithm }]) => algorithm !== 'sliding-counter');

  it.each(kinds)('a %s is not accused', async (_, { algorithm, make }) => {
    for (const limiter of ['unspecified', algorithm] as const) {
      const results = await found(among(make), { limiter, limit_scope: 'per-key' });
      expect(
        results.filter(({ verdict }) => verdict === 'fail'),
        limiter,
      ).toEqual([]);
    }
  });

  it('what that would explain is said, and not where the profile excludes it', async () => {
    const profile = { limiter: 'sliding-log', limit_scope: 'per-key' } as const;
    const { make } = honestLimiters['sliding log'];
    const open = await found(among(make), profile);
    expect(open.map(({ reasons }) => reasons.map(({ code }) => code))).toEqual([
      expect.arrayContaining(['set-aside-use-meanwhile']),
      expect.arrayContaining(['set-aside-use-meanwhile']),
    ]);
    const alone = await found(among(make), { ...profile, exclusive_keys: true });
    expect(alone.map(({ verdict }) => verdict)).toEqual(['fail', 'fail']);
  });

  it.each(exact)(
    'a %s of 95 is told from it, since others do not use the same number in each window',
    async (_, { algorithm, make }) => {
      const [, enforced] = await found(make, { limiter: algorithm, limit_scope: 'per-key' }, 950);
      expect(enforced?.verdict).toBe('fail');
    },
  );
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

  // What drains meets twice as much as promised at every instant; what counts in windows is tried in the longer tests.
  const short = ['token bucket'];
  for (const [name, { make, algorithm }] of rowsOf(Object.entries(honestLimiters), ([name]) =>
    short.includes(name),
  )) {
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
      reasons: expect.arrayContaining([{ code: 'others-redelivered', params: { deliveries: 2 } }]),
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
      // Thirty in a window: not half of its limit, unless each was delivered twice.
      ...steady(40, longQuietMs, 200, { credential: 'bystander' }),
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
      renderedRateLimit(history, most),
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
      reasons: expect.arrayContaining([
        { code: 'only-first-judged', params: { judged: requests.length - 50, left: 50 } },
      ]),
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

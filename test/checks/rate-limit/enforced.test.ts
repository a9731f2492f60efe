import { describe, expect, it } from 'vitest';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { rowsOf } from '../../effort.ts';
import type { SampleRequest } from '../../history/sample.ts';
import { crookedLimiters, honestLimiters, type LimiterMaker } from '../../limits/simulate.ts';
import {
  embedded,
  fixedWindow,
  judge,
  launched,
  meantToExceed,
  phase,
  refusedWhenQuiet,
  slidingLog,
  steady,
  verdict,
} from './launched.ts';

/** A target whose keys others may have used before the run. */
const foreign = { ...embedded, kind: 'foreign' as const };

/** In `npm test` one kind that counts in windows, one that forgets request by request, one that refills; all: assumptions.test.ts. */
const isUsual = (name: string): boolean =>
  ['fixed window, first request', 'sliding log', 'token bucket'].includes(name);

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

  const told = (left: number, each: SampleRequest, place: number): SampleRequest => ({
    ...each,
    limitHeaders: `ratelimit-limit: 100 | ratelimit-remaining: ${Math.max(0, left - place)}`,
  });
  it.each<[string, string, ProfileInput, readonly SampleRequest[]]>([
    ['leaves open what use of the key before the run would explain', 'inconclusive', {}, refusedWhenQuiet],
    ['fails it where the keys are for this run alone', 'fail', { exclusive_keys: true }, refusedWhenQuiet],
    [
      'fails it where headers show that nothing was spent before',
      'fail',
      {},
      refusedWhenQuiet.map((each, place) => told(99, each, place)),
    ],
    [
      'leaves it open where headers show that something was',
      'inconclusive',
      {},
      refusedWhenQuiet.map((each, place) => told(19, each, place)),
    ],
    [
      'fails what comes more than a window later, which no earlier use explains',
      'fail',
      {},
      [...steady(20, 0, 100, {}), ...steady(50, 8_000, 100, { status: 429 })],
    ],
    [
      'passes what the requests of the run explain by themselves',
      'pass',
      {},
      launched(slidingLog).slice(0, 300),
    ],
  ])('%s: %s', async (_, expected, own, requests) => {
    const results = await judge({ run: { target: foreign }, profile: own, requests });
    expect(results.get(id)?.verdict).toBe(expected);
  });

  it('counts what it leaves open, and says what would decide it', async () => {
    const result = (await judge({ run: { target: foreign }, requests: refusedWhenQuiet })).get(id);
    expect(result?.explanation).toContain('Within the first 6 s, 3 requests with the load key got 429.');
    expect(result?.explanation).toContain('exclusive_keys');
    expect(result?.evidence[0]?.seqs).toEqual([21, 22, 23]);
  });

  it.each(rowsOf(Object.entries(honestLimiters), ([name]) => isUsual(name)))(
    'and its like hold no use of the key right before the run against an honest %s',
    async (_, { make }) => {
      const usedUp: LimiterMaker = (limit, windowMs, random) => {
        const limiter = make(limit, windowMs, random);
        for (let ms = 0; ms < limit; ms++) limiter(ms);
        return (ms) => limiter(ms + limit);
      };
      const results = await judge({
        run: { ...meantToExceed, target: foreign },
        requests: launched(usedUp),
      });
      const failed = [...results.values()].filter((result) => result.verdict === 'fail');
      expect(failed.map((result) => `${result.id}: ${result.explanation}`)).toEqual([]);
    },
  );

  it.each(['fixed window, aligned', 'fixed window, first request', 'sliding log'] as const)(
    'and rate-limit.enforced fail a %s of 70 where 100 are promised, although others may have used the key before',
    async (kind) => {
      const results = await judge({
        run: { ...meantToExceed, target: foreign },
        requests: launched(honestLimiters[kind].make, 700),
      });
      const enforced = results.get('rate-limit.enforced');
      expect([results.get(id)?.verdict, enforced?.verdict]).toEqual(['fail', 'fail']);
      expect(enforced?.causes?.[0]?.cause).toMatchObject({
        code: 'limit-differs',
        params: { least: 70, most: 70, promised: 100 },
      });
    },
  );

  it('names in a pass the rejections that it is not about', async () => {
    const requests = [...steady(50, 0, 100, {}), ...steady(3, 20, 1_000, { credential: 'bad', status: 429 })];
    const result = (await judge({ run: {}, requests })).get(id);
    expect(result?.verdict).toBe('pass');
    expect(result?.reasons).toContainEqual({
      code: 'wrongful-not-judged',
      params: { rejected: 3, interactions: 0 },
    });
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

  for (const [name, { make, algorithm }] of rowsOf(Object.entries(honestLimiters), ([kind]) =>
    isUsual(kind),
  )) {
    it(`passes a ${name} of the promised limit, whether or not the profile names the algorithm`, async () => {
      const requests = launched(make);
      expect(await verdict({ requests }, id)).toBe('pass');
      expect(await verdict({ requests, profile: { limiter: algorithm } }, id)).toBe('pass');
    });
  }

  it('fails a limit of 90 where 100 are promised, and says what it looks like', async () => {
    const result = (await judge({ requests: launched(fixedWindow, 900) })).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.reasons).toEqual([
      {
        code: 'enforced-other-limiter',
        params: {
          stream: { key: 'load', endpoint: null },
          limit: { requests: 100, windowMs: 6_000 },
          promised: null,
          limiter: 'fixed window (started by the first request)',
          limits: { min: 90, max: 90 },
        },
      },
    ]);
  });

  it.each(
    rowsOf(
      [
        ['shorter than promised', 0.93],
        ['longer than promised, with as much more in it', 1.4],
      ],
      (_, place) => place === 0,
    ),
  )('fails a window %s, and says how long it is', async (_, times) => {
    const make: LimiterMaker = (limit, windowMs, random) =>
      slidingLog(times > 1 ? limit * times : limit, windowMs * times, random);
    const result = (await judge({ requests: launched(make) })).get(id);
    expect(result?.reasons).toMatchObject([
      { code: 'enforced-other-window', params: { limiter: 'sliding window' } },
    ]);
    const { leastMs = 0, mostMs = 0 } = (result?.causes?.[0]?.cause.params ?? {}) as Record<string, number>;
    expect(leastMs).toBeLessThanOrEqual(6_000 * times);
    expect(mostMs).toBeGreaterThanOrEqual(6_000 * times);
    expect(mostMs - leastMs).toBeLessThan(60);
  });

  it.each(
    rowsOf<[string, ProfileInput, string]>(
      [
        ['is in doubt', {}, 'inconclusive'],
        ['fails where all endpoints are to share the limit', { limit_endpoints: 'together' }, 'fail'],
      ],
      (_, place) => place === 0,
    ),
  )('names an endpoint that no limit holds for, and %s', async (_, told, expected) => {
    const free = steady(40, 9_000, 12, { endpoint: 'analytics' });
    const result = (await judge({ requests: [...launched(slidingLog), ...free], profile: told })).get(id);
    expect(result?.reasons).toMatchObject([
      { code: 'enforced-endpoints-exempt', params: { endpoints: ['analytics'], limiter: 'sliding window' } },
    ]);
    expect(result?.verdict).toBe(expected);
  });

  it('names such an endpoint where the kind of limiter is promised as well, which is broken for all else', async () => {
    const free = steady(40, 9_000, 12, { endpoint: 'analytics' });
    const results = await judge({
      requests: [...launched(slidingLog), ...free],
      profile: { limiter: 'sliding-log', limit_endpoints: 'together' },
    });
    const result = results.get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.causes).toContainEqual({
      cause: { code: 'endpoint-not-limited', params: { endpoint: 'analytics' } },
      strength: 'shown',
    });
  });

  it('fails a limiter of another kind than the profile promises', async () => {
    const result = (
      await judge({ requests: launched(fixedWindow), profile: { limiter: 'sliding-log' } })
    ).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.reasons).toMatchObject([
      {
        code: 'enforced-other-limiter',
        params: { promised: 'sliding-log', limiter: expect.stringContaining('fixed window') },
      },
    ]);
  });

  it('fails when nothing is ever refused', async () => {
    const result = (await judge({ requests: launched(crookedLimiters.none) })).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.reasons).toMatchObject([{ code: 'enforced-no-429' }]);
  });

  it('fails when another status stands in for 429', async () => {
    const result = (await judge({ requests: launched(fixedWindow, 1_000, { status: 503 }) })).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.reasons).toMatchObject([{ code: 'enforced-other-status', params: { status: 503 } }]);
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

describe('rate-limit.enforced, where others may have used the key before', () => {
  it('names the smaller limit that fits all later answers, since earlier use does not explain them', async () => {
    const requests = launched(fixedWindow, 700);
    const result = (await judge({ requests, profile: { exclusive_keys: false } })).get('rate-limit.enforced');
    expect(result?.verdict).toBe('fail');
    const codes = result?.causes?.map(({ cause }) => cause.code);
    expect(codes).toEqual(['limit-differs', 'other-users-of-key']);
    expect(result?.reasons).toMatchObject([
      { code: 'enforced-other-limiter', params: { limits: { min: 70, max: 70 } } },
    ]);
  });
});

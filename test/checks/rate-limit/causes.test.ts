import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import type { Diagnosed } from '../../../src/checks/diagnosis/diagnosis.ts';
import { rowsOf } from '../../effort.ts';
import { type SampleHistory, type SampleRequest, sampleRun } from '../../history/sample.ts';
import { crookedLimiters, honestLimiters, type LimiterMaker } from '../../limits/simulate.ts';
import {
  bystanderRefused,
  fixedWindow,
  judge,
  launched,
  meantToExceed,
  refusedWhenQuiet,
  slidingLog,
  steady,
} from './launched.ts';

async function causes(sample: SampleHistory): Promise<readonly Diagnosed[]> {
  return diagnose([...(await judge(sample)).values()]).causes;
}

function codes(diagnosed: readonly Diagnosed[]): string[] {
  return diagnosed.map(({ cause }) => cause.code);
}

const overload = launched(slidingLog);
const firstRefusedMs = (overload.find(({ status }) => status === 429)?.sentNs ?? 0) / 1e6;
const unlimited = launched(crookedLimiters.none);

/** Headers of a count that is lost every `every` requests. */
function countingTo(every: number): SampleRequest[] {
  return unlimited.map((each, k) => ({
    ...each,
    limitHeaders: `ratelimit-limit: 100 | ratelimit-remaining: ${99 - (k % every)}`,
  }));
}

/** A sliding window that is emptied `atMs`, with headers of what remains. */
function emptied(atMs: number): SampleRequest[] {
  const left: number[] = [];
  const requests = launched((limit, windowMs) => {
    let log: number[] = [];
    let last = 0;
    return (ms) => {
      if (last < atMs && ms >= atMs) log = [];
      last = ms;
      log = log.filter((at) => at > ms - windowMs);
      const passes = log.length < limit;
      if (passes) log.push(ms);
      left.push(limit - log.length);
      return passes;
    };
  });
  return requests.map((each, k) => ({
    ...each,
    limitHeaders: `ratelimit-limit: 100 | ratelimit-remaining: ${left[k]}`,
  }));
}

/** A sliding window, and each refusal bars for one more. */
const barring: LimiterMaker = (limit, windowMs, random) => {
  const within = slidingLog(limit, windowMs, random);
  let barredUntilMs = 0;
  return (ms) => {
    if (ms >= barredUntilMs && within(ms)) return true;
    barredUntilMs = ms + windowMs;
    return false;
  };
};

describe('a load past the limit names as the only cause', () => {
  it.each(
    rowsOf<[string, SampleHistory, string]>(
      [
        ['a limit that is not enforced', { requests: unlimited }, 'limit-not-enforced'],
        ['a limit of 90', { requests: launched(fixedWindow, 900) }, 'limit-differs'],
        [
          'a limit of 101',
          { requests: launched(slidingLog, 1_010), profile: { limiter: 'sliding-log' } },
          'limit-differs',
        ],
        [
          'two nodes that each count',
          {
            requests: launched(slidingLog, 2_000),
            profile: { limiter: 'sliding-log' },
          },
          'counters-per-node',
        ],
        [
          'a fixed window in place of a sliding log',
          { requests: launched(fixedWindow), profile: { limiter: 'sliding-log' } },
          'algorithm-differs',
        ],
        [
          'a limiter that admits nothing, whatever kind is promised',
          { requests: steady(4, 0, 500, { status: 429 }), profile: { limiter: 'token-bucket' } },
          'refused-below-limit',
        ],
        [
          'a key that goes on asking and is never let in again',
          {
            requests: launched(crookedLimiters['extended by refusals']),
            profile: { limiter: 'sliding-log' },
          },
          'key-stays-refused',
        ],
        [
          '503 in place of 429',
          { requests: launched(fixedWindow, 1_000, { status: 503 }) },
          'rejection-status-wrong',
        ],
        [
          'three nodes',
          { requests: launched(crookedLimiters['three nodes'], 500), profile: { limiter: 'sliding-log' } },
          'admits-over-limit',
        ],
        ['a count that is lost', { requests: countingTo(20) }, 'count-starts-anew'],
        ['a count that is lost once', { requests: emptied(12_500) }, 'count-starts-anew'],
        [
          'a block that every refusal prolongs',
          {
            requests: [
              ...launched(barring),
              // Within a window of the last refusal, and long after it.
              ...steady(4, 24_000, 2_000, { status: 429 }),
              ...steady(4, 40_000, 500, {}),
            ],
            profile: { limiter: 'sliding-log' },
          },
          'window-extended-by-rejections',
        ],
        [
          'a window that every request begins again',
          {
            requests: [
              ...steady(100, 0, 20, {}),
              ...steady(30, 2_000, 400, { status: 429 }),
              ...steady(20, 21_000, 100, {}),
            ],
            profile: { limiter: 'sliding-log' },
          },
          'window-extended-by-rejections',
        ],
        [
          'rejections of two seconds, with room before and after them',
          {
            requests: [
              ...steady(4, 0, 500, {}),
              ...steady(4, 2_000, 500, { status: 429 }),
              ...steady(15, 20_000, 50, {}),
            ],
            profile: { limiter: 'sliding-log' },
          },
          'refused-below-limit',
        ],
        [
          'a key that is locked out',
          { requests: [...overload, ...steady(20, 60_000, 500, { status: 429 })] },
          'key-stays-refused',
        ],
        ['refusals far below the limit', { run: {}, requests: refusedWhenQuiet }, 'refused-below-limit'],
        [
          'a bystander that is refused with the load',
          {
            requests: [...overload, ...steady(20, firstRefusedMs + 100, 150, bystanderRefused)],
            profile: { limit_scope: 'per-key' },
          },
          'limit-shared-by-keys',
        ],
        [
          'Retry-After in milliseconds',
          { requests: launched(slidingLog, 1_000, { retryAfter: '6000' }) },
          'retry-after-wrong',
        ],
        [
          'refusals without a header that is promised',
          { requests: overload, profile: { refusal_headers: ['Retry-After'] } },
          'refusal-headers-missing',
        ],
      ],
      ([what]) => !/not enforced$|of 90$|^three nodes|lost once$/.test(what),
    ),
  )('%s', async (_, sample, code) => {
    expect(codes(await causes(sample))).toEqual([code]);
  });

  it.each<[string, setByS: number, Verdict, CauseCode[]]>([
    ['runs on', 0, 'fail', ['refused-below-limit']],
    ['was set back meanwhile', -5, 'inconclusive', []],
  ])(
    'of refusals far below the limit, where the clock of the target %s',
    async (_, setByS, verdict, expected) => {
      const zeroMs = sampleRun.zero_epoch_ms;
      const requests = refusedWhenQuiet.map((request, k) => ({
        ...request,
        serverDateMs:
          (Math.floor((zeroMs + (request.sentNs ?? 0) / 1e6) / 1e3) + (k >= 20 ? setByS : 0)) * 1e3,
      }));
      const results = await judge({ run: {}, requests });
      expect(results.get('rate-limit.wrongful')?.verdict).toBe(verdict);
      const told = results.get('rate-limit.wrongful')?.reasons.map(({ code }) => code);
      expect(told?.includes('limit-clock-stepped')).toBe(verdict === 'inconclusive');
      expect(codes(await causes({ run: {}, requests }))).toEqual(expected);
    },
  );

  it('of a Retry-After that is no whole number, also where the clock of the target was set back meanwhile', async () => {
    const zeroMs = sampleRun.zero_epoch_ms;
    const requests = launched(slidingLog, 1_000, { retryAfter: '1.5' }).map((request, k, { length }) => ({
      ...request,
      serverDateMs:
        (Math.floor((zeroMs + (request.sentNs ?? 0) / 1e6) / 1e3) - (k >= length / 2 ? 5 : 0)) * 1e3,
    }));
    expect(codes(await causes({ requests }))).toContain('retry-after-wrong');
  });

  it('no cause for honest limiters', async () => {
    expect(await causes({ requests: launched(honestLimiters['token bucket'].make) })).toEqual([]);
  });
});

describe('an honest target of which the profile is wrong in one field has that field for its cause', () => {
  // Every third request is an act, or the bystander's, or one of another endpoint.
  const everyThird = (other: Partial<SampleRequest>): SampleRequest[] =>
    overload.map((each, k) => (k % 3 === 0 ? { ...each, ...other } : each));
  const opening: SampleRequest = {
    endpoint: 'create-session',
    sessionId: 's',
    sentNs: -1e9,
    answeredNs: -1e9 + 5e6,
  };
  const acts = [opening, ...everyThird({ endpoint: 'interact', credential: 'session', sessionId: 's' })];
  // The limiter sees two thirds of them, as the acts are for nothing.
  const freeActs = [
    opening,
    ...overload.flatMap((each): SampleRequest[] => [
      each,
      {
        endpoint: 'interact',
        credential: 'session',
        sessionId: 's',
        sentNs: (each.sentNs ?? 0) + 1,
      },
    ]),
  ];
  it.each<[string, SampleHistory, object]>([
    [
      'interactions count',
      { requests: acts, profile: { channel: { counts_against_rate_limit: false } } },
      { field: 'channel.counts_against_rate_limit', told: 'false', found: 'true' },
    ],
    [
      'interactions do not count',
      { requests: freeActs, profile: { channel: { counts_against_rate_limit: true } } },
      { field: 'channel.counts_against_rate_limit', told: 'true', found: 'false' },
    ],
    [
      'endpoints share a limit',
      { requests: everyThird({ endpoint: 'analytics' }), profile: { limit_endpoints: 'apart' } },
      { field: 'limit_endpoints', told: 'apart', found: 'together' },
    ],
  ])('%s', async (_, sample, params) => {
    const found = await causes(sample);
    expect(codes(found)).toEqual(['profile-false']);
    expect(found[0]?.cause.params).toEqual(params);
  });
});

describe('rejections that no limiter gives, at a target that others can reach', () => {
  /** A window that each admitted request begins anew, with headers of what remains of it. */
  const renewed = (counts: boolean): SampleRequest[] => {
    const left: number[] = [];
    const requests = launched((limit, windowMs) => {
      let [count, last] = [0, -windowMs];
      return (ms) => {
        if (ms >= last + windowMs) count = 0;
        const passes = count < limit;
        if (passes) [count, last] = [count + 1, ms];
        left.push(limit - count);
        return passes;
      };
    });
    const drip = steady(20, 60_000, 500, {});
    const all = [...requests, ...drip];
    return counts
      ? all.map((each, k) => ({
          ...each,
          limitHeaders: `x-ratelimit-limit: 100 | x-ratelimit-remaining: ${left[k] ?? 99 - (k - left.length)}`,
        }))
      : all;
  };
  const foreign = { kind: 'foreign', base_url: 'http://127.0.0.1:1/v1' } as const;

  it.each([
    ['come from other users, for all that is known', false, true],
    ['do not come from other users, where headers count the requests of the run alone', true, false],
  ])('%s', async (_, counts, others) => {
    const requests = renewed(counts);
    const found = [...(await judge({ requests, run: { ...meantToExceed, target: foreign } })).values()];
    expect(found.find(({ id }) => id === 'rate-limit.wrongful')?.verdict).toBe('fail');
    const named = found.flatMap(({ causes: all = [] }) => all.map(({ cause }) => cause.code));
    expect(named.includes('other-users-of-key')).toBe(others);
    expect(named).toContain('refused-below-limit');
  });
});

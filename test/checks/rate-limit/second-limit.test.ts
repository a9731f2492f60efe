import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { ambiguous, limited } from '../../../src/limits/trace.ts';
import { randomStream } from '../../../src/random.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { rowsOf } from '../../effort.ts';
import type { SampleRequest } from '../../history/sample.ts';
import { type LimiterMaker, launchLoad, observe, type Stretch, usualNetwork } from '../../limits/simulate.ts';
import { embedded, judge, meantToExceed, slidingLog } from './launched.ts';

/** From idle; a load of four times the limit shows both. */
const fromIdle: readonly Stretch[] = [
  { requests: 20, ms: 70_000 },
  { requests: 1_500, ms: 60_000 },
  { requests: 1_000, ms: 15_000 },
];
/** Faster than a bucket without a burst lets pass, then a few at once, and an overload later. */
const inARow: readonly Stretch[] = [
  { requests: 20, ms: 70_000 },
  { requests: 500, ms: 20_000 },
  { requests: 20, ms: 20_000 },
  { requests: 34, ms: 500 },
  { requests: 20, ms: 60_000 },
  { requests: 1_700, ms: 60_000 },
  { requests: 20, ms: 60_000 },
];
const steadily = (perMinute: number): readonly Stretch[] => [{ requests: 3 * perMinute, ms: 180_000 }];

function answersOf(make: LimiterMaker, load: readonly Stretch[]): SampleRequest[] {
  const random = randomStream(7, 'second-limit');
  return observe(make(1_000, 60_000, random), load, usualNetwork, random).map(
    ({ answeredNs, outcome, sentNs }) => ({
      endpoint: 'list-shades',
      sentNs: Math.round(sentNs),
      answeredNs: Math.round(answeredNs),
      ...(outcome === ambiguous ? { lost: 'timeout' } : { status: outcome === limited ? 429 : 200 }),
    }),
  );
}

const judgeAll = (
  requests: SampleRequest[],
  limiter: ProfileInput['limiter'],
  kind: 'embedded' | 'foreign',
): ReturnType<typeof judge> =>
  judge({
    run: { ...meantToExceed, target: kind === 'embedded' ? embedded : { ...embedded, kind } },
    requests,
    profile: { rate_limit: '1000/60s', limiter },
  });

const judged = (
  make: LimiterMaker,
  load: readonly Stretch[],
  ...how: [limiter: ProfileInput['limiter'], kind: 'embedded' | 'foreign']
): ReturnType<typeof judge> => judgeAll(answersOf(make, load), ...how);

/** Whether one of the next requests passes. */
function isSoonOver(requests: readonly SampleRequest[], at: number): boolean {
  const untilNs = (requests[at]?.sentNs ?? 0) + 1e9;
  return requests.slice(at).some(({ sentNs = 0, status }) => status === 200 && sentNs < untilNs);
}

async function causes(...given: Parameters<typeof judged>): Promise<string[]> {
  const results = await judged(...given);
  return diagnose([...results.values()]).causes.map(({ cause }) => cause.code);
}

/** So many in each second by the clock. */
const eachSecond =
  (most: number): LimiterMaker =>
  () => {
    const counts = new Map<number, number>();
    return (ms) => {
      const second = Math.floor(ms / 1_000);
      counts.set(second, (counts.get(second) ?? 0) + 1);
      return (counts.get(second) ?? 0) <= most;
    };
  };

const bucketOf =
  (burst: number): LimiterMaker =>
  (limit, windowMs) => {
    let [tokens, lastMs] = [burst, 0];
    return (ms) => {
      tokens = Math.min(burst, tokens + ((ms - lastMs) * limit) / windowMs);
      lastMs = ms;
      if (tokens < 1) return false;
      tokens--;
      return true;
    };
  };

/** Others spend the key, too, evenly. */
const sharedWith =
  (othersPerS: number): LimiterMaker =>
  (limit, windowMs, random) => {
    const passes = slidingLog(limit, windowMs, random);
    let nextMs = 0;
    return (ms) => {
      for (; nextMs < ms; nextMs += 1_000 / othersPerS) passes(nextMs);
      return passes(ms);
    };
  };

/** Beside the promised limit, one request in so many is rejected whatever came before. */
const byChance =
  (oneIn: number): LimiterMaker =>
  (limit, windowMs, random) => {
    const passes = slidingLog(limit, windowMs, random);
    return (ms) => random() >= 1 / oneIn && passes(ms);
  };

/** Both count what passes. */
const pairOf =
  (second: number, secondMs: number): LimiterMaker =>
  (limit, windowMs) => {
    const passed: number[] = [];
    const within = (ms: number): number => passed.length - firstAfter(passed, ms);
    return (ms) => {
      if (within(ms - secondMs) >= second || within(ms - windowMs) >= limit) return false;
      passed.push(ms);
      return true;
    };
  };

function firstAfter(ascending: readonly number[], ms: number): number {
  const place = ascending.findLastIndex((each) => each <= ms);
  return place + 1;
}

function evenly(
  credential: 'load' | 'bystander',
  count: number,
  overMs: number,
  fromMs: number,
): { credential: 'load' | 'bystander'; ms: number }[] {
  return Array.from({ length: count }, (_, k) => ({
    credential,
    ms: Math.round(fromMs + (k * overMs) / count),
  }));
}

describe('a second limit', () => {
  it.each<[what: string, make: LimiterMaker]>(
    rowsOf(
      [
        ['20 per second', pairOf(20, 1_000)],
        ['110 per 5 seconds', pairOf(110, 5_000)],
      ],
      (_, place) => place === 0,
    ),
  )('of %s beside the promised one is named', async (_, make) => {
    for (const kind of rowsOf(['embedded', 'foreign'] as const, (each) => each === 'embedded'))
      expect(await causes(make, fromIdle, 'sliding-log', kind), kind).toEqual(['second-limit']);
  });

  it.each<[what: string, make: LimiterMaker, load: readonly Stretch[], verdict: Verdict]>(
    rowsOf(
      [
        ['30 per second, which a few requests in a row met', pairOf(30, 1_000), inARow, 'inconclusive'],
        ['110 per 5 seconds', pairOf(110, 5_000), fromIdle, 'inconclusive'],
      ],
      // The next test has one of 20 per second.
      () => false,
    ),
  )(
    'of %s breaks no promise where no kind of limiter is promised, and is named',
    async (_, make, load, verdict) => {
      const results = [...(await judged(make, load, 'unspecified', 'foreign')).values()];
      expect(results.filter((result) => result.verdict === 'fail')).toEqual([]);
      const wrongful = results.find(({ id }) => id === 'rate-limit.wrongful');
      expect(wrongful?.verdict).toBe(verdict);
      const found = wrongful?.reasons.filter(({ code }) => code === 'found-second-limit');
      expect(found).toHaveLength(1);
    },
  );

  it('of all keys together, which stands before that of each key, breaks no promise and is named', async () => {
    const passes = {
      load: slidingLog(1_000, 60_000, Math.random),
      bystander: slidingLog(1_000, 60_000, Math.random),
    };
    const front = eachSecond(30)(30, 1_000, Math.random);
    const sendings = [
      ...evenly('load', 20, 70_000, 0),
      ...evenly('load', 1_500, 60_000, 70_000),
      ...evenly('load', 1_000, 15_000, 130_000),
      ...evenly('bystander', 170, 145_000, 100),
    ].toSorted((a, b) => a.ms - b.ms);
    const requests = sendings.map(({ credential, ms }): SampleRequest => {
      const status = front(ms + 2) && passes[credential](ms + 2) ? 200 : 429;
      return { endpoint: 'list-shades', credential, sentNs: ms * 1e6, answeredNs: (ms + 4) * 1e6, status };
    });
    const results = await judgeAll(requests, 'unspecified', 'foreign');
    expect([...results.values()].filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    const found = results.get('rate-limit.isolation')?.explanation ?? '';
    expect(found).toContain('for all keys together');
    const [, limit, windowS] = found.match(/about (\d+) per (\d+) s/)?.map(Number) ?? [];
    // The limit of the key hides some of what came to the other: its size is known roughly.
    expect((limit ?? 0) / (windowS ?? 1)).toBeGreaterThan(25);
    expect((limit ?? 0) / (windowS ?? 1)).toBeLessThan(40);
  });

  it('breaks no promise by itself, and leaves no Retry-After of its rejections out', async () => {
    const requests = answersOf(pairOf(20, 1_000), fromIdle).map((request, at, all) => ({
      ...request,
      // The promised limit rejects for longer than a second.
      ...(request.status === 429 && isSoonOver(all, at) ? { retryAfter: 'soon' } : {}),
    }));
    const results = await judgeAll(requests, 'unspecified', 'foreign');
    const wrongful = results.get('rate-limit.wrongful');
    expect(wrongful?.verdict).toBe('inconclusive');
    expect(wrongful?.reasons.map(({ code }) => code)).toContain('found-second-limit');
    const failed = [...results.values()].filter(({ verdict }) => verdict === 'fail');
    expect(failed.map(({ id }) => id)).toEqual(['rate-limit.rejections']);
  });

  it.each<[what: string, make: LimiterMaker, load: readonly Stretch[]]>(
    rowsOf(
      [
        [
          'a limit in seconds, at a steady load',
          eachSecond(17),
          [{ requests: 20, ms: 70_000 }, ...steadily(1_200)],
        ],
        [
          'a smaller limit in place of the promised one',
          (_, __, random) => slidingLog(33, 2_000, random),
          fromIdle,
        ],
        ['a limit in seconds, at the load of a launch', eachSecond(17), launchLoad],
        [
          'a bucket of the promised rate and a burst of 5',
          bucketOf(5),
          [{ requests: 20, ms: 70_000 }, ...steadily(1_200)],
        ],
        ['a bucket of the promised rate and a burst of 10', bucketOf(10), fromIdle],
        ['a limit that others use too', sharedWith(9), steadily(480)],
        [
          'rejections by chance, at a steady load',
          byChance(50),
          [{ requests: 20, ms: 70_000 }, ...steadily(1_200)],
        ],
      ],
      (_, place) => place === 1,
    ),
  )('is not named for %s', async (_, make, load) => {
    for (const limiter of rowsOf(['unspecified', 'sliding-log'] as const, (each) => each === 'unspecified')) {
      const results = [...(await judged(make, load, limiter, 'foreign')).values()];
      const named = diagnose(results).causes.map(({ cause }) => cause.code);
      const reasons = results.flatMap((result) => result.reasons.map(({ code }) => code));
      expect([...named, ...reasons], limiter).not.toContain('second-limit');
      expect(reasons, limiter).not.toContain('found-second-limit');
    }
  });
});

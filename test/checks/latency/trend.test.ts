import { describe, expect, it } from 'vitest';
import { type Block, trendOf } from '../../../src/checks/core/monotone-trend.ts';
import type { CheckFinding, Verdict } from '../../../src/checks/core/verdict.ts';
import { checkTrend } from '../../../src/checks/latency/trend.ts';
import { type Random, randomStream } from '../../../src/random.ts';
import { times } from '../../effort.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Medians around 10 ms without a trend, each like the one before it to this degree. */
function alike(correlation: number, index: number): Block[] {
  const random = randomStream(1, `trend ${correlation}`, index);
  let x = normal(random);
  return Array.from({ length: 64 }, () => {
    x = correlation * x + Math.sqrt(1 - correlation ** 2) * normal(random);
    return { value: 10 * Math.exp(0.5 * x), load: 100 };
  });
}

describe('the rank test for a trend', () => {
  // Of 10,000: none, 0.05 %, 0.2 %, 0.5 %. The table of docs/accuracy.md has these.
  it.each([
    [0, 0],
    [0.5, 0.001],
    [0.8, 0.004],
    [0.9, 0.01],
  ])(
    'finds none where each value is like the one before to %d, but in a share of %d',
    (correlation, most) => {
      const series = times(500, 10_000);
      let found = 0;
      for (let k = 0; k < series; k++) {
        const trend = trendOf(alike(correlation, k));
        if (trend !== undefined && trend.z > 4 && trend.after > 1.5 * trend.before) found++;
      }
      expect(found / series).toBeLessThanOrEqual(most);
    },
  );

  it('compares blocks of the same load alone', () => {
    // What comes later is slower only because more is asked.
    const blocks = Array.from({ length: 64 }, (_, n) => ({
      value: 5 + 5 * Math.floor(n / 16),
      load: 10 * 2 ** Math.floor(n / 16),
    }));
    expect(trendOf(blocks)?.z).toBe(0);
  });

  it('says nothing of a few blocks', () => {
    expect(trendOf(alike(0, 1).slice(0, 15))).toBeUndefined();
  });
});

/** Requests at 20 a second for so long, as slow as is given for each instant in seconds. */
function judged(seconds: number, tookMs: (second: number) => number): Promise<CheckFinding[]> {
  const random = randomStream(2, 'slow');
  const requests = Array.from({ length: seconds * 20 }, (_, n): SampleRequest => {
    const sentNs = n * 50e6;
    const ms = tookMs(n / 20) * Math.exp(0.2 * normal(random));
    return {
      endpoint: n % 2 === 0 ? 'list-shades' : 'create-session',
      intendedNs: sentNs,
      sentNs,
      answeredNs: sentNs + Math.round(ms * 1e6),
    };
  });
  return withHistory({ requests }, checkTrend);
}

describe('a target that', () => {
  it.each<[string, number, (second: number) => number, Verdict | undefined]>([
    ['stays as fast as it was passes', 90, () => 20, 'pass'],
    ['gets faster passes', 90, (at) => 200 - 2 * at, 'pass'],
    ['is held up for ten seconds passes', 90, (at) => (at > 40 && at < 50 ? 300 : 20), 'pass'],
    ['gets slower by less than 5 ms passes', 90, (at) => 1 + at / 25, 'pass'],
    ['gets slower all the time fails', 90, (at) => 20 + 2 * at, 'fail'],
    ['gets slower is not judged within a minute', 50, (at) => 20 + 2 * at, undefined],
  ])('%s', async (_, seconds, tookMs, verdict) => {
    const [finding] = await judged(seconds, tookMs);
    expect(finding?.verdict, JSON.stringify(finding?.observed)).toBe(verdict);
    if (verdict === 'fail')
      expect(finding?.causes?.map(({ cause: { code } }) => code)).toEqual(['slower-with-time']);
  });

  const read = (atMs: number, ms: number, later: boolean): SampleRequest => ({
    endpoint: 'read-session',
    ...(later ? { stage: 'settle', phase: 'read-back' } : { stage: 'setup', phase: 'contract' }),
    sentNs: atMs * 1e6,
    answeredNs: (atMs + ms) * 1e6,
  });
  const load = Array.from({ length: 1_400 }, (_, n): SampleRequest => {
    const sentNs = 1e9 + n * 50e6;
    return { endpoint: 'list-shades', intendedNs: sentNs, sentNs, answeredNs: sentNs + 5e6 };
  });

  it.each<[string, before: number[], after: number[], Verdict]>([
    ['reads sessions as fast as before passes', [2, 3, 4, 9], [8, 2], 'pass'],
    ['reads one session in two as fast as before passes', [2, 3, 4, 9], [80, 3], 'pass'],
    ['reads every session slower than any before fails', [2, 3, 4, 9], [80, 95], 'fail'],
    ['reads every session slower than three before passes: that is too few', [2, 3, 4], [80, 95], 'pass'],
  ])('%s', async (_, before, after, verdict) => {
    const later = Array.from({ length: 20 }, (__, n) => after[n % after.length] ?? 0);
    const requests = [
      ...before.map((ms, n) => read(n * 20, ms, false)),
      ...load,
      ...later.map((ms, n) => read(80_000 + n * 100, ms, true)),
    ];
    const [finding] = await withHistory({ requests }, checkTrend);
    expect(finding?.verdict, JSON.stringify(finding?.observed)).toBe(verdict);
    expect(finding?.causes?.map(({ cause: { code } }) => code) ?? []).toEqual(
      verdict === 'fail' ? ['slower-with-time'] : [],
    );
  });
});

/** New sessions one after another, as long as is given for each; and lists between them. */
const creations = (count: number, tookMs: (n: number) => number, listMs: (n: number) => number) =>
  Array.from({ length: count }, (_, n): SampleRequest[] => [
    { endpoint: 'create-session', sentNs: n * 60e6, answeredNs: (n * 60 + tookMs(n)) * 1e6 },
    { endpoint: 'list-shades', sentNs: (n * 60 + 30) * 1e6, answeredNs: (n * 60 + 30 + listMs(n)) * 1e6 },
  ]).flat();

it.each<[string, SampleRequest[], Verdict | undefined]>([
  [
    'fails where each takes longer than the ones before',
    creations(
      40,
      (n) => 5 + n,
      () => 3,
    ),
    'fail',
  ],
  [
    'tells nothing of few',
    creations(
      20,
      (n) => 5 + n,
      () => 3,
    ),
    undefined,
  ],
  [
    'tells nothing where they take as long as ever',
    creations(
      40,
      (n) => 5 + (n % 7),
      () => 3,
    ),
    undefined,
  ],
  [
    'is the load where lists take longer, too',
    creations(
      40,
      (n) => 5 + n,
      (n) => 3 + n,
    ),
    undefined,
  ],
  [
    'is chance where an early one took as long',
    creations(
      40,
      (n) => (n === 3 ? 60 : 5 + n),
      () => 3,
    ),
    undefined,
  ],
])('in a load of seconds, the time of new sessions %s', async (_, requests, verdict) => {
  expect((await withHistory({ requests }, checkTrend))[0]?.verdict).toBe(verdict);
});

import { describe, expect, it } from 'vitest';
import { freshnessOf } from '../../../src/checks/analytics/freshness/freshness.ts';
import { freshnessResult } from '../../../src/checks/analytics/freshness/freshness-verdict.ts';
import { growthOfAge, type Poll, type SessionOpening } from '../../../src/checks/analytics/freshness/lags.ts';
import type { CheckFinding, Verdict } from '../../../src/checks/core/verdict.ts';
import { type Random, randomStream } from '../../../src/random.ts';
import { companionPhases, settlePhases } from '../../../src/vocabulary/phases.ts';
import { times } from '../../effort.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

const s = 1e9;
const loadS = 200;
const bound = 1 * s;

/** How old an answer is, in seconds, by its instant in the load. */
type Age = (atS: number) => number;

/** Figures that a job brings up to date at even instants. Its timer is a little late each time. */
const rollUp =
  (periodS: number) =>
  (random: Random): Age => {
    const phase = random() * periodS;
    return (at) => (at + phase) % (periodS * 1.0005);
  };

/** A lag around 0.4 s that stays alike for so long. */
const wandering =
  (seconds: number) =>
  (random: Random): Age => {
    let [lastS, x] = [0, 0];
    return (at) => {
      const kept = Math.exp((lastS - at) / seconds);
      const fresh = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      [lastS, x] = [at, kept * x + Math.sqrt(1 - kept ** 2) * fresh];
      return Math.min(1, Math.max(0, 0.4 + 0.2 * x));
    };
  };

const evenly = (fromS: number, toS: number) => (): Age => (at) => fromS + ((toS - fromS) * at) / loadS;

/** Sessions that come at random, and polls of them. */
function watched(age: (random: Random) => Age, perS: number, index: number): [SessionOpening[], Poll[]] {
  const random = randomStream(index, 'watched');
  const opened: number[] = [];
  for (let at = 0; at < loadS; at += -Math.log(1 - random()) / perS) opened.push(at);
  const ageAt = age(random);
  const polls = Array.from({ length: loadS / 0.8 }, (_, k): Poll => {
    const at = (k + random()) * 0.8;
    const asOf = at - ageAt(at);
    const sessions = opened.filter((each) => each <= asOf).length;
    return { seq: k, sentNs: at * s, answeredNs: (at + 0.004) * s, sessions, load: 100 };
  });
  return [opened.map((at) => ({ fromNs: at * s, toNs: (at + 0.004) * s, certain: true })), polls];
}

function share(age: (random: Random) => Age, perS: number): number {
  const runs = times(10, 200);
  let found = 0;
  for (let k = 0; k < runs; k++) if (growthOfAge(...watched(age, perS, k), bound) !== undefined) found++;
  return found / runs;
}

describe('the growth of the age of analytics', () => {
  it.each<[string, (random: Random) => Age]>([
    ['is always the same', () => () => 0.2],
    ['is zero', () => () => 0],
    ['is that of figures updated every 0.2 s', rollUp(0.2)],
    ['is that of figures updated as often as they are polled', rollUp(0.8)],
    ['is that of figures updated every second', rollUp(1)],
    ['is any up to 0.9 s', (random) => () => 0.9 * random()],
    ['stays alike for a second', wandering(1)],
    ['stays alike for five seconds', wandering(5)],
    ['stays alike for twenty seconds', wandering(20)],
    ['becomes less', evenly(0.9, 0.2)],
  ])('is never found where the age %s', (_, age) => {
    expect([share(age, 2), share(age, 6)]).toEqual([0, 0]);
  });

  // Of 200 with 6 sessions a second. The table of docs/accuracy.md has these.
  it.each([
    [0.2, 0.9, 0.7],
    [0, 0.3, 0.7],
  ])('is found where the age grows from %d to %d s, in a share of %d and more', (from, to, least) => {
    expect(share(evenly(from, to), 6)).toBeGreaterThanOrEqual(least);
  });
});

/** Two minutes with five sessions and two polls a second, and a last poll that shows them all. */
function judged(age: Age, boundText = '1s'): Promise<CheckFinding> {
  const random = randomStream(1, 'polls');
  const opened = Array.from(
    { length: 600 },
    (_, n): SampleRequest => ({
      endpoint: 'create-session',
      productId: 'p',
      sessionId: `s${n}`,
      sentNs: 0.2 * n * s,
      answeredNs: (0.2 * n + 0.004) * s,
    }),
  );
  const polls = Array.from({ length: 241 }, (_, n) => {
    const isLast = n === 240;
    const at = isLast ? 130 : (n + random()) / 2;
    const sessions = opened.filter((_opened, k) => 0.2 * k <= at - age(at)).length;
    const request: SampleRequest = {
      endpoint: 'analytics',
      seq: 1_000 + n,
      stage: isLast ? 'settle' : 'companion',
      phase: isLast ? settlePhases.freshness : companionPhases.freshness,
      productId: 'p',
      sentNs: at * s,
      answeredNs: (at + 0.004) * s,
    };
    return { request, sessions };
  });
  const sample = {
    profile: { analytics: { freshness: boundText } },
    requests: [...opened, ...polls.map(({ request }) => request)],
    answers: polls.map(({ request: { seq = 0 }, sessions }) => ({
      seq,
      endpoint: 'analytics' as const,
      query: {},
      body: { total_sessions: sessions },
    })),
  };
  return withHistory(sample, async (history) => freshnessResult(await freshnessOf(history), 'pass'));
}

describe('analytics whose age', () => {
  it.each<[string, Age, string, Verdict, readonly string[]]>([
    ['is the same passes', () => 0.5, '1s', 'pass', []],
    ['grows within the bound fails', (at) => 0.2 + (0.7 * at) / 130, '1s', 'fail', ['analytics-lag-grows']],
    ['grows by less than a tenth of the bound passes', (at) => 0.2 + (0.7 * at) / 130, '10s', 'pass', []],
    [
      'grows past the bound fails for both',
      (at) => 0.2 + (1.5 * at) / 130,
      '1s',
      'fail',
      ['analytics-lag-grows', 'stale-analytics'],
    ],
  ])('%s', async (_, age, boundText, verdict, causes) => {
    const finding = await judged(age, boundText);
    expect(finding.verdict, JSON.stringify(finding)).toBe(verdict);
    expect(finding.causes?.map(({ cause: { code } }) => code)).toEqual(causes);
  });
});

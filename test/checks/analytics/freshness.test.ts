import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Freshness, measure, type Polled } from '../../../src/checks/analytics/freshness/freshness.ts';
import { freshnessResult } from '../../../src/checks/analytics/freshness/freshness-verdict.ts';
import { lagsOf, type Poll, type SessionOpening } from '../../../src/checks/analytics/freshness/lags.ts';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import type { Interval } from '../../../src/vocabulary/bounds.ts';
import { checkedAnalytics, codesOf, saying } from './saying.ts';
import { Scene, today } from './scene.ts';

const ms = 1e6;
const boundMs = 1_000;

/** A session that was opened at some instant, and from when on analytics show it; never, if it is lost. */
interface Shown {
  readonly sentMs: number;
  readonly tookMs: number;
  /** The share of the request's time after which it was opened. */
  readonly share: number;
  readonly lagMs: number;
  readonly answered: boolean;
}

const openedMs = ({ sentMs, tookMs, share }: Shown): number => sentMs + share * tookMs;

/** What polls see of sessions: each is answered from what shows at some instant between its sending and its answer. */
function polled(productId: string, sessions: readonly Shown[], pollsMs: readonly number[]): Polled {
  const openings = sessions.map(
    ({ sentMs, tookMs, answered }): SessionOpening => ({
      fromNs: sentMs * ms,
      toNs: (sentMs + tookMs) * ms,
      certain: answered,
    }),
  );
  const polls = pollsMs.map((sentMs, index): Poll => {
    const atMs = sentMs + 2;
    return {
      seq: index + 1,
      sentNs: sentMs * ms,
      answeredNs: (sentMs + 5) * ms,
      sessions: sessions.filter((session) => openedMs(session) + session.lagMs <= atMs).length,
    };
  });
  return { productId, openings, polls };
}

const session = (lagMs: fc.Arbitrary<number>): fc.Arbitrary<Shown> =>
  fc.record({
    sentMs: fc.integer({ min: 0, max: 20_000 }),
    tookMs: fc.integer({ min: 1, max: 40 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    lagMs,
    answered: fc.boolean(),
  });
const sessions = (lagMs: fc.Arbitrary<number>): fc.Arbitrary<Shown[]> =>
  fc.array(session(lagMs), { minLength: 1, maxLength: 60 });
const everyMs = (gapMs: number): number[] => Array.from({ length: 30_000 / gapMs }, (_, n) => n * gapMs);

describe('the lag of a session', () => {
  it('lasts, where the count falls again, until it is missing no more', () => {
    const openings = [{ fromNs: 0, toNs: 1, certain: true }];
    const polls = [1, 0, 1].map((sessions, at) => ({
      ...{ seq: at, sessions, sentNs: 10 * at + 10, answeredNs: 10 * at + 12 },
    }));
    expect(lagsOf(openings, polls, 100)).toEqual([{ minNs: 19, maxNs: 32 }]);
    expect(lagsOf(openings, polls.slice(0, 2), 100)).toEqual([{ minNs: 19, maxNs: undefined }]);
  });
});

describe('analytics that show every session in time', () => {
  it('are never called late, stale or short of anything', () => {
    fc.assert(
      fc.property(
        fc.tuple(
          sessions(fc.integer({ min: 0, max: boundMs })),
          sessions(fc.integer({ min: 0, max: boundMs })),
        ),
        fc.integer({ min: 50, max: 3_000 }),
        ([a, b], gapMs) => {
          const found = measure([polled('a', a, everyMs(gapMs)), polled('b', b, [31_000])], boundMs * ms);
          expect(found.outcome.kind).toBe('fresh');
        },
      ),
    );
  });

  it('have a lag whose true quantiles lie within the bounds that are given, whatever is ambiguous', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: boundMs }).chain((lagMs) => sessions(fc.constant(lagMs))),
        fc.integer({ min: 50, max: 900 }),
        (all, gapMs) => {
          const lagMs = all[0]?.lagMs ?? 0;
          const { lag } = measure([polled('a', all, everyMs(gapMs))], boundMs * ms);
          const certain = all.filter(({ answered }) => answered);
          expect(lag?.sessions ?? 0).toBe(certain.length);
          for (const interval of lag === null ? [] : [lag.p50Ms, lag.p99Ms, lag.maxMs])
            expect(holds(interval, lagMs), JSON.stringify([interval, lagMs])).toBe(true);
          // A poll comes every so often, so that much is open.
          if (lag?.maxMs.max !== undefined)
            expect(lag.maxMs.max).toBeLessThanOrEqual(lagMs + gapMs + 5 + 40 + slackOfOrder(all));
        },
      ),
    );
  });
});

/** Sessions that were under way at the same time may have been opened in any order. */
function slackOfOrder(all: readonly Shown[]): number {
  return Math.max(...all.map(({ sentMs }) => sentMs)) - Math.min(...all.map(({ sentMs }) => sentMs));
}

function holds({ min = 0, max = Number.POSITIVE_INFINITY }: Interval, value: number): boolean {
  return value >= min - 1e-6 && value <= max + 1e-6;
}

const steadily = (lagMs: number, count = 40): Shown[] =>
  Array.from({ length: count }, (_, n) => ({
    sentMs: 500 * n,
    tookMs: 5,
    share: 0.5,
    lagMs,
    answered: true,
  }));

describe('analytics that do not', () => {
  it.each([1_300, 2_500, 9_000])('are late by their lag of %i ms, when it shows in the end', (lagMs) => {
    const { lag, outcome } = measure([polled('a', steadily(lagMs), everyMs(250))], boundMs * ms);
    expect(outcome).toMatchObject({ kind: 'late' });
    expect(outcome.kind === 'late' && outcome.atLeastMs).toBeLessThanOrEqual(lagMs);
    expect(outcome.kind === 'late' && outcome.atLeastMs).toBeGreaterThan(lagMs - 260);
    expect(holds(lag?.p50Ms ?? {}, lagMs) && holds(lag?.maxMs ?? {}, lagMs)).toBe(true);
  });

  it.each([
    ['vary, and are not stale, when they showed more before', 0, 'answers-vary'],
    ['are stale where they rise alone', 2_500, 'stale-analytics'],
  ])('%s', (_, lagMs, cause) => {
    const { openings, polls, productId } = polled('a', steadily(lagMs), everyMs(250));
    // Answers of another account, or of a replica without the sessions, lie between the others.
    const told = polls.map((poll, place) =>
      lagMs === 0 && place % 40 === 20 ? { ...poll, sessions: 0 } : poll,
    );
    const result = freshnessResult(measure([{ productId, openings, polls: told }], boundMs * ms), 'pass');
    expect(result.verdict).toBe('fail');
    expect((result.causes ?? []).map((each) => each.cause.code)).toEqual([cause]);
  });

  it('are stale, and not short, when all products lack just what is newer than one instant', () => {
    const lagMs = 15_000;
    const found = measure(
      [
        polled('a', steadily(lagMs), everyMs(500)),
        polled('b', steadily(lagMs, 39), [30_100]),
        polled('c', steadily(lagMs, 20), [30_200]),
      ],
      boundMs * ms,
    );
    expect(found.outcome).toMatchObject({ kind: 'stale', products: 3 });
    const { asOfNs, atLeastMs } = found.outcome as Extract<Freshness['outcome'], { kind: 'stale' }>;
    expect(asOfNs).toBeLessThanOrEqual(15_200 * ms);
    expect(asOfNs).toBeGreaterThan(14_000 * ms);
    expect(atLeastMs).toBeGreaterThan(14_000);
    expect(atLeastMs).toBeLessThanOrEqual(lagMs);
  });

  it('are stale from the first on when nothing shows at all', () => {
    const never = steadily(Number.POSITIVE_INFINITY);
    const found = measure([polled('a', never, everyMs(500)), polled('b', never, [30_000])], boundMs * ms);
    expect(found.outcome).toMatchObject({ kind: 'stale', asOfNs: null, lacking: 80 });
  });

  it.each([
    ['one in the middle', 'unclear', (n: number) => n === 20],
    ['the last', 'unclear', (n: number) => n === 39],
    ['every tenth', 'missing', (n: number) => n % 10 === 3],
  ])('are short, and not stale, when %s of a product never shows', (_, kind, isLost) => {
    const lossy = steadily(100).map((each, n) => ({
      ...each,
      lagMs: isLost(n) ? Number.POSITIVE_INFINITY : each.lagMs,
    }));
    const found = measure(
      [polled('a', lossy, everyMs(500)), polled('b', steadily(100), [30_000])],
      boundMs * ms,
    );
    expect(found.outcome).toMatchObject({ kind });
    expect(found.lag).toBeNull();
  });

  it('are short, and not stale, when every product loses one session in ten', () => {
    const lossy = (offset: number): Shown[] =>
      steadily(100).map((each, n) => ({
        ...each,
        sentMs: each.sentMs + offset,
        lagMs: n % 10 === 7 ? Number.POSITIVE_INFINITY : each.lagMs,
      }));
    const found = measure(
      [
        polled('a', lossy(0), everyMs(500)),
        polled('b', lossy(130), [30_000]),
        polled('c', lossy(260), [30_100]),
      ],
      boundMs * ms,
    );
    expect(['missing', 'unclear']).toContain(found.outcome.kind);
  });

  it('may be either, where one product is all there is to go by', () => {
    const found = measure([polled('a', steadily(Number.POSITIVE_INFINITY), everyMs(500))], boundMs * ms);
    expect(found.outcome).toMatchObject({ kind: 'unclear', lacking: 40 });
  });

  it.each([
    { sentence: 'all that is older than the bound shows twice, and later once', surplus: 40, isFound: true },
    {
      sentence: 'one more shows than all together, and those newer than the bound again',
      surplus: 1,
      isFound: true,
    },
    { sentence: 'some of those newer than the bound show twice', surplus: -1, isFound: false },
  ])('are wrong when $sentence: $isFound', ({ isFound, surplus }) => {
    const { openings, polls, productId } = polled('a', steadily(0), everyMs(500));
    const place = polls.findIndex(({ sentNs }) => sentNs > 15_000 * ms);
    const at = polls[place];
    if (at === undefined) throw new Error('no poll');
    const opened = openings.filter(({ fromNs }) => fromNs <= at.answeredNs).length;
    const young = openings.filter(
      ({ fromNs, toNs }) => fromNs <= at.answeredNs && toNs > at.sentNs - boundMs * ms,
    );
    const sessions = opened + young.length + surplus;
    const { lag, outcome } = measure(
      [{ productId, openings, polls: polls.with(place, { ...at, sessions }) }],
      boundMs * ms,
    );
    expect(outcome).toMatchObject(
      isFound ? { kind: 'passing-surplus', shown: sessions, opened } : { kind: 'beyond' },
    );
    expect(lag).toBeNull();
  });

  it('are not wrong when each session counts twice throughout, and replicas are behind', () => {
    const asked = everyMs(250);
    const lags = fc.array(fc.integer({ min: 0, max: boundMs }), {
      minLength: asked.length,
      maxLength: asked.length,
    });
    fc.assert(
      fc.property(sessions(fc.constant(0)), lags, (opened, lagsMs) => {
        const { openings, polls, productId } = polled('a', opened, asked);
        const told = polls.map((poll, place) => {
          const asOfMs = poll.sentNs / ms + 2 - (lagsMs[place] ?? 0);
          return { ...poll, sessions: 2 * opened.filter((each) => openedMs(each) <= asOfMs).length };
        });
        const { outcome } = measure([{ productId, openings, polls: told }], boundMs * ms);
        expect(outcome.kind).not.toBe('passing-surplus');
      }),
    );
  });

  it('that show too many for a while are one finding: where totals are wrong, they say nothing of age', () => {
    const { openings, polls, productId } = polled('a', steadily(0), everyMs(500));
    const told = polls.map((poll, place) => (place === 45 ? { ...poll, sessions: 90 } : poll));
    const found = measure([{ productId, openings, polls: told }], boundMs * ms);
    expect(freshnessResult(found, 'pass')).toMatchObject({
      verdict: 'fail',
      causes: [{ cause: { code: 'sessions-overcounted-at-times' } }],
    });
    expect(freshnessResult(found, 'fail')).toMatchObject({ verdict: 'inconclusive', causes: [] });
  });

  it('say nothing of age when they show more than was opened', () => {
    const { openings, polls, productId } = polled('a', steadily(0), everyMs(500));
    const doubled = polls.map((poll) => ({ ...poll, sessions: 2 * poll.sessions }));
    const { lag, outcome } = measure([{ productId, openings, polls: doubled }], boundMs * ms);
    expect(outcome.kind).toBe('beyond');
    expect(lag).toBeNull();
  });
});

describe('the verdict on freshness', () => {
  /** Ten sessions on each of two products, of which the answers show so many: polled after the sixth, and a while later. */
  async function judged(
    shows: readonly [p: number, q: number],
    redeliveries = 0,
  ): Promise<readonly CheckResult[]> {
    const scene = new Scene();
    const poll = (product: string, sessions: number, phase: string): void => {
      const body = scene.honest({ product });
      scene.askRaw({ product }, { ...body, total_sessions: sessions }, phase);
    };
    for (let n = 1; n <= 10; n++) {
      for (const product of ['p', 'q']) scene.visit(product, ['A']);
      if (n === 6) poll('p', 6, 'freshness');
    }
    scene.pause(20_000);
    for (const phase of ['freshness', 'analytics']) {
      poll('p', shows[0], phase);
      poll('p', shows[0], phase);
      poll('q', shows[1], phase);
    }
    return scene.judge(checkedAnalytics, {
      profile: { redeliveries, analytics: { freshness: '10s', exclusive: true } },
    });
  }
  const of = (results: readonly CheckResult[], id: string): CheckResult | undefined =>
    results.find((result) => result.id === id);

  it('passes where everything shows, with the lag', async () => {
    const result = of(await judged([10, 10]), 'analytics.freshness');
    expect(result?.verdict).toBe('pass');
  });

  it('passes where more show than were granted, as many as redeliveries of their requests may have made', async () => {
    const verdictOf = async (shown: number, redeliveries: number) =>
      of(await judged([shown, 10], redeliveries), 'analytics.freshness')?.verdict;
    expect(await verdictOf(20, 1)).toBe('pass');
    expect(await verdictOf(21, 1)).not.toBe('pass');
    expect(await verdictOf(20, 0)).not.toBe('pass');
  });

  it('fails as stale, and nothing is said to be lost', async () => {
    const results = await judged([6, 6]);
    expect(of(results, 'analytics.freshness')).toMatchObject({
      verdict: 'fail',
      reasons: expect.arrayContaining([
        saying('freshness-stale'),
        saying('freshness-stale-since', { lacking: 8, products: 2 }),
      ]),
    });
    const totals = of(results, 'analytics.total-sessions');
    expect(totals?.verdict).toBe('fail');
    expect(totals?.reasons?.[0]).toMatchObject({ code: 'answers-stale' });
    const { causes, unexplained } = diagnose(results);
    expect(causes.map(({ cause }) => cause.code)).toEqual(['stale-analytics']);
    expect(unexplained).toEqual([]);
  });

  it('leaves what is lost to the totals', async () => {
    const results = await judged([6, 10]);
    expect(of(results, 'analytics.freshness')).toMatchObject({
      verdict: 'inconclusive',
      reasons: expect.arrayContaining([saying('freshness-missing')]),
    });
    const totals = of(results, 'analytics.total-sessions');
    expect(totals?.verdict).toBe('fail');
    expect(codesOf(totals)).not.toContain('answers-stale');
  });

  it('is open where nothing was polled', async () => {
    const scene = new Scene();
    scene.visit('p', ['A']);
    scene.pause(20_000);
    scene.ask({ start: today });
    const results = await scene.judge(checkedAnalytics);
    expect(of(results, 'analytics.freshness')?.verdict).toBe('inconclusive');
  });
});

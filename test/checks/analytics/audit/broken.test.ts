import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../src/checks/diagnosis/diagnose.ts';
import type { ProfileInput } from '../../../../src/target/profile.ts';
import type { SessionAnalytics } from '../../../../src/wire.ts';
import { judged, noon, type PlayOptions, type Spoil, shop } from './play.ts';

const dayMs = 86_400_000;

/** What a deployment has told about itself. */
const told: NonNullable<ProfileInput['analytics']> = {
  products: ['told', 'other'],
  end_date: 'inclusive',
  time_zone: 'UTC',
  session_day: 'creation',
  sessions_averaged: 'all',
  cart_intent: 'ever',
  decimals: 4,
};

const audit = (options: Partial<PlayOptions> = {}): ReturnType<typeof judged> =>
  judged({ sessions: shop, ...options, profile: { ...told, ...options.profile } });

function lengthDays({ query: { end_date, start_date } }: Parameters<Spoil>[1]): number {
  return (Date.parse(end_date) - Date.parse(start_date)) / dayMs + 1;
}

/** Changes a part of the answer in every second answer to the same question. */
const byTurns =
  (change: (body: SessionAnalytics) => Partial<SessionAnalytics>): Spoil =>
  (body, { times }) =>
    times % 2 === 1 ? { ...body, ...change(body) } : body;

/** An answer that was kept is given again if the question is the same but for what `forget` leaves out. */
function cached(forget: (query: Parameters<Spoil>[1]['query']) => string): Spoil {
  let kept: { readonly name: string; readonly body: SessionAnalytics } | undefined;
  return (body, { query }) => {
    const name = forget(query);
    if (kept?.name !== name) kept = { name, body };
    return { ...kept.body, period: body.period };
  };
}

describe('an audit', () => {
  it('finds nothing wrong with an honest target', async () => {
    const verdicts = await audit();
    expect([...verdicts.values()].filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect(verdicts.size).toBe(14);
  });

  it.each<[string, Spoil, cause: string, ...failing: string[]]>([
    [
      'dates are not looked at',
      (body, { ask, query }) => ({
        ...ask({ ...query, start_date: '2001-01-01', end_date: '2199-01-01' }),
        period: body.period,
      }),
      'dates-ignored',
      'adjacent-periods',
      'empty-period',
    ],
    [
      'dates are not looked at before the last day',
      (body, { ask, query }) => ({ ...ask({ ...query, start_date: '2001-01-01' }), period: body.period }),
      'dates-ignored',
      'adjacent-periods',
    ],
    [
      'the end is no part of a period, though the profile says so',
      (_, { ask, query }) => ask(query, { end: 'exclusive' }),
      'end-date-exclusive',
      'adjacent-periods',
    ],
    [
      'totals are estimated',
      (body) => ({
        ...body,
        total_sessions: Math.round(body.total_sessions * (body.total_sessions % 2 === 0 ? 0.8 : 1.2)),
      }),
      'periods-do-not-add-up',
      'adjacent-periods',
    ],
    [
      'longer periods are sampled',
      (body, asked) =>
        lengthDays(asked) > 4 ? { ...body, total_sessions: Math.floor(body.total_sessions / 2) } : body,
      'periods-do-not-add-up',
      'widening',
    ],
    [
      'product_id is ignored',
      (_, { ask, query: { end_date, start_date } }) => ask({ end_date, start_date }),
      'product-filter-ignored',
      'product-filter',
      'products',
      'session',
    ],
    [
      'product_id is ignored for top_shades',
      (body, { ask, query: { end_date, start_date } }) => ({
        ...body,
        top_shades: ask({ end_date, start_date }).top_shades,
      }),
      'product-filter-ignored',
      'product-filter',
      'session',
    ],
    [
      'a product has the sessions of a larger one',
      (body, { ask, query }) => (query.product_id === 'other' ? ask({ ...query, product_id: 'told' }) : body),
      'products-do-not-add-up',
      'products',
    ],
    [
      'a product has the shades of another',
      (body, { ask, query }) => (query.product_id === 'told' ? ask({ ...query, product_id: 'other' }) : body),
      'selections-counted-wrong analytics.audit-averages',
      'top-shades',
      'averages',
    ],
    [
      'a rate is a percentage',
      (body) => ({ ...body, cart_intent_rate: body.cart_intent_rate * 100 }),
      'rate-as-percentage',
      'answers',
      'session',
    ],
    [
      'an average is cut off to a whole number',
      (body) => ({ ...body, avg_shades_per_session: Math.floor(body.avg_shades_per_session) }),
      'integer-division',
      'averages',
    ],
    [
      'an average is rounded to tenths',
      (body) => ({ ...body, avg_shades_per_session: Math.round(body.avg_shades_per_session * 10) / 10 }),
      'rounded-too-far',
      'averages',
    ],
    [
      'the average of all products is the mean of theirs',
      (body, { ask, query }) =>
        query.product_id === undefined
          ? {
              ...body,
              avg_shades_per_session:
                ['told', 'other', 'tryon-test-audit'].reduce(
                  (sum, product_id) => sum + ask({ ...query, product_id }).avg_shades_per_session,
                  0,
                ) / 3,
            }
          : body,
      'analytics.audit-averages',
      'averages',
    ],
    [
      'bounced sessions are left out of averages, though the profile says all',
      (_, { ask, query }) => ask(query, { over: 'with-shades' }),
      'inactive-sessions-left-out',
      'averages',
    ],
    [
      'averages are of different shades and of all selections by turns',
      (body, { ask, query, times }) => (times % 2 === 1 ? ask(query, { shades: 'selections' }) : body),
      'answers-vary',
      'reread',
      'order',
    ],
    [
      'shades selected equally often change places',
      byTurns(({ top_shades }) => ({
        top_shades: top_shades.toReversed().sort((a, b) => b.selections - a.selections),
      })),
      'order-varies',
      'reread',
    ],
    [
      'a replica is behind for ever',
      byTurns(({ total_sessions }) => ({ total_sessions: Math.max(0, total_sessions - 1) })),
      'answers-vary',
      'reread',
    ],
    [
      'a cache forgets the product',
      cached(({ end_date, start_date }) => start_date + end_date),
      'answers-mixed-up',
      'order',
      'product-filter',
    ],
    [
      'a cache forgets the start',
      cached(({ end_date, product_id }) => end_date + product_id),
      'answers-mixed-up',
      'order',
    ],
    [
      'top_shades is out of order',
      (body) => ({ ...body, top_shades: body.top_shades.toReversed() }),
      'top-shades-unsorted',
      'top-shades',
    ],
    [
      'a shade is listed twice',
      (body) => ({ ...body, top_shades: body.top_shades.flatMap((shade) => [shade, shade]) }),
      'shade-listed-twice',
      'top-shades',
    ],
    [
      'selections of longer periods are fewer',
      (body, asked) =>
        lengthDays(asked) > 3
          ? {
              ...body,
              top_shades: body.top_shades.map(({ selections, sku }) => ({
                sku,
                selections: Math.ceil(selections / 3),
              })),
            }
          : body,
      'selections-counted-wrong',
      'top-shades',
    ],
    [
      'the period is written otherwise',
      (body) => ({ ...body, period: body.period.replace(' / ', '/') }),
      'period-wrong',
      'period',
    ],
    [
      'the period is another',
      (body) => ({ ...body, period: '2026-05-01 / 2026-05-31' }),
      'period-wrong',
      'period',
    ],
    [
      'a period far ahead has sessions',
      (body, { query }) => (query.start_date.startsWith('2199') ? { ...body, total_sessions: 3 } : body),
      'sessions-counted-wrong',
      'empty-period',
    ],
    [
      'a period without sessions has an average',
      (body) => (body.total_sessions === 0 ? { ...body, avg_shades_per_session: 1 } : body),
      'empty-answer-not-zero',
      'empty-period',
      'product-filter',
    ],
    [
      'an end before its start is a fault of the target',
      (body, { query }) => (query.end_date < query.start_date ? 500 : body),
      'invalid-dates-fail',
      'reversed-dates',
    ],
    [
      'a question now and then is a fault of the target',
      (body, { count }) => (count % 30 === 29 ? 503 : body),
      'server-errors',
      'answers',
    ],
    [
      'a new session is not counted',
      (body, { ask, query }) =>
        query.product_id === 'tryon-test-audit' ? ask({ ...query, product_id: 'none' }) : body,
      'stale-analytics',
      'session',
    ],
    [
      'a new session is counted twice',
      (body, { query }) =>
        query.product_id === 'tryon-test-audit' && body.total_sessions === 1
          ? { ...body, total_sessions: 2 }
          : body,
      'sessions-counted-twice',
      'session',
    ],
    [
      'a cart intent is not counted',
      (body, { query }) =>
        query.product_id === 'tryon-test-audit' ? { ...body, cart_intent_rate: 0 } : body,
      'mean-wrong',
      'session',
    ],
    [
      'days begin elsewhere than the profile says',
      (_, { ask, query }) => ask(query, { zoneHours: 14 }),
      'day-boundary-shifted',
      'session',
    ],
  ])('fails when %s', async (_, spoil, cause, ...failing) => {
    const verdicts = await audit({ spoil });
    for (const id of failing)
      expect(verdicts.get(`analytics.audit-${id}`), id).toMatchObject({ verdict: 'fail' });
    const { causes, unexplained } = diagnose([...verdicts.values()]);
    expect([...causes.map((each) => each.cause.code), ...unexplained].join(' ')).toBe(cause);
  });

  it('fails when dates that are none are a fault of the target', async () => {
    const verdicts = await audit({ malformed: 500 });
    expect(verdicts.get('analytics.audit-malformed-dates')).toMatchObject({
      verdict: 'fail',
      reasons: expect.arrayContaining([
        expect.objectContaining({
          code: 'audit-dates-status',
          params: expect.objectContaining({
            asked: expect.stringContaining('yesterday /'),
            status: 500,
          }),
        }),
      ]),
    });
  });

  it('says which meaning of end dates would go together', async () => {
    const verdicts = await audit({ conventions: { end: 'exclusive' } });
    expect(verdicts.get('analytics.audit-adjacent-periods')?.reasons).toContainEqual({
      code: 'audit-adjacent-other-end',
      params: { fitting: 'exclusive', told: 'inclusive' },
    });
  });

  it('fails on what others cannot have done, though they are at work', async () => {
    const live = Array.from({ length: 40 }, (_, n) => ({
      product: 'other',
      createdMs: noon + n * 250,
      acts: [],
    }));
    const sessions = [...shop, ...live];
    const honest = await audit({ sessions });
    expect([...honest.values()].filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    const spoil: Spoil = (body, { ask, query }) => ({
      ...ask({ ...query, start_date: '2001-01-01' }),
      period: body.period,
    });
    expect((await audit({ sessions, spoil })).get('analytics.audit-adjacent-periods')).toMatchObject({
      verdict: 'fail',
    });
  });

  it.each(['start_date', 'end_date'] as const)('fails when an invalid %s alone is accepted', async (at) => {
    const verdicts = await audit({ malformed: (query) => (query[at] === 'yesterday' ? 200 : 422) });
    expect(verdicts.get('analytics.audit-malformed-dates')).toMatchObject({ verdict: 'fail' });
    const { causes } = diagnose([...verdicts.values()]);
    expect(causes.map(({ cause }) => cause)).toMatchObject([
      { code: 'invalid-date-accepted', params: { at } },
    ]);
  });

  it('doubts, and does not accuse, when a word is accepted at both ends', async () => {
    const accepts = (query: { start_date?: string; end_date?: string }): boolean =>
      [query.start_date, query.end_date].includes('yesterday');
    const verdicts = await audit({ malformed: (query) => (accepts(query) ? 200 : 422) });
    expect(verdicts.get('analytics.audit-malformed-dates')).toMatchObject({ verdict: 'inconclusive' });
  });
});

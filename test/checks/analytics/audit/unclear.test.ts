import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../../src/checks/core/verdict.ts';
import type { ReasonCode } from '../../../../src/checks/reasons/reason.ts';
import { judged, noon, type PlayOptions, playAudit, shop } from './play.ts';

const dayMs = 86_400_000;
const known = { products: ['told', 'other'] };

describe('an audit in doubt', () => {
  it.each<[string, PlayOptions, string, Verdict, [code: ReasonCode, params?: object]]>([
    [
      'sessions of one day and one product alone, which recombine however they are weighted',
      {
        sessions: shop.filter(({ createdMs, product }) => product === 'told' && createdMs > noon - dayMs / 2),
        profile: { products: ['told'] },
        study: { canary: false },
      },
      'averages',
      'inconclusive',
      ['audit-averages-one-part'],
    ],
    [
      'no answer to the request for its session',
      { sessions: shop, profile: known, lose: 'session' },
      'session',
      'inconclusive',
      ['audit-session-not-created', { status: null }],
    ],
    [
      'no answer to what was done in its session',
      { sessions: shop, profile: known, lose: 'acts' },
      'session',
      'inconclusive',
      ['audit-session-open'],
    ],
    [
      'two sessions where one was opened, if its request may have been delivered twice',
      { sessions: shop, profile: { ...known, exclusive: true }, redelivered: 1, redeliveries: 1 },
      'session',
      'inconclusive',
      ['audit-session-open'],
    ],
    [
      'two sessions where one was opened, and nothing that explains them',
      { sessions: shop, profile: known, redelivered: 1 },
      'session',
      'fail',
      ['answer-total', { expected: { min: 1, max: 1 }, returned: 2 }],
    ],
    [
      'more sessions than deliveries of its request',
      { sessions: shop, profile: known, redelivered: 2, redeliveries: 1 },
      'session',
      'fail',
      ['answer-total', { expected: { min: 1, max: 2 }, returned: 3 }],
    ],
    [
      'no channel to do anything in its session, so that the total alone is judged',
      { sessions: shop, profile: known, channel: false },
      'session',
      'pass',
      ['audit-session-total-only'],
    ],
    [
      'dates that are none and are answered all the same',
      { sessions: shop, profile: known, malformed: 200 },
      'malformed-dates',
      'inconclusive',
      ['audit-malformed-accepted', { status: 200 }],
    ],
    [
      'an end before its start that is taken the other way round',
      {
        sessions: shop,
        profile: known,
        spoil: (body, { ask, query: { end_date, start_date } }) =>
          end_date < start_date ? ask({ start_date: end_date, end_date: start_date }) : body,
      },
      'reversed-dates',
      'inconclusive',
      ['audit-reversed-sessions'],
    ],
    [
      'sessions that count on each day on which something is done in them',
      {
        sessions: Array.from({ length: 4 }, (_, n) => ({
          product: 'told',
          createdMs: noon - 2 * dayMs,
          acts: [{ type: 'shade_selected' as const, sku: 'A', atMs: noon - dayMs * (n % 2) }],
        })),
        profile: known,
        conventions: { day: 'each-interaction' },
      },
      'adjacent-periods',
      'inconclusive',
      ['sum-broken', { maybeEachDay: true }],
    ],
    [
      'an account without sessions, and none opened',
      { sessions: [], study: { canary: false } },
      'adjacent-periods',
      'inconclusive',
      ['comparisons-none'],
    ],
    [
      'no product known to have sessions',
      { sessions: shop, study: { canary: false }, isSetUp: false },
      'products',
      'inconclusive',
      ['audit-products-none'],
    ],
    [
      'a question refused',
      {
        sessions: shop,
        profile: known,
        spoil: (body, { query, times }) => (query.product_id === 'told' && times === 0 ? 403 : body),
      },
      'answers',
      'inconclusive',
      ['audit-answer-status', { status: 403 }],
    ],
    [
      'no time for the second round',
      { sessions: shop, profile: known, study: { budget: '3s' } },
      'averages',
      'inconclusive',
      ['audit-averages-moved'],
    ],
    [
      'averages that come back while others are at work, and may be over sessions with shades',
      {
        sessions: shop,
        profile: known,
        spoil: (body, { times }) =>
          times % 2 === 1 && body.total_sessions > 1 ? { ...body, avg_shades_per_session: 9 } : body,
      },
      'reread',
      'inconclusive',
      ['audit-may-come-back'],
    ],
  ])('%s', async (_, options, id, verdict, [code, params = {}]) => {
    expect((await judged(options)).get(`analytics.audit-${id}`)).toMatchObject({
      verdict,
      reasons: expect.arrayContaining([
        expect.objectContaining({ code, params: expect.objectContaining(params) }),
      ]),
    });
  });

  it('takes a refusal of a product that nobody knows for an answer', async () => {
    const verdicts = await judged({
      sessions: shop,
      profile: known,
      spoil: (body, { query }) => (query.product_id === 'tryon-test-unknown' ? 404 : body),
    });
    expect(verdicts.get('analytics.audit-answers')).toMatchObject({ verdict: 'pass' });
    expect(verdicts.get('analytics.audit-product-filter')).toMatchObject({ verdict: 'pass' });
  });

  it('has no session to judge where none was to be opened, and nothing was written', async () => {
    const options: PlayOptions = { sessions: shop, profile: known, study: { canary: false }, isSetUp: false };
    const { requests } = await playAudit(options);
    expect(new Set(requests.map(({ endpoint }) => endpoint))).toEqual(new Set(['analytics']));
    const verdicts = await judged(options);
    expect(verdicts.has('analytics.audit-session')).toBe(false);
    expect([...verdicts.values()].filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  });
});

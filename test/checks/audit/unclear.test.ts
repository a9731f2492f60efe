import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/checks/verdict.ts';
import { judged, noon, type PlayOptions, playAudit } from './play.ts';
import { shop } from './shop.ts';

const dayMs = 86_400_000;
const known = { products: ['told', 'other'] };

describe('an audit in doubt', () => {
  it.each<[string, PlayOptions, string, Verdict, RegExp]>([
    [
      'sessions of one day and one product alone, which recombine however they are weighted',
      {
        sessions: shop.filter(({ createdMs, product }) => product === 'told' && createdMs > noon - dayMs / 2),
        profile: { products: ['told'] },
        study: { canary: false },
      },
      'averages',
      'inconclusive',
      /All sessions are in one part of each period and of one product.*how they are weighted does not show/,
    ],
    [
      'no answer to the request for its session',
      { sessions: shop, profile: known, lose: 'session' },
      'session',
      'inconclusive',
      /No session could be opened: no answer/,
    ],
    [
      'no answer to what was done in its session',
      { sessions: shop, profile: known, lose: 'acts' },
      'session',
      'inconclusive',
      /What was done in the session got no answer/,
    ],
    [
      'two sessions where one was opened, if its request may have been delivered twice',
      { sessions: shop, profile: { ...known, exclusive: true }, redelivered: 1, redeliveries: 1 },
      'session',
      'inconclusive',
      /has 2 sessions, one was opened; its request may have been delivered again \(profile: redeliveries\)/,
    ],
    [
      'two sessions where one was opened, and nothing that explains them',
      { sessions: shop, profile: known, redelivered: 1 },
      'session',
      'fail',
      /has 2 sessions, one was opened/,
    ],
    [
      'more sessions than deliveries of its request',
      { sessions: shop, profile: known, redelivered: 2, redeliveries: 1 },
      'session',
      'fail',
      /has 3 sessions, one was opened/,
    ],
    [
      'no channel to do anything in its session, so that the total alone is judged',
      { sessions: shop, profile: known, channel: false },
      'session',
      'pass',
      /nothing could be done in it, so that total_sessions alone is judged/,
    ],
    [
      'dates that are none and are answered all the same',
      { sessions: shop, profile: known, malformed: 200 },
      'malformed-dates',
      'inconclusive',
      /is answered with 200, as if these were dates/,
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
      /as if the dates were in order/,
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
      /as it may be where a session counts on each day/,
    ],
    [
      'an account without sessions, and none opened',
      { sessions: [], study: { canary: false } },
      'adjacent-periods',
      'inconclusive',
      /There is no session in any period/,
    ],
    [
      'no product known to have sessions',
      { sessions: shop, study: { canary: false }, isSetUp: false },
      'products',
      'inconclusive',
      /say in the profile which there are/,
    ],
    [
      'a question refused',
      { sessions: shop, profile: known, spoil: (body, { count }) => (count === 20 ? 403 : body) },
      'answers',
      'inconclusive',
      /: 403/,
    ],
    [
      'no time for the second round',
      { sessions: shop, profile: known, study: { budget: '3s' } },
      'averages',
      'inconclusive',
      /No period with sessions stood still long enough/,
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
      /and back, as it may be over sessions with shades/,
    ],
  ])('%s', async (_, options, id, verdict, explanation) => {
    expect((await judged(options)).get(`analytics.audit-${id}`)).toMatchObject({
      verdict,
      explanation: expect.stringMatching(explanation),
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

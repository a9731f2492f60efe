import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { asked, diagnosed, failing, readLast, shoppers, stated, tiesReversed, verdicts } from './run.ts';
import { type Manner, Scene, type SceneQuery } from './scene.ts';

const embedded = { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' } as const;

describe('a target with a defect', () => {
  it.each<
    [
      string,
      Manner | ((query: SceneQuery, round: number) => Manner),
      string[],
      string,
      RegExp,
      ...causes: string[],
    ]
  >([
    [
      'an exclusive end date against the profile',
      { endDate: 'exclusive' },
      ['conventions', 'total-sessions', 'avg-shades', 'cart-intent', 'top-shades'],
      'conventions',
      /end_date exclusive.*, while the profile says end_date inclusive/,
      'end-date-exclusive',
    ],
    [
      'a product filter that is ignored',
      (query) => ({ counted: (all) => all.map((s) => ({ ...s, product: query.product ?? s.product })) }),
      ['product-filter', 'total-sessions'],
      'product-filter',
      /product_id is not applied: 3 answers .*lipstick: total_sessions, avg_shades_per_session, cart_intent_rate, top_shades/,
      'product-filter-ignored',
    ],
    [
      'a filter that skips top_shades',
      (query) => ({ spoil: (body) => ({ ...body, top_shades: shoppers().honest().top_shades, query }) }),
      ['product-filter', 'top-shades'],
      'product-filter',
      /lipstick: top_shades;/,
      'product-filter-ignored',
    ],
    [
      'a percentage for a fraction',
      { spoil: (body) => ({ ...body, cart_intent_rate: body.cart_intent_rate * 100 }) },
      ['cart-intent'],
      'cart-intent',
      /returned 35\.71, a percentage; the fraction is 0\.3571/,
      'rate-as-percentage',
    ],
    [
      'early rounding',
      { decimals: 1 },
      ['avg-shades', 'cart-intent'],
      'avg-shades',
      /rounded to 1 decimal; expected 1\.57.*, to 4 decimals/,
      'rounded-too-far',
    ],
    [
      'integer division',
      { spoil: (body) => ({ ...body, avg_shades_per_session: Math.floor(body.avg_shades_per_session) }) },
      ['avg-shades'],
      'avg-shades',
      /cut off to a whole number, as integer division does/,
      'integer-division',
    ],
    [
      'bounced sessions left out of the mean',
      { averaged: 'with-shades' },
      ['avg-shades', 'conventions'],
      'avg-shades',
      /returned 2\.44.* = the mean number of different shades over sessions with at least one shade; the profile says the mean .* over all sessions/,
      'inactive-sessions-left-out',
    ],
    [
      'bounced sessions left out altogether',
      { counted: (all) => all.filter(({ acts }) => acts.length > 0) },
      ['total-sessions', 'avg-shades', 'cart-intent'],
      'total-sessions',
      /returned 9 = the sessions with at least one shade; sessions without one count too \(14\)/,
      'inactive-sessions-left-out',
    ],
    [
      'raw counts for filtered queries and distinct ones for the whole',
      (query) => (query.product === undefined ? {} : { shades: 'selections' }),
      ['avg-shades', 'conventions'],
      'conventions',
      /changes between answers/,
      'convention-varies',
    ],
    [
      'a period of another form',
      { spoil: (body) => ({ ...body, period: '2026-05-01/2026-05-01' }) },
      ['period'],
      'period',
      /returned "2026-05-01\/2026-05-01", expected "2026-05-01 \/ 2026-05-01"/,
      'period-wrong',
    ],
    [
      'an order of ties that changes between reads',
      (_, round) =>
        round === 2 ? { spoil: (body) => ({ ...body, top_shades: tiesReversed(body.top_shades) }) } : {},
      ['stable'],
      'stable',
      /changed places in top_shades/,
      'order-varies',
    ],
    [
      'stale numbers past the freshness bound',
      { counted: (all) => all.slice(0, 11) },
      ['total-sessions'],
      'total-sessions',
      /returned 11, 3 fewer than the 14 sessions that certainly exist/,
      'sessions-counted-wrong',
    ],
    [
      'a cached unfiltered answer',
      (query) => (query.product === undefined ? { counted: (all) => all.slice(0, 13) } : {}),
      ['total-sessions', 'additivity'],
      'additivity',
      /total_sessions is 13 for all products, the products add up to 14/,
      'sessions-counted-wrong',
    ],
    [
      'means over products that do not recombine',
      (query) =>
        query.product === undefined
          ? { spoil: (body) => ({ ...body, avg_shades_per_session: (4 / 3 + 4 / 3 + 9 / 5) / 3 }) }
          : {},
      ['avg-shades', 'additivity'],
      'additivity',
      /avg_shades_per_session is 1\.48.* for all products, the products recombine to 1\.57/,
      'analytics.avg-shades',
      'analytics.additivity',
      'analytics.conventions',
    ],
    [
      'counts that are two per cent off',
      { spoil: (body) => ({ ...body, avg_shades_per_session: body.avg_shades_per_session * 1.02 }) },
      ['avg-shades'],
      'avg-shades',
      /returned 1\.60.*, expected 1\.57/,
      'analytics.avg-shades',
      'analytics.conventions',
    ],
    [
      'a top_shades in another order',
      { spoil: (body) => ({ ...body, top_shades: body.top_shades.toReversed() }) },
      ['top-shades'],
      'top-shades',
      /stands after a shade with/,
      'top-shades-unsorted',
    ],
    [
      'a shade listed twice',
      {
        spoil: (body) => ({
          ...body,
          top_shades: body.top_shades
            .flatMap((shade, i) => (i === 0 ? [shade, shade] : [shade]))
            .slice(0, 10),
        }),
      },
      ['top-shades'],
      'top-shades',
      /is listed twice/,
      'shade-listed-twice',
    ],
    [
      'the most selected shade left out',
      { spoil: (body) => ({ ...body, top_shades: body.top_shades.slice(1) }) },
      ['top-shades'],
      'top-shades',
      /selected at least 4 times, is not listed/,
      'selections-counted-wrong',
    ],
    [
      'a list that is too short',
      { topLength: 2 },
      ['top-shades'],
      'top-shades',
      /2 shades are listed, 10 should be/,
      'top-shades-cut',
    ],
  ])('with %s fails', async (_, manner, ids, explained, words, ...causes) => {
    const scene = readLast(typeof manner === 'function' ? manner : () => manner);
    const results = await verdicts(scene, stated, { target: embedded });
    expect(failing(results)).toEqual(expect.arrayContaining(ids));
    expect(results.get(explained)?.explanation).toMatch(words);
    expect(results.get(ids[0] ?? '')?.expected).not.toBeNull();
    expect(diagnosed(results)).toEqual(causes);
  });

  it('that loses interactions on their way into the analytics fails, with the shades that lack some', async () => {
    const scene = shoppers();
    asked(scene, { counted: (all) => all.map((s, i) => (i === 6 ? { ...s, acts: s.acts.slice(0, 1) } : s)) });
    const results = await verdicts(scene);
    expect(failing(results)).toEqual(expect.arrayContaining(['avg-shades', 'cart-intent', 'top-shades']));
    expect(results.get('top-shades')?.explanation).toMatch(/B1 has 2 selections, at least 3 were made/);
  });

  it('that counts repeated interactions again fails, and it is said that they were repeated', async () => {
    const scene = new Scene();
    scene.askRaw({}, scene.honest(), 'baseline');
    const session = scene.session('lipstick');
    const ids = scene.act(session, ['L1', 'L2']);
    scene.act(session, ['L1', 'L2'], { ids });
    scene.visit('blush', ['B1']);
    scene.pause(12_000);
    const counted = (): Manner => ({
      shades: 'selections',
      counted: (all) => all.map((s, i) => (i === 0 ? { ...s, acts: [...s.acts, ...s.acts] } : s)),
    });
    for (const query of [{}, { product: 'lipstick' }, { product: 'blush' }]) scene.ask(query, counted());
    const results = await verdicts(scene, { ...stated, shades_per_session: 'selections' });
    expect(failing(results)).toEqual(expect.arrayContaining(['avg-shades', 'top-shades']));
    expect(results.get('top-shades')?.explanation).toMatch(
      /L1 has 2 selections, at most 1 were made, as many as if repeated/,
    );
    expect(results.get('avg-shades')?.explanation).toMatch(
      /with repeated interaction ids counted again; an interaction id counts once/,
    );
  });

  it('in a fraction alone is not said to forget the product, though all products happen to have that very fraction', async () => {
    const ofAll = shoppers().honest();
    const results = await verdicts(
      asked(shoppers(), ({ product }) => ({
        spoil: (body) =>
          product === 'lipstick'
            ? {
                ...body,
                avg_shades_per_session: ofAll.avg_shades_per_session,
                cart_intent_rate: ofAll.cart_intent_rate,
              }
            : body,
      })),
    );
    expect(results.get('product-filter')?.verdict).toBe('pass');
    expect(results.get('avg-shades')?.verdict).toBe('fail');
    expect(results.get('avg-shades')?.explanation).toMatch(
      /= the number for all products; for this product it is/,
    );
  });
});

describe('a profile that tells a convention that the target does not have', () => {
  it.each<[field: string, told: string, found: string, manner: Manner]>([
    ['end_date', 'inclusive', 'exclusive', { endDate: 'exclusive' }],
    ['sessions_averaged', 'all', 'with-shades', { averaged: 'with-shades' }],
    ['shades_per_session', 'distinct', 'selections', { shades: 'selections' }],
    ['top_shades', '10', '2', { topLength: 2 }],
  ])('is named: %s is not %s but %s', async (field, told, found, manner) => {
    const results = await verdicts(readLast(() => manner));
    const { causes, unexplained } = diagnose([...results.values()]);
    expect(causes.map(({ cause }) => cause)).toEqual([
      { code: 'profile-false', params: { field: `analytics.${field}`, told, found } },
    ]);
    expect(unexplained).toEqual([]);
  });

  it('is named where others use an account that it says is the run’s own', async () => {
    const scene = readLast(({ product }) => ({
      spoil: (body) => (product === undefined ? { ...body, total_sessions: body.total_sessions + 3 } : body),
    }));
    const { causes } = diagnose([...(await verdicts(scene)).values()]);
    expect(causes.map(({ cause }) => cause.params)).toMatchObject([{ field: 'analytics.exclusive' }]);
  });
});

import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { rowsOf } from '../../effort.ts';
import type { NaiveAct, NaiveSession } from './naive.ts';
import {
  asked,
  diagnosed,
  failing,
  products,
  readLast,
  shoppers,
  stated,
  tiesReversed,
  verdicts,
} from './run.ts';
import { saying } from './saying.ts';
import { type Manner, Scene, type SceneQuery, tomorrow } from './scene.ts';

const embedded = { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' } as const;

type Sessions = readonly NaiveSession[];

/** Sessions that were never granted, on the product of the first one. */
function rejected([first]: Sessions, count: number): Sessions {
  return first === undefined ? [] : Array.from({ length: count }, () => ({ ...first, acts: [] }));
}

const isCart = ({ type }: NaiveAct): boolean => type === 'cart_intent';

const urlId = 'a%2Fb+c,d';
/** Counts the first session of that product alone. */
const onlyFirst: Manner = {
  counted: (all) =>
    all.filter((one) => one.product !== urlId || one === all.find(({ product }) => product === urlId)),
};

/** A period that an exclusive end date leaves something of: zeros alone tell no convention. */
function askedTomorrow(scene: Scene, manner: Manner): void {
  if (manner.endDate !== undefined) scene.ask({ end: tomorrow }, manner);
}

/** Random histories show which cause a fault gets (rows.test.ts). Here is what else is said of it. */
describe('a target with a defect', () => {
  it.each<
    [
      string,
      Manner | ((query: SceneQuery, round: number) => Manner),
      string[],
      string,
      said: unknown,
      ...causes: string[],
    ]
  >([
    [
      'an exclusive end date against the profile',
      { endDate: 'exclusive' },
      ['conventions', 'total-sessions', 'avg-shades', 'cart-intent', 'top-shades'],
      'conventions',
      saying('conventions-contradict'),
      'end-date-exclusive',
    ],
    [
      'a filter that skips top_shades',
      (query) => ({ spoil: (body) => ({ ...body, top_shades: shoppers().honest().top_shades, query }) }),
      ['product-filter', 'top-shades'],
      'product-filter',
      saying('filter-ignored-in', { query: 'lipstick', fields: ['top_shades'] }),
      'product-filter-ignored',
    ],
    [
      'raw counts for filtered queries and distinct ones for the whole',
      (query) => (query.product === undefined ? {} : { shades: 'selections' }),
      ['avg-shades', 'conventions'],
      'conventions',
      saying('conventions-none'),
      'convention-varies',
    ],
    [
      'a period of another form',
      { spoil: (body) => ({ ...body, period: '2026-05-01/2026-05-01' }) },
      ['period'],
      'period',
      saying('answer-period', { returned: '2026-05-01/2026-05-01', expected: '2026-05-01 / 2026-05-01' }),
      'period-wrong',
    ],
    [
      'an order of ties that changes between reads',
      (_, round) =>
        round === 2 ? { spoil: (body) => ({ ...body, top_shades: tiesReversed(body.top_shades) }) } : {},
      ['stable'],
      'stable',
      saying('answer-changed', { changes: [], isTie: true }),
      'order-varies',
    ],
    [
      'a cached unfiltered answer',
      (query) => (query.product === undefined ? { counted: (all) => all.slice(0, 13) } : {}),
      ['total-sessions', 'additivity'],
      'additivity',
      saying('sum-broken', { total: { min: 13, max: 13 }, sum: { min: 14, max: 14 } }),
      'sessions-counted-wrong',
    ],
    [
      'means over products that do not recombine',
      (query) =>
        query.product === undefined
          ? { spoil: (body) => ({ ...body, avg_shades_per_session: (7 / 6 + 6 / 3 + 9 / 5) / 3 }) }
          : {},
      ['avg-shades', 'additivity'],
      'additivity',
      saying('mean-not-of-parts', {
        field: 'avg_shades_per_session',
        got: { min: expect.closeTo(1.6556, 3), max: expect.closeTo(1.6556, 3) },
      }),
      'mean-of-means',
    ],
  ])('with %s fails', async (_, manner, ids, explained, said, ...causes) => {
    const scene = readLast(typeof manner === 'function' ? manner : () => manner);
    if (typeof manner !== 'function') askedTomorrow(scene, manner);
    const results = await verdicts(scene, stated, { target: embedded });
    expect(failing(results)).toEqual(expect.arrayContaining(ids));
    expect(results.get(explained)?.reasons).toContainEqual(said);
    expect(results.get(ids[0] ?? '')?.expected).not.toBeNull();
    expect(diagnosed(results)).toEqual(causes);
  });

  it('that loses interactions on their way into the analytics fails, with the shades that lack some', async () => {
    const scene = shoppers();
    asked(scene, { counted: (all) => all.map((s, i) => (i === 6 ? { ...s, acts: s.acts.slice(0, 1) } : s)) });
    const results = await verdicts(scene);
    expect(failing(results)).toEqual(expect.arrayContaining(['avg-shades', 'cart-intent', 'top-shades']));
    expect(results.get('top-shades')?.reasons).toContainEqual(
      saying('top-too-few', { sku: 'B1', selections: 2, atLeast: 3 }),
    );
  });

  it.each<[string, counted: (all: Sessions, product: string | undefined) => Sessions, cause: string]>([
    ['each rejected session', (all) => [...all, ...rejected(all, 2)], 'rejections-have-effects'],
    ['some of the rejected sessions', (all) => [...all, ...rejected(all, 1)], 'sessions-counted-wrong'],
    [
      'sessions of a product whose id begins alike',
      (all, product = '-') => all.map((one) => (one.product.startsWith(product) ? { ...one, product } : one)),
      'products-matched-loosely',
    ],
    [
      'a session for another product than its own',
      (all) => all.map((one, place) => (place === 1 ? { ...one, product: 'blush' } : one)),
      'sessions-change-products',
    ],
  ])('that counts %s fails, and the cause is told', async (_, counted, cause) => {
    const scene = shoppers();
    scene.visit('lipstick-pencil', ['L1']);
    for (let n = 0; n < 2; n++) scene.session('lipstick', { outcome: 'refused' });
    asked(scene, ({ product }) => ({ counted: (all) => counted(all, product) }));
    const results = await verdicts(scene, stated, { target: embedded });
    expect(failing(results)).toContain('total-sessions');
    expect(diagnosed(results)).toEqual([cause]);
  });

  it('that gives the answer to another question fails, and it is told so', async () => {
    const scene = shoppers();
    scene.pause(12_000);
    scene.ask();
    scene.ask({ end: '2026-05-02' }, { spoil: () => scene.honest() });
    scene.ask({ start: '2026-04-29', end: '2026-04-30' }, { spoil: () => scene.honest() });
    const results = await verdicts(scene, stated, { target: embedded });
    expect(failing(results)).toContain('period');
    expect(diagnosed(results)).toEqual(['answers-mixed-up']);
  });

  it('that gives the answer to another question under way fails, and it is told so', async () => {
    const scene = shoppers();
    scene.pause(12_000);
    scene.ask();
    scene.ask({ product: 'lipstick' });
    const [at, spoil] = [scene.requests.length, () => scene.honest()];
    scene.ask();
    scene.ask({ product: 'lipstick' }, { spoil });
    const [whole, ofProduct] = scene.requests.slice(at);
    if (whole?.sentNs === undefined || ofProduct === undefined) throw new Error('two questions were asked');
    scene.requests[at + 1] = { ...ofProduct, sentNs: whole.sentNs };
    const results = await verdicts(scene, stated, { target: embedded });
    expect(failing(results)).toContain('total-sessions');
    expect(diagnosed(results)).toEqual(['answers-of-others-at-once']);
  });

  it.each(
    rowsOf<[string, SceneQuery, 'start_date' | 'end_date']>(
      [
        ['start', { start: '2026-05-02', end: '2026-05-02' }, 'start_date'],
        ['start, also far ahead,', { start: '2199-01-01', end: '2199-01-02' }, 'start_date'],
        ['end', { start: '2026-04-30', end: '2026-04-30' }, 'end_date'],
      ],
      ([bound]) => bound.includes('far ahead'),
    ),
  )('that ignores the %s of a period fails, and it is told so', async (_, period, bound) => {
    const scene = asked(shoppers());
    for (const product of ['lipstick', 'blush']) {
      scene.ask({ product, start: '2026-04-30', end: '2026-05-02' });
      const { start = '', end = '' } = period;
      scene.ask(
        { product, ...period },
        { spoil: () => ({ ...scene.honest({ product }), period: `${start} / ${end}` }) },
      );
    }
    for (const end_date of ['inclusive', 'discover'] as const) {
      const results = await verdicts(scene, { ...stated, end_date });
      expect(failing(results)).toContain('total-sessions');
      const named = results
        .get('total-sessions')
        ?.causes?.map(({ cause, strength }) => ({ cause, strength }));
      // Where nobody promises whether the last day counts, the right answers tell.
      expect(named).toEqual([
        { cause: { code: 'period-bound-ignored', params: { bound } }, strength: 'shown' },
      ]);
    }
  });

  it('whose filter skips top_shades is told so, also in a period for which nobody asked of all products', async () => {
    const manner: Manner = { spoil: (body) => ({ ...body, top_shades: shoppers().honest().top_shades }) };
    const scene = asked(shoppers(), (query) => (query.product === undefined ? {} : manner));
    scene.ask({ product: 'lipstick', end: tomorrow }, manner);
    const results = await verdicts(scene);
    expect(failing(results)).toContain('product-filter');
    expect(diagnosed(results)).toEqual(['product-filter-ignored']);
  });

  it('that counts sessions and none of their events fails, and it is told so', async () => {
    const scene = asked(shoppers(), { counted: (all) => all.map((each) => ({ ...each, acts: [] })) });
    const results = await verdicts(scene);
    expect(failing(results)).toContain('top-shades');
    expect(failing(results)).not.toContain('total-sessions');
    expect(diagnosed(results)).toEqual(['events-not-counted']);
  });

  it('that answers as before, although sessions were created since, fails, and it is told so', async () => {
    const scene = shoppers();
    asked(scene);
    const before = scene.honest();
    scene.visit('lipstick', ['L1', 'L2']);
    scene.pause(12_000);
    // The answer for the product is fresh, that for all of them is not.
    scene.ask({}, { spoil: () => before });
    scene.ask({ product: 'lipstick' });
    const results = await verdicts(scene);
    expect(failing(results)).toContain('total-sessions');
    const named = results.get('total-sessions')?.causes?.map(({ cause }) => cause.code);
    expect(named).toEqual(['stale-analytics']);
  });

  it('that gives a product the answer of the one before it fails, and it is told so', async () => {
    const scene = shoppers();
    asked(scene, ({ product }) =>
      product === 'blush' ? { spoil: () => scene.honest({ product: 'lipstick' }) } : {},
    );
    const results = await verdicts(scene);
    expect(failing(results)).toContain('total-sessions');
    expect(diagnosed(results)).toEqual(['answers-mixed-up']);
  });

  it.each<[string, asked: string, other: string]>([
    ['if _ stands for any character', 'wild_1', 'wildx1'],
    ['if % stands for any characters', 'wild%1', 'wild-rose-1'],
    ['as a number', '12', '012'],
    ['without accents', 'rose-1', 'rosé-1'],
    ['in its beginning, in any case', 'rose', 'ROSE-2'],
    ['if it is a part, in any case', 'rose', 'Wild Rose 2'],
    ['in its first 64 characters', `${'x'.repeat(64)}a`, `${'x'.repeat(64)}b`],
  ])('that counts a product that is alike %s fails, and the cause is told', async (_, product, other) => {
    const scene = shoppers();
    for (const each of [product, other]) scene.visit(each, ['L1']);
    asked(scene);
    scene.ask(
      { product },
      { counted: (all) => all.map((one) => (one.product === other ? { ...one, product } : one)) },
    );
    const results = await verdicts(scene, stated, { target: embedded });
    expect(failing(results)).toContain('total-sessions');
    expect(diagnosed(results)).toEqual(['products-matched-loosely']);
  });

  it('that leaves out the last of several days, and counts it alone, fails, and the cause is told', async () => {
    const scene = asked(shoppers());
    for (const product of [undefined, ...products])
      scene.ask(
        { start: '2026-04-30', ...(product === undefined ? {} : { product }) },
        { endDate: 'exclusive' },
      );
    const results = await verdicts(scene, stated, { target: embedded });
    expect(failing(results)).toContain('total-sessions');
    expect(diagnosed(results)).toEqual(['last-day-left-out']);
  });

  it('that answers each product as the first that was asked for on that day fails, and the cause is told', async () => {
    const scene = shoppers();
    scene.pause(12_000);
    for (const [start, first] of [
      ['2026-05-01', undefined],
      ['2026-04-30', 'blush'],
    ] as const) {
      const query = first === undefined ? { start } : { start, product: first };
      scene.ask(query);
      for (const product of [undefined, 'lipstick', 'liner'])
        if (product !== first)
          scene.ask(product === undefined ? { start } : { start, product }, {
            spoil: () => scene.honest(query),
          });
    }
    const results = await verdicts(scene, stated, { target: embedded });
    expect(failing(results)).toEqual(expect.arrayContaining(['total-sessions', 'top-shades']));
    expect(diagnosed(results)).toEqual(['answers-mixed-up']);
  });

  it('that lacks the events of some shade has no shorter list of shades, but counts them wrong', async () => {
    const scene = shoppers();
    asked(scene, {
      counted: (all) =>
        all.map((each) => ({ ...each, acts: each.acts.filter((act) => isCart(act) || act.sku !== 'L4') })),
    });
    const results = await verdicts(scene, stated);
    expect(failing(results)).toEqual(expect.arrayContaining(['avg-shades', 'top-shades']));
    expect(diagnosed(results)).toEqual(['selections-counted-wrong']);
  });

  it.each<[string, all: Manner, product: Manner, isNamed: boolean]>([
    ['is not found is named', {}, { counted: (all) => all.filter(({ product }) => product !== urlId) }, true],
    ['counts only once is named, although all products lack it, too', onlyFirst, onlyFirst, true],
    [
      'lacks a session is not, if all products lack others',
      { counted: (all) => all.slice(5) },
      { counted: (all) => all.slice(1) },
      false,
    ],
  ])('with a product whose id has characters of a URL, and which %s', async (_, all, product, isNamed) => {
    const scene = shoppers();
    for (let n = 0; n < 3; n++) scene.visit(urlId, ['L1']);
    asked(scene, all);
    scene.ask({ product: urlId }, product);
    const results = await verdicts(scene, stated, { target: embedded });
    expect(failing(results)).toContain('total-sessions');
    expect(diagnosed(results).includes('product-id-misread')).toBe(isNamed);
    if (isNamed) expect(diagnosed(results)).toHaveLength(1);
  });

  /** Each shopper sends 3 events, then 1 to 5. */
  const batches = (n: number): readonly (readonly string[])[] => [
    [`L${n % 9}`, `L${(n * 5) % 11}`, `L${(n * 7) % 13}`],
    Array.from({ length: 1 + (n % 5) }, (_, at) => `L${(n * 3 + at * 5) % 12}`),
  ];
  const actsOf = (isCounted: (batch: number, at: number, of: number) => boolean): Manner => ({
    counted: (all) =>
      all.map((each, n) => ({
        ...each,
        acts: each.acts.filter((_, at) => {
          const batch = at < 3 ? 0 : 1;
          return isCounted(batch, at - 3 * batch, batches(n)[batch]?.length ?? 0);
        }),
      })),
  });
  it.each<[string, Manner, params: Readonly<Record<string, unknown>>]>([
    [
      'the first selection of each request',
      actsOf((_, at) => at > 0),
      { what: 'selection', feature: 'place-in-batch', how: 'equal', number: 1 },
    ],
  ])('that does not count %s fails, and which is told', async (_, manner, params) => {
    const scene = new Scene();
    scene.askRaw({}, scene.honest(), 'baseline');
    const shops = Array.from({ length: 12 }, (__, n) => `P${n}`);
    for (let n = 0; n < 240; n++) {
      const session = scene.session(shops[(n * 7) % 12] ?? '');
      for (const acts of batches(n)) scene.act(session, acts);
    }
    scene.pause(12_000);
    // Counted before the filter: what is left out depends on the whole run.
    const counted = (all: Sessions): Sessions => manner.counted?.(all) ?? all;
    const kept = new Set(counted(scene.truth).map(({ createdMs }) => createdMs));
    const acts = new Map(counted(scene.truth).map((each) => [each.createdMs, each.acts]));
    for (const query of [{}, ...shops.map((product) => ({ product }))])
      scene.ask(query, {
        counted: (all) =>
          all
            .filter(({ createdMs }) => kept.has(createdMs))
            .map((each) => ({ ...each, acts: acts.get(each.createdMs) ?? [] })),
      });
    const { causes } = diagnose([...(await verdicts(scene, stated, { target: embedded })).values()]);
    expect(causes.map(({ cause }) => cause)).toMatchObject([{ code: 'part-not-counted', params }]);
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
    expect(results.get('top-shades')?.reasons).toContainEqual(
      saying('top-too-many', { sku: 'L1', selections: 2, atMost: 1, hasRepeats: true }),
    );
    expect(diagnosed(results)).toEqual(['repeats-counted']);
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
    expect(diagnosed(results)).not.toContain('product-filter-ignored');
  });
});

it('a target whose end date is exclusive against the promise is named, whoever started it', async () => {
  const manner = { endDate: 'exclusive' } as const;
  const scene = readLast(() => manner);
  askedTomorrow(scene, manner);
  const { causes, unexplained } = diagnose([...(await verdicts(scene)).values()]);
  expect(causes.map(({ cause }) => cause.code)).toEqual(['end-date-exclusive']);
  expect(unexplained).toEqual([]);
});

describe('a profile that tells an unusual convention, which the target does not have', () => {
  it('is named where it leaves out of averages what the target does not', async () => {
    const scene = readLast(() => ({}));
    const { causes } = diagnose([
      ...(await verdicts(scene, { ...stated, sessions_averaged: 'with-shades' })).values(),
    ]);
    expect(causes.map(({ cause }) => cause)).toEqual([
      {
        code: 'profile-false',
        params: { field: 'analytics.sessions_averaged', told: 'with-shades', found: 'all' },
      },
    ]);
  });

  it.each<[sentence: string, areMeansRight: boolean, codes: readonly CauseCode[]]>([
    ['others use an account that it says is the run’s own', false, ['profile-false']],
    ['but not where both means are those of the true number', true, ['sessions-counted-twice']],
  ])('is named where %s', async (_, areMeansRight, codes) => {
    const scene = readLast(({ product }) => ({
      spoil: (body) => {
        if (product !== undefined) return body;
        const total = body.total_sessions + 3;
        const part = areMeansRight ? 1 : body.total_sessions / total;
        const of = (mean: number): number => Math.round(mean * part * 1e4) / 1e4;
        const means = [of(body.avg_shades_per_session), of(body.cart_intent_rate)] as const;
        return {
          ...body,
          total_sessions: total,
          avg_shades_per_session: means[0],
          cart_intent_rate: means[1],
        };
      },
    }));
    const { causes } = diagnose([...(await verdicts(scene)).values()]);
    expect(causes.map(({ cause }) => cause.code)).toEqual(codes);
  });

  it.each(rowsOf([[{ endDate: 'exclusive' } as const], [{ counted: () => [] }]], (_, place) => place === 1))(
    'is not named by zeros alone, which many conventions give: %o',
    async (manner) => {
      const { causes } = diagnose([...(await verdicts(readLast(() => manner))).values()]);
      for (const code of ['end-date-exclusive', 'day-boundary-shifted', 'integer-division', 'profile-false'])
        expect(causes.map(({ cause }) => cause.code)).not.toContain(code);
    },
  );
});

describe('where nobody promises the conventions, wrong answers choose none, and it is told that', () => {
  const open = { ...stated, end_date: 'discover', time_zone: 'discover', exclusive: false } as const;

  it.each(
    rowsOf<[string, acts: (acts: NaiveSession['acts']) => NaiveSession['acts'], cause: string]>(
      [
        ['only the newest 2 events of a session count', (acts) => acts.slice(-2), 'events-capped'],
        ['only the first event of each session counts', (acts) => acts.slice(0, 1), 'part-not-counted'],
        ['no selection after the third event counts', (acts) => acts.slice(0, 3), 'part-not-counted'],
      ],
      (_, place) => place === 0,
    ),
  )('%s', async (_, acts, cause) => {
    const manner: Manner = { counted: (all) => all.map((one) => ({ ...one, acts: acts(one.acts) })) };
    const scene = asked(shoppers(), manner);
    for (const product of [undefined, ...products])
      for (const period of [{ end: tomorrow }, { start: '2026-04-30', end: '2026-04-30' }])
        scene.ask({ ...(product !== undefined && { product }), ...period }, manner);
    const results = await verdicts(scene, open);
    expect(results.get('total-sessions')?.verdict).toBe('pass');
    expect(diagnosed(results)).toEqual([cause]);
  });

  it('a question that was asked before the sessions gets the same answer since', async () => {
    const scene = new Scene();
    const [empty, late] = [scene.honest(), { end: tomorrow }];
    for (const query of [{}, late]) scene.askRaw(query, scene.honest(query), 'analytics-early');
    const before = { ...empty, period: scene.honest(late).period };
    scene.visit('lipstick', ['L1', 'L2']);
    scene.visit('blush', ['B1']);
    scene.pause(12_000);
    for (let round = 0; round < 3; round++) {
      scene.ask({}, { spoil: () => empty });
      scene.ask(late, { spoil: () => before });
    }
    scene.ask({ product: 'lipstick' });
    scene.ask({ product: 'blush', ...late });
    const results = await verdicts(scene, open);
    expect(results.get('total-sessions')?.verdict).toBe('fail');
    expect(diagnosed(results)).toEqual(['stale-analytics']);
  });
});

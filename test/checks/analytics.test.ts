import { describe, expect, it } from 'vitest';
import { analyticsTable } from '../../src/checks/analytics/table.ts';
import { checkAnalytics } from '../../src/checks/analytics.ts';
import type { CheckResult, Verdict } from '../../src/checks/verdict.ts';
import type { RunInfo } from '../../src/history/run.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import { type Manner, Scene, type SceneQuery, sceneStartMs, today, tomorrow } from './analytics/scene.ts';

type AnalyticsInput = NonNullable<ProfileInput['analytics']>;

/** The reference service's conventions, stated. */
const stated: AnalyticsInput = {
  end_date: 'inclusive',
  time_zone: 'UTC',
  session_day: 'creation',
  cart_intent: 'ever',
  shades_per_session: 'distinct',
  sessions_averaged: 'all',
  top_shades: 10,
  decimals: 4,
  exclusive: true,
};
/** The same of an account that others may use. */
const shared: AnalyticsInput = { ...stated, exclusive: false };

const products = ['lipstick', 'blush', 'liner'];

/** Fourteen sessions on three products: some bounced, some shades tried twice, some with cart intent. */
function shoppers(scene = new Scene()): Scene {
  scene.askRaw({}, scene.honest(), 'baseline');
  scene.visit('lipstick', ['L1', 'L2', 'L1', '+L1']);
  scene.visit('lipstick', ['L2', 'L3', 'L2', 'L2']);
  scene.visit('lipstick', ['L1', 'L3']);
  scene.visit('lipstick', ['L4', '+L4']);
  scene.visit('lipstick');
  scene.visit('lipstick');
  scene.visit('blush', ['B1', 'B1', 'B2', 'B3', '+B1']);
  scene.visit('blush', ['B1', 'B2', 'B2', 'L1']);
  scene.visit('blush');
  scene.visit('liner', ['E1', 'E2', 'E3', 'E4', 'E5', 'E1', '+E2']);
  scene.visit('liner', ['E1', 'E2', 'E1']);
  scene.visit('liner', ['E3', 'E4', '+E3']);
  scene.visit('liner');
  scene.visit('liner');
  return scene;
}

/** Asks every query twice, after the freshness bound. */
function asked(scene: Scene, manner: Manner | ((query: SceneQuery, round: number) => Manner) = {}): Scene {
  const of = typeof manner === 'function' ? manner : () => manner;
  const queries: SceneQuery[] = [{}, ...products.map((product) => ({ product }))];
  scene.pause(100);
  for (const query of queries) scene.ask(query, of(query, 0), 'analytics-early');
  scene.pause(11_000);
  for (const round of [1, 2]) for (const query of queries) scene.ask(query, of(query, round));
  return scene;
}

async function verdicts(
  scene: Scene,
  analytics: AnalyticsInput = stated,
  run: Partial<RunInfo> = {},
): Promise<Map<string, CheckResult>> {
  const results = await scene.judge(checkAnalytics, { profile: { analytics }, run });
  // How soon answers are right has tests of its own, with polls, which these runs do not make.
  const judged = results.filter(({ id }) => id !== 'analytics.freshness');
  return new Map(judged.map((result) => [result.id.replace('analytics.', ''), result]));
}

function failing(results: ReadonlyMap<string, CheckResult>): string[] {
  return [...results.values()]
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id }) => id.replace('analytics.', ''));
}

function undecided(results: ReadonlyMap<string, CheckResult>): string[] {
  return [...results.values()]
    .filter(({ verdict }) => verdict === 'inconclusive')
    .map(({ id }) => id.replace('analytics.', ''));
}

/** An honest run with its sessions read back. */
function honestRun(manner: Manner = {}): Scene {
  const scene = shoppers();
  scene.pause(11_000);
  for (const { sessionId } of [...scene.truth]) scene.read(sessionId);
  return asked(scene, manner);
}

describe('an honest target', () => {
  it('passes every check, stated conventions and discovered ones', async () => {
    for (const analytics of [stated, {}]) {
      const results = await verdicts(honestRun(), analytics);
      expect([...results.values()].filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
      expect(results.size).toBe(10);
    }
  });

  it('is shown its numbers by query', async () => {
    const results = await verdicts(honestRun());
    expect(results.get('total-sessions')?.expected).toEqual({
      'all products': { min: 14, max: 14 },
      lipstick: { min: 6, max: 6 },
      blush: { min: 3, max: 3 },
      liner: { min: 5, max: 5 },
    });
    expect(results.get('total-sessions')?.observed).toEqual({
      'all products': 14,
      lipstick: 6,
      blush: 3,
      liner: 5,
    });
    expect(results.get('sessions')?.observed).toMatchObject({
      sessions: 14,
      read_back: 14,
      interactions_found: 34,
    });
  });

  it.each<[string, Manner, AnalyticsInput]>([
    [
      'another stable order of ties',
      { spoil: (body) => ({ ...body, top_shades: tiesReversed(body.top_shades) }) },
      stated,
    ],
    [
      'top_shades of another length, where the profile names none',
      { topLength: 3 },
      { ...stated, top_shades: 'discover' },
    ],
    ['no rounding at all', { decimals: 15 }, stated],
    ['two decimals, where the profile asks for two', { decimals: 2 }, { ...stated, decimals: 2 }],
    ['four decimals, where the profile asks for two', { decimals: 4 }, { ...stated, decimals: 2 }],
    [
      'half a unit in the last place more',
      {
        decimals: 15,
        spoil: (body) => ({ ...body, avg_shades_per_session: body.avg_shades_per_session * (1 + 2 ** -53) }),
      },
      stated,
    ],
    ['extra fields', { spoil: (body) => ({ ...body, generated_at: 'now', median: 2 }) }, stated],
    [
      'selections counted, where the profile leaves it open',
      { shades: 'selections' },
      { ...stated, shades_per_session: 'discover' },
    ],
    [
      'means over sessions with a shade, where the profile leaves it open',
      { averaged: 'with-shades' },
      { ...stated, sessions_averaged: 'discover' },
    ],
    [
      'rates over sessions with a shade, where the profile leaves it open',
      { rateOver: 'with-shades' },
      { ...stated, sessions_averaged: 'discover' },
    ],
  ])('passes with %s', async (_, manner, analytics) => {
    const results = await verdicts(honestRun(manner), analytics);
    expect(failing(results)).toEqual([]);
    expect(undecided(results)).toEqual([]);
  });

  it('passes when analytics become right within the freshness bound, and it is said when', async () => {
    const results = await verdicts(
      honestRun0((_, round) => (round === 0 ? { counted: (all) => all.slice(0, 6) } : {})),
    );
    expect(failing(results)).toEqual([]);
    expect(results.get('stable')?.observed).toMatch(
      /^1 of 4 queries were complete when first asked, 2\.\d s after .* by 13\.\d s/,
    );
  });

  it('has its conventions named', async () => {
    const results = await verdicts(
      honestRun({ shades: 'selections', averaged: 'with-shades', topLength: 4 }),
      {},
    );
    expect(results.get('conventions')).toMatchObject({
      verdict: 'pass',
      observed: {
        end_date: 'inclusive',
        shades_per_session: 'selections',
        sessions_averaged: 'with-shades',
        'cart_intent_rate over sessions': 'all',
        top_shades: '4',
      },
    });
  });
});

/** Reads every session back. */
function honestlyRead(scene: Scene): Scene {
  scene.pause(11_000);
  for (const { sessionId } of [...scene.truth]) scene.read(sessionId);
  return scene;
}

function honestRun0(manner: (query: SceneQuery, round: number) => Manner): Scene {
  const scene = shoppers();
  scene.pause(2_000);
  asked(scene, manner);
  for (const { sessionId } of [...scene.truth]) scene.read(sessionId);
  return scene;
}

function tiesReversed<T extends { selections: number; sku: string }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => b.selections - a.selections || (a.sku < b.sku ? 1 : -1));
}

describe('a target with a defect', () => {
  it.each<[string, Manner | ((query: SceneQuery, round: number) => Manner), string[], string, RegExp]>([
    [
      'an exclusive end date against the profile',
      { endDate: 'exclusive' },
      ['conventions', 'total-sessions', 'avg-shades', 'cart-intent', 'top-shades'],
      'conventions',
      /end_date exclusive.*, while the profile says end_date inclusive/,
    ],
    [
      'a product filter that is ignored',
      (query) => ({ counted: (all) => all.map((s) => ({ ...s, product: query.product ?? s.product })) }),
      ['product-filter', 'total-sessions'],
      'product-filter',
      /product_id is not applied: 3 answers .*lipstick: total_sessions, avg_shades_per_session, cart_intent_rate, top_shades/,
    ],
    [
      'a filter that skips top_shades',
      (query) => ({ spoil: (body) => ({ ...body, top_shades: shoppers().honest().top_shades, query }) }),
      ['product-filter', 'top-shades'],
      'product-filter',
      /lipstick: top_shades;/,
    ],
    [
      'a percentage for a fraction',
      { spoil: (body) => ({ ...body, cart_intent_rate: body.cart_intent_rate * 100 }) },
      ['cart-intent'],
      'cart-intent',
      /returned 35\.71, a percentage; the fraction is 0\.3571/,
    ],
    [
      'early rounding',
      { decimals: 1 },
      ['avg-shades', 'cart-intent'],
      'avg-shades',
      /rounded to 1 decimal; expected 1\.57.*, to 4 decimals/,
    ],
    [
      'integer division',
      { spoil: (body) => ({ ...body, avg_shades_per_session: Math.floor(body.avg_shades_per_session) }) },
      ['avg-shades'],
      'avg-shades',
      /cut off to a whole number, as integer division does/,
    ],
    [
      'bounced sessions left out of the mean',
      { averaged: 'with-shades' },
      ['avg-shades', 'conventions'],
      'avg-shades',
      /returned 2\.44.* = the mean number of different shades over sessions with at least one shade; the profile says the mean .* over all sessions/,
    ],
    [
      'bounced sessions left out altogether',
      { counted: (all) => all.filter(({ acts }) => acts.length > 0) },
      ['total-sessions', 'avg-shades', 'cart-intent'],
      'total-sessions',
      /returned 9 = the sessions with at least one shade; sessions without one count too \(14\)/,
    ],
    [
      'raw counts for filtered queries and distinct ones for the whole',
      (query) => (query.product === undefined ? {} : { shades: 'selections' }),
      ['avg-shades', 'conventions'],
      'conventions',
      /changes between answers/,
    ],
    [
      'a period of another form',
      { spoil: (body) => ({ ...body, period: '2026-05-01/2026-05-01' }) },
      ['period'],
      'period',
      /returned "2026-05-01\/2026-05-01", expected "2026-05-01 \/ 2026-05-01"/,
    ],
    [
      'an order of ties that changes between reads',
      (_, round) =>
        round === 2 ? { spoil: (body) => ({ ...body, top_shades: tiesReversed(body.top_shades) }) } : {},
      ['stable'],
      'stable',
      /changed places in top_shades/,
    ],
    [
      'stale numbers past the freshness bound',
      { counted: (all) => all.slice(0, 11) },
      ['total-sessions'],
      'total-sessions',
      /returned 11, 3 fewer than the 14 sessions that certainly exist/,
    ],
    [
      'a cached unfiltered answer',
      (query) => (query.product === undefined ? { counted: (all) => all.slice(0, 13) } : {}),
      ['total-sessions', 'additivity'],
      'additivity',
      /total_sessions is 13 for all products, the products add up to 14/,
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
    ],
    [
      'counts that are two per cent off',
      { spoil: (body) => ({ ...body, avg_shades_per_session: body.avg_shades_per_session * 1.02 }) },
      ['avg-shades'],
      'avg-shades',
      /returned 1\.60.*, expected 1\.57/,
    ],
    [
      'a top_shades in another order',
      { spoil: (body) => ({ ...body, top_shades: body.top_shades.toReversed() }) },
      ['top-shades'],
      'top-shades',
      /stands after a shade with/,
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
    ],
    [
      'the most selected shade left out',
      { spoil: (body) => ({ ...body, top_shades: body.top_shades.slice(1) }) },
      ['top-shades'],
      'top-shades',
      /selected at least 4 times, is not listed/,
    ],
    [
      'a list that is too short',
      { topLength: 2 },
      ['top-shades'],
      'top-shades',
      /2 shades are listed, 10 should be/,
    ],
  ])('with %s fails', async (_, manner, ids, explained, words) => {
    const results = await verdicts(honestRun0(typeof manner === 'function' ? manner : () => manner));
    expect(failing(results)).toEqual(expect.arrayContaining(ids));
    expect(results.get(explained)?.explanation).toMatch(words);
    expect(results.get(ids[0] ?? '')?.expected).not.toBeNull();
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

describe('a session read back', () => {
  type Body = Parameters<NonNullable<Parameters<Scene['read']>[1]>>[0];
  /** The first entry's instant is another. */
  const dated = (at: string) => (body: Body) => ({
    ...body,
    interactions: body.interactions.map((entry, n) => (n === 0 ? { ...entry, at } : entry)),
  });

  it.each<[string, (body: Body) => unknown, RegExp | null]>([
    ['as it was made passes', (body) => body, null],
    [
      'without ids passes',
      (body) => ({ ...body, interactions: body.interactions.map(({ id: _, ...rest }) => rest) }),
      null,
    ],
    [
      'with ids of the target’s own passes',
      (body) => ({ ...body, interactions: body.interactions.map((a, i) => ({ ...a, id: `own-${i}` })) }),
      null,
    ],
    [
      'with entries of other types among them passes',
      (body) => ({
        ...body,
        interactions: [{ id: 'o', type: 'session_opened', sku: '', at: 'x' }, ...body.interactions],
      }),
      null,
    ],
    ['with the instants that acts were sent with passes', dated('2026-05-01T12:00:00.4Z'), null],
    ['with these instants in another zone passes', dated('2026-05-01T14:00:00+02:00'), null],
    ['with instants whose zone nobody knows passes', dated('2026-05-01T14:00:00'), null],
    [
      'with an instant an hour later fails',
      dated('2026-05-01T13:00:00Z'),
      /^1 interactions stand in the history with an instant at which they were neither made nor taken in/,
    ],
    [
      'with local time called UTC fails',
      dated('2026-05-01T10:00:00.000Z'),
      /^1 interactions stand in the history with an instant at which they were neither made nor taken in/,
    ],
    ['with its locale in lower case passes', (body) => ({ ...body, locale: 'en-gb' }), null],
    ['newest first passes', (body) => ({ ...body, interactions: body.interactions.toReversed() }), null],
    ['without product and locale passes', ({ interactions }) => ({ interactions }), null],
    [
      'without its last interaction fails',
      (body) => ({ ...body, interactions: body.interactions.slice(0, -1) }),
      /1 interactions were acknowledged but are lost/,
    ],
    [
      'with repeated selections collapsed fails',
      (body) => ({
        ...body,
        interactions: body.interactions.filter(
          (a, i, all) => all.findIndex((b) => b.sku === a.sku && b.type === a.type) === i,
        ),
      }),
      /1 interactions were acknowledged but are lost/,
    ],
    [
      'with collapsed selections and no ids fails',
      (body) => ({
        ...body,
        interactions: body.interactions
          .filter((a, i, all) => all.findIndex((b) => b.sku === a.sku && b.type === a.type) === i)
          .map(({ id: _, ...rest }) => rest),
      }),
      /1 interactions were acknowledged but are lost/,
    ],
    [
      'with an interaction twice fails',
      (body) => ({ ...body, interactions: [...body.interactions, ...body.interactions.slice(0, 1)] }),
      /1 interactions stand in the history more than once/,
    ],
    [
      'with a foreign interaction fails',
      (body) => ({
        ...body,
        interactions: [...body.interactions, { id: 'x', type: 'shade_selected', sku: 'L9', at: 'x' }],
      }),
      /1 interactions stand in the history that this session never made/,
    ],
    [
      'with another SKU fails',
      (body) => ({
        ...body,
        interactions: body.interactions.map((a, i) => (i === 0 ? { ...a, sku: 'L9' } : a)),
      }),
      /1 interactions .* another type or SKU/,
    ],
    [
      'out of order fails',
      (body) => ({ ...body, interactions: [2, 0, 1, 3].map((i) => body.interactions[i]) }),
      /out of the order/,
    ],
    ['with another product fails', (body) => ({ ...body, product_id: 'blush' }), /another product_id/],
    ['with another locale fails', (body) => ({ ...body, locale: 'fr-FR' }), /another locale/],
  ])('%s', async (_, spoil, words) => {
    const scene = new Scene();
    const session = scene.session('lipstick') ?? '';
    scene.act(session, ['L1']);
    scene.act(session, ['L2', 'L1', '+L1']);
    scene.pause(11_000);
    scene.read(session, spoil);
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result?.verdict).toBe(words === null ? 'pass' : 'fail');
    if (words !== null) {
      expect(result?.explanation).toMatch(words);
      expect(result?.evidence[0]?.seqs).toEqual([4]);
    }
  });

  const renamed = (body: Body, names: Readonly<Record<string, string>>): unknown => ({
    ...body,
    interactions: body.interactions.map((entry) =>
      Object.fromEntries(Object.entries(entry).map(([name, value]) => [names[name] ?? name, value])),
    ),
  });

  it.each<[string, Readonly<Record<string, string>>, 'pass' | 'inconclusive', RegExp]>([
    [
      'the SKU',
      { sku: 'shade' },
      'inconclusive',
      /no entry .* carries a SKU under "sku" \(profile: session_history\.sku\)/,
    ],
    [
      'the SKU and the id',
      { sku: 'shade', id: 'uid' },
      'inconclusive',
      /no entry .* carries a SKU under "sku" \(profile: session_history\.sku\)/,
    ],
    ['the type', { type: 'kind' }, 'inconclusive', /under "type" \(profile: session_history\.type\)/],
    [
      'the type and the id',
      { type: 'kind', id: 'uid' },
      'inconclusive',
      /under "type" \(profile: session_history\.type\)/,
    ],
    [
      'everything',
      { id: 'uid', type: 'kind', sku: 'shade' },
      'inconclusive',
      /session_history\.type\), and none carries a SKU .*session_history\.sku/,
    ],
    ['the id', { id: 'uid' }, 'pass', /order was not compared: .* \(profile: session_history\.id\)/],
  ])('by a target with another name for %s is never accused', async (_, names, verdict, words) => {
    const scene = new Scene();
    const session = scene.session('lipstick') ?? '';
    scene.act(session, ['L1', 'L2', 'L1', '+L1']);
    const other = scene.visit('lipstick', ['L2']);
    scene.act(other, ['L3'], { outcome: 'lost-but-arrived' });
    scene.pause(11_000);
    scene.read(session, (body) => renamed(body, names));
    scene.read(other, (body) => renamed(body, names));
    const results = await verdicts(asked(scene));
    expect(failing(results)).toEqual([]);
    expect(results.get('sessions')?.explanation).toMatch(words);
    expect(results.get('sessions')?.verdict).toBe(verdict);
  });

  it('without an interaction is accused by ids, whatever the type is called', async () => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1', 'L2']);
    scene.pause(11_000);
    scene.read(session, (body) =>
      renamed({ ...body, interactions: body.interactions.slice(0, 1) }, { type: 'kind' }),
    );
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result?.explanation).toMatch(/1 interactions were acknowledged but are lost/);
    expect(result?.verdict).toBe('fail');
  });

  it('under names that the profile gives, with dots for nesting, is compared by them', async () => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1', '+L1', 'L2']);
    scene.pause(11_000);
    const shown = (keep: number) => (body: Body) => ({
      session: {
        events: body.interactions
          .slice(0, keep)
          .map(({ id, type, sku }) => ({ uid: id, kind: type, shade: { sku } })),
      },
    });
    const profile: ProfileInput = {
      analytics: stated,
      session_history: { list: 'events', id: 'uid', type: 'kind', sku: 'shade.sku' },
    };
    const judge = async (): Promise<CheckResult | undefined> =>
      (await scene.judge(checkAnalytics, { profile })).find(({ id }) => id === 'analytics.sessions');
    scene.read(session, shown(3));
    asked(scene);
    expect(await judge()).toMatchObject({ verdict: 'pass', observed: { interactions_found: 3 } });
    scene.read(session, shown(2));
    expect(await judge()).toMatchObject({ verdict: 'fail', observed: { lost: 1 } });
  });

  it('that shows its cart intents without a SKU is matched by type', async () => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1', '+L1']);
    scene.pause(11_000);
    scene.read(session, (body) => ({
      ...body,
      interactions: body.interactions.map(({ type, sku }) =>
        type === 'cart_intent' ? { type } : { type, sku },
      ),
    }));
    expect((await verdicts(asked(scene))).get('sessions')?.verdict).toBe('pass');
  });

  it('that is gone fails', async () => {
    const scene = shoppers();
    scene.pause(11_000);
    scene.read(scene.truth[0]?.sessionId ?? '', (body) => body, 404);
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result).toMatchObject({
      verdict: 'fail',
      explanation: expect.stringMatching(/1 reads .* answered 404/),
    });
  });

  it.each([
    ['sooner than what happened has to show, is not held against the target', 3_000, 'pass'],
    ['later than that, is', 10_000, 'fail'],
  ] as const)('without its last interaction, %s', async (_, afterMs, verdict) => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1', 'L2']);
    scene.pause(afterMs);
    scene.read(session, (body) => ({ ...body, interactions: body.interactions.slice(0, 1) }));
    expect((await verdicts(asked(scene))).get('sessions')?.verdict).toBe(verdict);
  });

  it.each([
    ['sooner than it has to show, is not held against the target', 3_000, 'pass'],
    ['later than that, is', 10_000, 'fail'],
  ] as const)('that is not found, %s', async (_, afterMs, verdict) => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1']);
    scene.pause(afterMs);
    scene.read(session, (body) => body, 404);
    scene.pause(11_000);
    scene.read(session);
    expect((await verdicts(asked(scene))).get('sessions')?.verdict).toBe(verdict);
  });

  it('too early to show all leaves open where a difference came about', async () => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1', 'L2']);
    scene.pause(3_000);
    scene.read(session, (body) => ({ ...body, interactions: body.interactions.slice(0, 1) }));
    asked(scene, { counted: (all) => all.map((one) => ({ ...one, acts: one.acts.slice(0, 1) })) });
    const places = await scene.judge(
      async (history) => (await analyticsTable(history)).sources.located.map(({ place }) => place),
      { profile: { analytics: stated } },
    );
    expect([...new Set(places)]).toEqual(['unlocated']);
  });

  it('with a refused interaction in it fails', async () => {
    const scene = new Scene();
    const session = scene.session('lipstick') ?? '';
    const [id = ''] = scene.act(session, ['L1'], { outcome: 'refused' });
    scene.pause(11_000);
    scene.read(session, (body) => ({
      ...body,
      interactions: [{ id, type: 'shade_selected', sku: 'L1', at: 'x' }],
    }));
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result).toMatchObject({
      verdict: 'fail',
      explanation: expect.stringMatching(/although they were refused/),
    });
  });

  it('narrows what a lost request left open', async () => {
    const scene = new Scene();
    const arrived = scene.visit('lipstick', ['L1']);
    scene.act(arrived, ['L2', '+L2'], { outcome: 'lost-but-arrived' });
    const never = scene.visit('lipstick', ['L1']);
    scene.act(never, ['L3'], { outcome: 'lost' });
    const unread = scene.visit('lipstick', ['L1']);
    scene.act(unread, ['L4', 'L1'], { outcome: 'lost' });
    scene.pause(21_000);
    scene.read(arrived);
    scene.read(never);
    const results = await verdicts(asked(scene));
    expect(failing(results)).toEqual([]);
    expect(results.get('avg-shades')?.expected).toMatchObject({ lipstick: { min: 4 / 3, max: 5 / 3 } });
    expect(results.get('top-shades')?.expected).toMatchObject({
      lipstick: [
        { sku: 'L1', selections: { min: 3, max: 4 } },
        { sku: 'L2', selections: { min: 1, max: 1 } },
        { sku: 'L4', selections: { min: 0, max: 1 } },
      ],
    });
  });

  it('too soon after a request was given up on does not rule it out', async () => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1']);
    scene.act(session, ['L2'], { outcome: 'lost' });
    scene.read(session);
    const results = await verdicts(asked(scene));
    expect(results.get('avg-shades')?.expected).toMatchObject({ lipstick: { min: 1, max: 2 } });
  });
});

describe('what nobody can know', () => {
  it('whether a lost session exists widens every field, jointly', async () => {
    for (const outcome of ['lost', 'lost-but-made', 'failed'] as const) {
      const scene = shoppers();
      scene.session('lipstick', { outcome });
      const results = await verdicts(asked(scene));
      expect(failing(results)).toEqual([]);
      expect(results.get('total-sessions')?.expected).toMatchObject({ lipstick: { min: 6, max: 7 } });
      expect(results.get('avg-shades')?.expected).toMatchObject({ lipstick: { min: 7 / 7, max: 7 / 6 } });
    }
  });

  it('a refused session does not count', async () => {
    const scene = shoppers();
    scene.session('lipstick', { outcome: 'refused' });
    const results = await verdicts(
      asked(scene, { spoil: (body) => ({ ...body, total_sessions: body.total_sessions + 1 }) }),
    );
    expect(results.get('total-sessions')?.explanation).toMatch(
      /returned 15, 1 more than the 14 sessions that can exist/,
    );
  });

  it('on which day a session at midnight counts', async () => {
    for (const offsetMs of [-1_000, 1_000]) {
      const scene = new Scene();
      scene.pause(12 * 3_600_000 - sceneStartMs + offsetMs);
      scene.visit('lipstick', ['L1']);
      scene.pause(60_000);
      scene.visit('lipstick', ['L2', 'L3']);
      scene.pause(12_000);
      scene.ask({ product: 'lipstick', start: today, end: today });
      scene.ask({ product: 'lipstick', start: tomorrow, end: tomorrow });
      const results = await verdicts(scene);
      expect(failing(results)).toEqual([]);
      expect(results.get('total-sessions')?.expected).toEqual({
        'lipstick, 2026-05-01 / 2026-05-01': { min: 0, max: 1 },
        'lipstick, 2026-05-02 / 2026-05-02': { min: 1, max: 2 },
      });
    }
  });

  it('a difference before the freshness bound is inconclusive', async () => {
    const scene = shoppers();
    for (const query of [{}, { product: 'lipstick' }]) scene.ask(query, { counted: () => [] });
    const results = await verdicts(scene);
    expect(failing(results)).toEqual([]);
    expect(undecided(results)).toContain('total-sessions');
    expect(results.get('total-sessions')?.explanation).toMatch(
      /asked sooner than 10000 ms after the last act/,
    );
  });

  it('what a target without a channel saw of its shoppers', async () => {
    const scene = new Scene();
    scene.askRaw({}, scene.honest(), 'baseline');
    for (const product of products) scene.visit(product);
    scene.requests.push({ endpoint: 'interact', notSent: 'no-channel', credential: 'session', items: 3 });
    scene.read('s2');
    const results = await verdicts(asked(scene));
    expect(failing(results)).toEqual([]);
    expect(undecided(results)).toEqual(['avg-shades', 'cart-intent', 'top-shades']);
    expect(results.get('avg-shades')?.explanation).toMatch(/no interaction channel: 1 requests/);
    expect(results.get('total-sessions')?.verdict).toBe('pass');
  });

  it('is judged from histories where those show acts nobody sent, if all were read', async () => {
    const scene = new Scene();
    for (const product of products) scene.visit(product);
    scene.requests.push({ endpoint: 'interact', notSent: 'no-channel', credential: 'session', items: 3 });
    const ids = scene.truth.map(({ sessionId, acts }, index) => {
      acts.push({ id: `sdk${index}`, type: 'shade_selected', sku: 'L1' });
      return sessionId;
    });
    scene.pause(11_000);
    for (const id of ids) scene.read(id);
    const results = await verdicts(asked(scene));
    expect(results.get('top-shades')?.verdict).not.toBe('fail');
    expect(results.get('avg-shades')?.expected).toMatchObject({ lipstick: { min: 1, max: 1 } });
  });

  it('is not judged from histories whose entries have other names', async () => {
    const scene = new Scene();
    for (const product of products) scene.visit(product);
    scene.requests.push({ endpoint: 'interact', notSent: 'no-channel', credential: 'session', items: 3 });
    const ids = scene.truth.map(({ sessionId, acts }, index) => {
      acts.push({ id: `sdk${index}`, type: 'shade_selected', sku: 'L1' });
      return sessionId;
    });
    scene.pause(11_000);
    for (const id of ids)
      scene.read(id, (body) => ({
        ...body,
        interactions: body.interactions.map(({ type, sku }) => ({ kind: type, sku })),
      }));
    const results = await verdicts(asked(scene));
    expect(failing(results)).toEqual([]);
    expect(results.get('avg-shades')?.explanation).toMatch(/profile: session_history\.type/);
  });

  it('nothing was asked, or nothing happened', async () => {
    const none = await verdicts(shoppers());
    expect(new Set([...none.values()].map(({ verdict }) => verdict))).toEqual(new Set(['inconclusive']));
    const empty = await verdicts(asked(new Scene()));
    expect(new Set([...empty.values()].map(({ verdict }) => verdict))).toEqual(new Set(['inconclusive']));
  });

  it('answers that are not JSON, or 5xx, make their query inconclusive', async () => {
    const scene = honestRun();
    scene.askRaw({}, { error: 'x' }, 'analytics', 503);
    expect(undecided(await verdicts(scene))).toEqual([]);
    scene.askRaw({ product: 'mascara' }, undefined);
    scene.askRaw({ end: tomorrow }, { error: 'x' }, 'analytics', 503);
    const results = await verdicts(scene);
    expect(failing(results)).toEqual([]);
    expect(results.get('total-sessions')?.explanation).toMatch(/^2 queries got no readable 2xx answer/);
    const wrongTypes = await verdicts(
      honestRun({ spoil: (body) => ({ ...body, total_sessions: '14', top_shades: null }) }),
    );
    expect(wrongTypes.get('total-sessions')).toMatchObject({
      verdict: 'inconclusive',
      explanation: expect.stringMatching(/of another type/),
    });
    expect(wrongTypes.get('avg-shades')?.verdict).toBe('pass');
  });
});

describe('an account that others use', () => {
  /** `before` sessions of 3 shades each were there, of another product. */
  function used(scene: Scene, before: number): Scene {
    for (let i = 0; i < before; i++)
      scene.truth.unshift({
        product: 'old',
        credential: 'load',
        sessionId: `old${i}`,
        createdMs: Date.UTC(2026, 4, 1, 1),
        acts: ['O1', 'O2', 'O3'].map((sku) => ({
          id: `old${i}${sku}`,
          type: 'shade_selected' as const,
          sku,
        })),
      });
    return scene;
  }

  it('is judged above its baseline when the profile says nobody else does now', async () => {
    const results = await verdicts(asked(shoppers(used(new Scene(), 4))));
    expect(failing(results)).toEqual([]);
    expect(undecided(results)).toEqual(['sessions']);
    expect(results.get('total-sessions')?.expected).toMatchObject({ 'all products': { min: 18, max: 18 } });
  });

  it('was empty for longer than the period asked about, so that a session too many is seen', async () => {
    const scene = new Scene();
    scene.askRaw({ start: '2026-04-30', end: tomorrow }, scene.honest(), 'baseline');
    const more = (): Manner => ({
      spoil: (body) => ({ ...body, total_sessions: body.total_sessions + 1 }),
    });
    scene.visit('lipstick', ['L1']);
    scene.pause(12_000);
    scene.ask({}, more());
    expect(failing(await verdicts(scene))).toEqual(['total-sessions', 'conventions']);
  });

  it('was empty before the run and idle during it passes every check', async () => {
    const results = await verdicts(honestRun(), shared);
    expect([...results.values()].filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  });

  /** A session of somebody else, on the day of the run, that selects one shade often. */
  function foreigner(scene: Scene): void {
    const place = scene.truth.length;
    scene.truth.push({
      product: 'theirs',
      credential: 'load',
      sessionId: `their${place}`,
      createdMs: Date.UTC(2026, 4, 1, 12),
      acts: Array.from({ length: 9 }, (_, n) => ({
        id: `x${place}-${n}`,
        type: 'shade_selected' as const,
        sku: 'X1',
      })),
    });
  }

  it('was empty before the run and is used by others during it is not accused of their sessions', async () => {
    const scene = honestlyRead(shoppers());
    foreigner(scene);
    const results = await verdicts(asked(scene), shared);
    expect(failing(results)).toEqual([]);
    expect(undecided(results)).toEqual([
      'total-sessions',
      'avg-shades',
      'cart-intent',
      'top-shades',
      'additivity',
    ]);
    expect(results.get('total-sessions')?.explanation).toMatch(
      /^all products: more than the run did by itself, but others may use the account \(profile: analytics\.exclusive is false\)\./,
    );
  });

  it.each<[string, AnalyticsInput, (query: SceneQuery, round: number) => Manner, Verdict, RegExp]>([
    [
      'grows between two reads is stable while others may use it',
      shared,
      (query, round) =>
        query.product === undefined && round < 2 ? { counted: (all) => all.slice(0, 14) } : {},
      'pass',
      /1 unfiltered query changed meanwhile, as others may use the account/,
    ],
    [
      'grows between two reads is not while it is exclusive',
      stated,
      (query, round) =>
        query.product === undefined && round < 2 ? { counted: (all) => all.slice(0, 14) } : {},
      'fail',
      /all products: totalSessions 14, then 15/,
    ],
    [
      'shrinks between two reads is not stable, whoever uses it',
      shared,
      (query, round) =>
        query.product === undefined && round === 2 ? { counted: (all) => all.slice(0, 14) } : {},
      'fail',
      /all products: totalSessions 15, then 14/,
    ],
    [
      'answers otherwise for a product of the run is not stable, whoever uses it',
      shared,
      (query, round) =>
        query.product === 'liner' && round === 2
          ? { spoil: (body) => ({ ...body, total_sessions: body.total_sessions + 1 }) }
          : {},
      'fail',
      /liner: totalSessions 5, then 6/,
    ],
  ])('that %s', async (_, analytics, manner, verdict, words) => {
    const scene = shoppers();
    foreigner(scene);
    const stable = (await verdicts(asked(scene, manner), analytics)).get('stable');
    expect(stable?.explanation).toMatch(words);
    expect(stable?.verdict).toBe(verdict);
  });

  it('whose ties change places is unstable where its total leaves no room for others', async () => {
    const turned = (query: SceneQuery, round: number): Manner =>
      query.product === undefined && round === 2
        ? { spoil: (body) => ({ ...body, top_shades: tiesReversed(body.top_shades) }) }
        : {};
    expect((await verdicts(honestRun0(turned), shared)).get('stable')?.verdict).toBe('fail');
  });

  it('is judged by lower bounds otherwise', async () => {
    const busy = (query: SceneQuery): Manner =>
      query.product === undefined
        ? {
            spoil: (body) => ({
              ...body,
              total_sessions: body.total_sessions + 2,
              avg_shades_per_session: 9,
            }),
          }
        : {};
    const results = await verdicts(asked(shoppers(used(new Scene(), 4)), busy), shared);
    expect(failing(results)).toEqual([]);
    expect(undecided(results)).toEqual(
      expect.arrayContaining(['total-sessions', 'avg-shades', 'additivity']),
    );
    expect(results.get('total-sessions')?.explanation).toMatch(
      /the account held 4 sessions before the run, and others may use it/,
    );
    expect(results.get('product-filter')?.verdict).toBe('pass');
    const lost = await verdicts(
      asked(shoppers(used(new Scene(), 4)), (query) =>
        query.product === undefined ? { spoil: (body) => ({ ...body, total_sessions: 17 }) } : {},
      ),
      shared,
    );
    expect(failing(lost)).toEqual(expect.arrayContaining(['total-sessions', 'additivity']));
  });

  it('of two keys that share it is told, and is a failure of an embedded target', async () => {
    const scene = shoppers();
    scene.visit('quota-product', ['Q1'], 'quota');
    asked(scene, { counted: (all) => all.map((s) => ({ ...s, credential: 'load' })) });
    const foreign = await verdicts(scene);
    expect(failing(foreign)).toEqual([]);
    expect(foreign.get('conventions')?.explanation).toMatch(/The keys given share one account/);
    const embedded = await verdicts(scene, stated, {
      target: { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' },
    });
    expect(failing(embedded)).toEqual(expect.arrayContaining(['total-sessions']));
    expect(embedded.get('total-sessions')?.explanation).toMatch(/all keys share one account/);
  });
});

describe('two sources of truth', () => {
  /** Five sessions, of which `skip` keep the second of their acts to themselves in the named places. */
  function lossy(places: readonly ('history' | 'analytics')[], readAll = true): Scene {
    const scene = new Scene();
    scene.askRaw({}, scene.honest(), 'baseline');
    for (let visit = 0; visit < 5; visit++) scene.visit('lipstick', ['L1', `L${visit}`, '+L1']);
    scene.pause(11_000);
    const without = <T>(acts: readonly T[]): T[] => acts.filter((_, place) => place !== 1);
    const lose = (place: 'history' | 'analytics', visit: number): boolean =>
      visit === 3 && places.includes(place);
    scene.truth.forEach(({ sessionId }, visit) => {
      if (!readAll && visit > 1) return;
      scene.read(sessionId, (body) =>
        lose('history', visit) ? { ...body, interactions: without(body.interactions) } : body,
      );
    });
    return asked(scene, {
      counted: (all) =>
        all.map((one, visit) => (lose('analytics', visit) ? { ...one, acts: without(one.acts) } : one)),
    });
  }

  const located = (scene: Scene) =>
    scene.judge(async (history) => (await analyticsTable(history)).sources, {
      profile: { analytics: stated },
    });

  it.each<[string, readonly ('history' | 'analytics')[], boolean, string | undefined]>([
    ['nothing, when both agree with what was done', [], true, undefined],
    ['at write, when neither has it', ['history', 'analytics'], true, 'write'],
    ['in the history alone, when analytics have it', ['history'], true, 'history'],
    ['in aggregation, when the history has it', ['analytics'], true, 'aggregation'],
    ['nowhere for sure, when not every session was read back', ['history', 'analytics'], false, 'unlocated'],
  ])('locate a loss %s', async (_, places, readAll, place) => {
    const { located: found, funnel } = await located(lossy(places, readAll));
    expect([...new Set(found.map((each) => each.place))]).toEqual(place === undefined ? [] : [place]);
    expect(funnel.interactions).toMatchObject({ sent: 15, acknowledged: 15, looked_for: readAll ? 15 : 6 });
    expect(funnel.sessions).toMatchObject({ granted: 5, readBack: readAll ? 5 : 2 });
  });

  it('say so where the field is wrong, and in the session check', async () => {
    const results = await verdicts(lossy(['history', 'analytics']));
    expect(results.get('avg-shades')?.explanation).toMatch(/went wrong at write/);
    expect(results.get('sessions')?.explanation).toMatch(
      /1 interactions were acknowledged but are lost .* went wrong at write/,
    );
  });

  it('disagree about shade_count when it is read back as another', async () => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1']);
    scene.requests[0] = { ...scene.requests[0], endpoint: 'create-session', count: 12 };
    scene.pause(11_000);
    scene.read(session, (body) => ({ ...body, shade_count: 11 }));
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result?.explanation).toMatch(/1 sessions were read back with another shade_count/);
    expect(result?.verdict).toBe('fail');
  });

  it('count sessions with many shades alike, far apart in the catalog or not', async () => {
    const scene = new Scene();
    scene.askRaw({}, scene.honest(), 'baseline');
    const skus = Array.from({ length: 150 }, (_, n) => `S${String(n).padStart(3, '0')}`);
    scene.visit('lipstick', skus);
    scene.visit('lipstick', ['S000', 'S064', 'S128', 'S000']);
    scene.visit('lipstick', ['S010', 'S011', 'S010']);
    const results = await verdicts(asked(scene));
    expect(results.get('avg-shades')).toMatchObject({
      verdict: 'pass',
      expected: { lipstick: { min: 155 / 3, max: 155 / 3 } },
    });
  });
});

describe('numbers over all products while others use the account', () => {
  it.each<[string, number, Verdict]>([
    ['that their sessions explain are not held against the target', 0.4, 'inconclusive'],
    ['that no sessions of theirs explain are', 0.02, 'fail'],
  ])('%s', async (_, share, verdict) => {
    const scene = shoppers();
    // Fourteen sessions of the run, and a few of others, as the total says.
    const manner = (query: SceneQuery): Manner =>
      query.product === undefined
        ? { spoil: (body) => ({ ...body, total_sessions: 17, avg_shades_per_session: 22 * share }) }
        : {};
    const results = await verdicts(asked(scene, manner), { ...shared, exclusive: false });
    expect(results.get('avg-shades')?.verdict).toBe(verdict);
  });
});

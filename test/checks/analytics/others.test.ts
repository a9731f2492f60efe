import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import {
  type AnalyticsInput,
  asked,
  failing,
  honestlyRead,
  honestRun,
  readLast,
  shared,
  shoppers,
  stated,
  tiesReversed,
  undecided,
  verdicts,
} from './run.ts';
import { codesOf, saying } from './saying.ts';
import { type Manner, Scene, type SceneQuery, tomorrow } from './scene.ts';

/** That total_sessions changed between two answers. */
const totalChanged = (query: string, before: number, after: number): unknown =>
  saying('answer-changed', {
    query,
    changes: expect.arrayContaining([{ field: 'total_sessions', before, after }]),
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
    expect(results.get('total-sessions')?.reasons?.slice(0, 2)).toEqual([
      saying('answer-more-than-run', { query: 'all products' }),
      saying('account-used-by-others'),
    ]);
  });

  it.each<[string, AnalyticsInput, (query: SceneQuery, round: number) => Manner, Verdict, unknown]>([
    [
      'grows between two reads is stable while others may use it',
      shared,
      (query, round) =>
        query.product === undefined && round < 2 ? { counted: (all) => all.slice(0, 14) } : {},
      'pass',
      saying('stable-grown', { queries: 1 }),
    ],
    [
      'grows between two reads is not while it is exclusive',
      stated,
      (query, round) =>
        query.product === undefined && round < 2 ? { counted: (all) => all.slice(0, 14) } : {},
      'fail',
      totalChanged('all products', 14, 15),
    ],
    [
      'shrinks between two reads is not stable, whoever uses it',
      shared,
      (query, round) =>
        query.product === undefined && round === 2 ? { counted: (all) => all.slice(0, 14) } : {},
      'fail',
      totalChanged('all products', 15, 14),
    ],
    [
      'answers otherwise for a product of the run is not stable, whoever uses it',
      shared,
      (query, round) =>
        query.product === 'liner' && round === 2
          ? { spoil: (body) => ({ ...body, total_sessions: body.total_sessions + 1 }) }
          : {},
      'fail',
      totalChanged('liner', 5, 6),
    ],
  ])('that %s', async (_, analytics, manner, verdict, said) => {
    const scene = shoppers();
    foreigner(scene);
    const stable = (await verdicts(asked(scene, manner), analytics)).get('stable');
    expect(stable?.reasons).toContainEqual(said);
    expect(stable?.verdict).toBe(verdict);
  });

  it('whose ties change places is unstable where its total leaves no room for others', async () => {
    const turned = (query: SceneQuery, round: number): Manner =>
      query.product === undefined && round === 2
        ? { spoil: (body) => ({ ...body, top_shades: tiesReversed(body.top_shades) }) }
        : {};
    expect((await verdicts(readLast(turned), shared)).get('stable')?.verdict).toBe('fail');
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
    expect(results.get('total-sessions')?.reasons).toContainEqual(
      saying('account-held-sessions', { sessions: 4 }),
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

  it('of two keys that share it is told, and is a failure where the profile says that each sees its own', async () => {
    const scene = shoppers();
    scene.visit('quota-product', ['Q1'], 'quota');
    asked(scene, { counted: (all) => all.map((s) => ({ ...s, credential: 'load' })) });
    const foreign = await verdicts(scene);
    expect(failing(foreign)).toEqual([]);
    expect(foreign.get('conventions')?.observed).toMatchObject({
      'data_scope: whose sessions an answer counts': 'one account for all keys',
    });
    expect(codesOf(foreign.get('conventions'))).toContain('accounts-shown-by-analytics-alone');
    const promised = await verdicts(scene, stated, {}, { data_scope: 'per-key' });
    expect(failing(promised)).toEqual(expect.arrayContaining(['total-sessions']));
    expect(promised.get('total-sessions')?.causes?.map(({ cause }) => cause.code)).toContain(
      'analytics-pool-accounts',
    );
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

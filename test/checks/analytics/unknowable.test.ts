import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../effort.ts';
import { asked, failing, honestRun, products, shoppers, undecided, verdicts } from './run.ts';
import { saying } from './saying.ts';
import { Scene, sceneStartMs, today, tomorrow } from './scene.ts';

/** The run could not act, and yet each of its sessions has an act; some time has passed since. */
function actedByOthers(): { readonly scene: Scene; readonly ids: readonly string[] } {
  const scene = new Scene();
  for (const product of products) scene.visit(product);
  scene.requests.push({ endpoint: 'interact', notSent: 'no-channel', credential: 'session', items: 3 });
  const ids = scene.truth.map(({ sessionId, acts }, index) => {
    acts.push({ id: `sdk${index}`, type: 'shade_selected', sku: 'L1' });
    return sessionId;
  });
  scene.pause(11_000);
  return { scene, ids };
}

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
    expect(results.get('total-sessions')?.reasons).toContainEqual(
      saying('answer-total', { returned: 15, expected: { min: 14, max: 14 } }),
    );
  });

  it('on which day a session at midnight counts', async () => {
    for (const offsetMs of rowsOf([-1_000, 1_000], (_, place) => place === 0)) {
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
    expect(results.get('total-sessions')?.reasons).toContainEqual(
      saying('answer-too-soon', { freshnessMs: 10_000 }),
    );
  });

  it.each([
    ['a target without a channel', 'no-channel', 'no-interaction-channel'],
    ['a target whose tokens no header can carry', 'bad-header', 'tokens-not-sendable'],
  ] as const)('what %s saw of its shoppers', async (_target, notSent, why) => {
    const scene = new Scene();
    scene.askRaw({}, scene.honest(), 'baseline');
    for (const product of products) scene.visit(product);
    scene.requests.push({ endpoint: 'interact', notSent, credential: 'session', items: 3 });
    scene.read('s2');
    const results = await verdicts(asked(scene));
    expect(failing(results)).toEqual([]);
    expect(undecided(results)).toEqual(['avg-shades', 'cart-intent', 'top-shades']);
    expect(results.get('avg-shades')?.reasons).toContainEqual(saying(why, { requests: 1 }));
    expect(results.get('total-sessions')?.verdict).toBe('pass');
  });

  it('is judged from histories where those show acts nobody sent, if all were read', async () => {
    const { ids, scene } = actedByOthers();
    for (const id of ids) scene.read(id);
    const results = await verdicts(asked(scene));
    expect(results.get('top-shades')?.verdict).not.toBe('fail');
    expect(results.get('avg-shades')?.expected).toMatchObject({ lipstick: { min: 1, max: 1 } });
  });

  it('is not judged from histories whose entries have other names', async () => {
    const { ids, scene } = actedByOthers();
    for (const id of ids)
      scene.read(id, (body) => ({
        ...body,
        interactions: body.interactions.map(({ type, sku }) => ({ kind: type, sku })),
      }));
    const results = await verdicts(asked(scene));
    expect(failing(results)).toEqual([]);
    expect(results.get('avg-shades')?.reasons).toContainEqual(
      saying('history-without-types', { name: 'type' }),
    );
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
    expect(results.get('total-sessions')?.reasons).toEqual([saying('queries-unanswered', { queries: 2 })]);
    const wrongTypes = await verdicts(
      honestRun({ spoil: (body) => ({ ...body, total_sessions: '14', top_shades: null }) }),
    );
    expect(wrongTypes.get('total-sessions')).toMatchObject({
      verdict: 'inconclusive',
      reasons: expect.arrayContaining([saying('answer-missing')]),
    });
    expect(wrongTypes.get('avg-shades')?.verdict).toBe('pass');
  });
});

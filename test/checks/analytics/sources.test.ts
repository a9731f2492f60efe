import { describe, expect, it } from 'vitest';
import { analyticsTable } from '../../../src/checks/analytics/results/table.ts';
import { asked, stated, verdicts } from './run.ts';
import { saying } from './saying.ts';
import { Scene } from './scene.ts';

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
    expect(results.get('avg-shades')?.reasons).toContainEqual(saying('loss-located', { place: 'write' }));
    expect(results.get('sessions')?.reasons).toEqual(
      expect.arrayContaining([
        saying('sessions-differ', { kind: 'lost', count: 1 }),
        saying('loss-located', { place: 'write' }),
      ]),
    );
  });

  it('disagree about shade_count when it is read back as another', async () => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1']);
    scene.requests[0] = { ...scene.requests[0], endpoint: 'create-session', count: 12 };
    scene.pause(11_000);
    scene.read(session, (body) => ({ ...body, shade_count: 11 }));
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result?.reasons).toContainEqual(saying('sessions-differ', { kind: 'shade-count', count: 1 }));
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

import { describe, expect, it } from 'vitest';
import { asked, verdicts } from './run.ts';
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

  it.each<[string, readonly ('history' | 'analytics')[], readAll: boolean, agree: number | undefined]>([
    ['of storage, when histories lack it, too', ['history', 'analytics'], true, 4],
    ['of the query, when histories have it', ['analytics'], true, 5],
    ['of either, when not every session was read back', ['history', 'analytics'], false, 2],
    ['of nothing, when analytics have it', ['history'], true, undefined],
  ])('say of a wrong average what was read back: a loss %s', async (_, places, readAll, agree) => {
    const results = await verdicts(lossy(places, readAll));
    const said = results.get('avg-shades')?.reasons?.filter(({ code }) => code === 'fields-read-back');
    const readBack = readAll ? 5 : 2;
    expect(said).toEqual(
      agree === undefined ? [] : [saying('fields-read-back', { sessions: 5, readBack, agree })],
    );
    const isSeen = places.includes('history') && readAll;
    expect(results.get('sessions')?.verdict).toBe(isSeen ? 'fail' : 'pass');
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

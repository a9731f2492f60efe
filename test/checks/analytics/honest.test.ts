import { describe, expect, it } from 'vitest';
import {
  type AnalyticsInput,
  failing,
  honestRun,
  readLast,
  stated,
  tiesReversed,
  undecided,
  verdicts,
} from './run.ts';
import type { Manner } from './scene.ts';

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
    [
      'top_shades that go on for ties, where the profile names no length',
      {
        topLength: 100,
        spoil: (body) => ({
          ...body,
          top_shades: body.top_shades.filter(
            ({ selections }, n, all) => n < 2 || selections === all[1]?.selections,
          ),
        }),
      },
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

  it('passes when analytics become right within the freshness bound', async () => {
    const results = await verdicts(
      readLast((_, round) => (round === 0 ? { counted: (all) => all.slice(0, 6) } : {})),
    );
    expect(failing(results)).toEqual([]);
  });

  it.each([
    ['as it was asked for', '', '2000-02-29 / 1999-12-31'],
    ['in the right order', '', '1999-12-31 / 2000-02-29'],
    ['in the right order, and without times', 'T00:00:00Z', '1999-12-31 / 2000-02-29'],
    [
      'in the right order, up to the end of the day',
      'T00:00:00Z',
      '1999-12-31T00:00:00Z / 2000-02-29T23:59:59Z',
    ],
  ])('may name a period that runs backwards %s', async (_, time, period) => {
    const scene = honestRun();
    scene.ask(
      { product: 'lipstick', start: `2000-02-29${time}`, end: `1999-12-31${time}` },
      { spoil: (body) => ({ ...body, period }) },
    );
    expect(failing(await verdicts(scene))).toEqual([]);
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

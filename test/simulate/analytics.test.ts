import { describe, expect, it } from 'vitest';
import type { ShopperEvent } from '../../src/scenario/shoppers/population.ts';
import { type AnalyticsNumbers, type Conventions, SimulatedAnalytics } from '../../src/simulate/analytics.ts';
import { catalog } from '../drive/virtual.ts';

const [one, other] = catalog.products;
const [first = '', second = ''] = one?.shades.map(({ sku }) => sku) ?? [];
const [third = ''] = other?.shades.map(({ sku }) => sku) ?? [];
const select = (...skus: readonly string[]): ShopperEvent[] =>
  skus.map((sku) => ({ type: 'shade_selected', sku }));
const intend = (sku: string): ShopperEvent => ({ type: 'cart_intent', sku });

/** Four sessions: three shades in seven selections, one left at once, and three cart intents in two of them. */
function scene(conventions: Partial<Conventions> = {}): SimulatedAnalytics {
  const analytics = new SimulatedAnalytics(catalog, 2, {
    shadesPerSession: 'distinct',
    sessionsAveraged: 'all',
    topShades: 10,
    decimals: 2,
    ...conventions,
  });
  const visits: [day: number, productId: string | undefined, events: ShopperEvent[]][] = [
    [0, one?.id, [...select(first, second, first, first), intend(first), intend(second)]],
    [0, one?.id, []],
    [1, other?.id, [...select(third), intend(third)]],
    [1, one?.id, select(second, second)],
  ];
  for (const [day, productId, events] of visits) {
    const session = analytics.open(day, productId ?? '');
    for (const event of events) session.count(event);
  }
  return analytics;
}

const top = (...counts: readonly [string, number][]): AnalyticsNumbers['top_shades'] =>
  counts
    .map(([sku, selections]) => ({ sku, selections }))
    .sort((a, b) => b.selections - a.selections || (a.sku < b.sku ? -1 : 1));

describe('simulated analytics', () => {
  it.each<[sentence: string, conventions: Partial<Conventions>, average: number]>([
    ['distinct shades over all sessions: 4/4', {}, 1],
    ['selections over all sessions: 7/4', { shadesPerSession: 'selections' }, 1.75],
    ['distinct shades over sessions with any: 4/3', { sessionsAveraged: 'with-shades' }, 1.33],
    [
      'selections over sessions with any, to four decimals: 7/3',
      { shadesPerSession: 'selections', sessionsAveraged: 'with-shades', decimals: 4 },
      2.3333,
    ],
  ])('average %s', (_sentence, conventions, average) => {
    expect(scene(conventions).ofAll()).toEqual({
      total_sessions: 4,
      avg_shades_per_session: average,
      cart_intent_rate: 0.5,
      top_shades: top([first, 3], [second, 3], [third, 1]),
    });
  });

  it('can be asked for a day', () => {
    expect(scene().ofDay(0)).toEqual({
      total_sessions: 2,
      avg_shades_per_session: 1,
      cart_intent_rate: 0.5,
      top_shades: top([first, 3], [second, 1]),
    });
  });

  it('can be asked for a product', () => {
    expect(scene().ofProduct(other?.id ?? '')).toEqual({
      total_sessions: 1,
      avg_shades_per_session: 1,
      cart_intent_rate: 1,
      top_shades: top([third, 1]),
    });
  });

  it('are zeros and an empty list without shoppers', () => {
    const nobody = { total_sessions: 0, avg_shades_per_session: 0, cart_intent_rate: 0, top_shades: [] };
    expect(scene().ofDay(5)).toEqual(nobody);
    expect(scene().ofProduct('unheard-of')).toEqual(nobody);
  });

  it('list no more shades than asked for, those selected equally often by SKU', () => {
    expect(scene({ topShades: 1 }).ofAll().top_shades).toEqual([
      { sku: first < second ? first : second, selections: 3 },
    ]);
  });

  it('know no shade that is not of the product', () => {
    const session = scene().open(0, one?.id ?? '');
    expect(() => session.count({ type: 'shade_selected', sku: third })).toThrow(third);
  });
});

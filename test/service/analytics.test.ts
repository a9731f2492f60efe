import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnalyticsConventions } from '../../src/service/options.ts';
import type { SessionAnalytics } from '../../src/wire.ts';
import { selected, shade } from './service-under-test.ts';
import { day, report, serviceAfter, skus, type Visit } from './visited-service.ts';

describe('the record', () => {
  test('has the fields of the interface', async () => {
    const service = await serviceAfter([
      { createdAt: '2026-03-10T08:00:00Z', selects: ['A', 'B', 'A'], cartIntents: 2 },
      { createdAt: '2026-03-10T09:00:00Z', selects: ['B'] },
      { createdAt: '2026-03-10T10:00:00Z' },
    ]);
    expect(await report(service, day)).toEqual({
      period: '2026-03-10 / 2026-03-10',
      total_sessions: 3,
      avg_shades_per_session: 1,
      cart_intent_rate: 0.3333,
      top_shades: [
        { sku: 'A', selections: 2 },
        { sku: 'B', selections: 2 },
      ],
    });
  });

  test('of a period without sessions is zeros and an empty list', async () => {
    const service = await serviceAfter([{ createdAt: '2026-03-11T00:00:00Z', selects: ['A'] }]);
    expect(await report(service, day)).toEqual({
      period: '2026-03-10 / 2026-03-10',
      total_sessions: 0,
      avg_shades_per_session: 0,
      cart_intent_rate: 0,
      top_shades: [],
    });
  });

  test('counts a session that has expired, and one in which nothing was done', async () => {
    const service = await serviceAfter([{ createdAt: '2026-03-10T00:00:00Z' }]);
    service.clock.setWall('2026-09-01T00:00:00Z');
    expect((await report(service, day)).total_sessions).toBe(1);
  });

  test('puts an interaction on the day its session was created, whenever it came and whatever it says', async () => {
    const service = await serviceAfter([]);
    service.clock.setWall('2026-03-10T23:59:00Z');
    const session = await service.openSession();
    service.clock.setWall('2026-03-11T00:10:00Z');
    await service.interact(session, [selected('A')]);
    expect((await report(service, day)).top_shades).toHaveLength(1);
    const next = await report(service, 'start_date=2026-03-11&end_date=2026-03-11');
    expect(next.top_shades).toHaveLength(0);
  });

  test('merges a SKU that two catalogs have', async () => {
    const service = await serviceAfter([{ createdAt: '2026-03-10T08:00:00Z', selects: ['A'] }]);
    await service.importShades('autumn', [shade('A')]);
    await service.interact(await service.openSession({ catalog_id: 'autumn' }), [selected('A')]);
    expect((await report(service, day)).top_shades).toEqual([{ sku: 'A', selections: 2 }]);
  });
});

describe('each convention is a setting', () => {
  const visits: Visit[] = [
    { createdAt: '2026-03-09T23:59:59.999Z', selects: ['C'] },
    { createdAt: '2026-03-10T00:00:00.000Z', selects: ['A', 'A', 'B'], cartIntents: 1 },
    { createdAt: '2026-03-10T23:59:59.999Z' },
    { createdAt: '2026-03-11T00:00:00.000Z', selects: ['\u{1F484}', '\uFF5E', 'a'], cartIntents: 1 },
    { createdAt: '2026-03-12T00:00:00.000Z', selects: ['B'] },
  ];
  const twoDays = 'start_date=2026-03-10&end_date=2026-03-11';
  const cases: [string, Partial<AnalyticsConventions>, string, Partial<SessionAnalytics>][] = [
    ['both ends belong to the period', {}, twoDays, { total_sessions: 3 }],
    ['the last day does not', { endDate: 'exclusive' }, twoDays, { total_sessions: 2 }],
    ['a day alone is nothing then', { endDate: 'exclusive' }, day, { total_sessions: 0 }],
    ['days begin an hour before those of UTC', { dayOffsetMinutes: 60 }, day, { total_sessions: 2 }],
    [
      'days begin an hour after those of UTC',
      { dayOffsetMinutes: -60 },
      day,
      { total_sessions: 2, avg_shades_per_session: 1.5 },
    ],
    ['distinct shades are averaged', {}, twoDays, { avg_shades_per_session: 1.6667 }],
    ['selections are averaged', { shadesPerSession: 'selections' }, twoDays, { avg_shades_per_session: 2 }],
    [
      'sessions without shades are left out of the average, not of the rate',
      { sessionsAveraged: 'with-shades' },
      twoDays,
      { avg_shades_per_session: 2.5, cart_intent_rate: 0.6667 },
    ],
    ['two decimals', { decimals: 2 }, twoDays, { avg_shades_per_session: 1.67, cart_intent_rate: 0.67 }],
    [
      'three shades, equals by code unit',
      { topShades: 3 },
      twoDays,
      {
        top_shades: [
          { sku: 'A', selections: 2 },
          { sku: 'B', selections: 1 },
          { sku: 'a', selections: 1 },
        ],
      },
    ],
    [
      'equals the other way round',
      { ties: 'sku-descending' },
      twoDays,
      {
        top_shades: [
          { sku: 'A', selections: 2 },
          { sku: '\uFF5E', selections: 1 },
          { sku: '\u{1F484}', selections: 1 },
          { sku: 'a', selections: 1 },
          { sku: 'B', selections: 1 },
        ],
      },
    ],
    [
      'instants for dates, the last second being part of the period',
      { dateFormat: 'date-time' },
      'start_date=2026-03-10T00:00:00Z&end_date=2026-03-10T23:59:59Z',
      { total_sessions: 2, period: '2026-03-10T00:00:00Z / 2026-03-10T23:59:59Z' },
    ],
  ];
  test.each(cases)('%s', async (_, conventions, query, expected) => {
    expect(await report(await serviceAfter(visits, conventions), query)).toMatchObject(expected);
  });
});

test('any visits give what counting them by hand gives', async () => {
  const visit = fc.record({
    createdAt: fc
      .integer({ min: 8, max: 12 })
      .map((date) => `2026-03-${String(date).padStart(2, '0')}T10:00:00Z`),
    product: fc.constantFrom('x', 'y'),
    selects: fc.array(fc.constantFrom(...skus), { maxLength: 6 }),
    cartIntents: fc.integer({ min: 0, max: 2 }),
  });
  const mean = (values: readonly number[]): number =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  await fc.assert(
    fc.asyncProperty(
      fc.array(visit, { maxLength: 12 }),
      fc.constantFrom('x', 'y', undefined),
      async (visits, product) => {
        const service = await serviceAfter(visits);
        const query = `start_date=2026-03-09&end_date=2026-03-11${product === undefined ? '' : `&product_id=${product}`}`;
        const record = await report(service, query);

        const chosen = visits.filter(
          ({ createdAt, product: of }) =>
            createdAt >= '2026-03-09' &&
            createdAt < '2026-03-12' &&
            (product === undefined || of === product),
        );
        const counts = new Map<string, number>();
        for (const sku of chosen.flatMap(({ selects }) => selects))
          counts.set(sku, (counts.get(sku) ?? 0) + 1);
        expect(record.total_sessions).toBe(chosen.length);
        expect(record.avg_shades_per_session).toBeCloseTo(
          mean(chosen.map(({ selects }) => new Set(selects).size)),
          3,
        );
        expect(record.cart_intent_rate).toBeCloseTo(
          mean(chosen.map(({ cartIntents }) => (cartIntents > 0 ? 1 : 0))),
          3,
        );
        // JavaScript's own comparison of strings is by code units.
        const ranked = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
        expect(record.top_shades).toEqual(ranked.map(([sku, selections]) => ({ sku, selections })));
      },
    ),
    { numRuns: 60 },
  );
});

import { describe, expect, test } from 'vitest';
import type { SessionAnalytics } from '../../../src/wire.ts';
import {
  manualClock,
  type ServiceUnderTest,
  selected,
  serviceUnderTest,
  shade,
} from '../service-under-test.ts';
import { day, report, serviceAfter, type Visit } from '../visited-service.ts';
import { inGroup, type Looks, planted, testLooks } from './looks.ts';

const visits: readonly Visit[] = [
  { createdAt: '2026-03-10T08:00:00Z', selects: ['A', 'B', 'A'], cartIntents: 1 },
  { createdAt: '2026-03-10T09:00:00Z', selects: ['B'], product: 'gloss' },
  { createdAt: '2026-03-10T23:00:00Z' },
  { createdAt: '2026-03-11T01:00:00Z', selects: ['A', 'C'], cartIntents: 1 },
];
const bothDays = 'start_date=2026-03-10&end_date=2026-03-11';
const glossOnly = `${day}&product_id=gloss`;

/** The figures of a report, with `top_shades` as `2 A, 1 B`. */
function figuresOf({ period, top_shades, ...numbers }: SessionAnalytics) {
  return { ...numbers, period, top: top_shades.map((each) => `${each.selections} ${each.sku}`).join(', ') };
}

/** These figures of a report, in so many reads in a row. */
const seen =
  (query: string, fields: readonly (keyof ReturnType<typeof figuresOf>)[], reads = 1) =>
  async (service: ServiceUnderTest): Promise<unknown[]> => {
    const values: unknown[] = [];
    for (let n = 0; n < reads; n++) {
      const figures = figuresOf(await report(service, query));
      values.push(...fields.map((field) => figures[field]));
    }
    return values;
  };

const looks = {
  'the sessions of two days': [seen(bothDays, ['total_sessions']), [4]],
  'the sessions of a day, one of them at 23:00 UTC, asked of a service started at noon': [
    seen(day, ['total_sessions']),
    [3],
  ],
  'one product': [seen(glossOnly, ['total_sessions', 'cart_intent_rate', 'top']), [1, 0, '1 B']],
  'three reads of the average': [seen(day, ['avg_shades_per_session'], 3), [1, 1, 1]],
  'reads of two questions': [
    async (service) => [
      ...(await seen(bothDays, ['avg_shades_per_session'])(service)),
      ...(await seen(day, ['avg_shades_per_session'])(service)),
    ],
    [1.25, 1],
  ],
  'the rate of a third': [seen(day, ['cart_intent_rate']), [0.3333]],
  'an average of 1.25': [seen(bothDays, ['avg_shades_per_session']), [1.25]],
  'three reads of two shades selected equally often': [
    seen(day, ['top'], 3),
    ['2 A, 2 B', '2 A, 2 B', '2 A, 2 B'],
  ],
  'a period at once, and 15 minutes later': [
    async (service) => {
      const before = await seen(bothDays, ['total_sessions'])(service);
      service.clock.pass(15 * 60_000 + 1);
      return [...before, ...(await seen(bothDays, ['total_sessions'])(service))];
    },
    [4, 4],
  ],
  '50 sessions, and 51': [
    async (service) => {
      const totals: unknown[] = [];
      for (const more of [50, 1]) {
        for (let n = 0; n < more; n++) await service.openSession({ product_id: 'many' });
        totals.push(...(await seen(`${bothDays}&product_id=many`, ['total_sessions'])(service)));
      }
      return totals;
    },
    [50, 51],
  ],
  'the period': [seen(day, ['period']), ['2026-03-10 / 2026-03-10']],
  'two events, each sent twice: what is accepted, the length of the history, and top_shades': [
    async (service) => {
      const session = await service.openSession({ product_id: 'balm' });
      const [act, other] = [selected('A'), selected('B')];
      const accepted: unknown[] = [];
      for (const batch of [[act], [act, other, other]])
        accepted.push((await service.interact(session, batch)).json<{ accepted: number }>().accepted);
      const history = await service.call('GET', `/sessions/${session.session_id}`);
      const { length } = history.json<{ interactions: unknown[] }>().interactions;
      return [...accepted, length, ...(await seen(`${bothDays}&product_id=balm`, ['top'])(service))];
    },
    [1, 1, 2, '1 A, 1 B'],
  ],
  'a day of three sessions, in one of which nothing was done': [
    seen(day, ['total_sessions', 'avg_shades_per_session', 'cart_intent_rate']),
    [3, 1, 0.3333],
  ],
} satisfies Looks<string>;

describe('the analytics of a service', () => {
  testLooks(
    inGroup('analytics'),
    looks,
    {
      Y1: { 'the sessions of two days': [3] },
      Y2: { 'the sessions of a day, one of them at 23:00 UTC, asked of a service started at noon': [2] },
      Y4: { 'one product': [3, 0.3333, '2 A, 2 B'] },
      Y6: { 'one product': [1, 0, '2 A, 2 B'] },
      Y7: { 'three reads of the average': [1, 1.3333, 1], 'reads of two questions': [1.25, 1.3333] },
      Y9: { 'the rate of a third': [33.33] },
      Y10: { 'an average of 1.25': [1] },
      'Y10-early': { 'an average of 1.25': [1.3], 'the rate of a third': [0.3] },
      Y12: {
        'three reads of two shades selected equally often': ['2 A, 2 B', '2 B, 2 A', '2 A, 2 B'],
      },
      Y14: { 'a period at once, and 15 minutes later': [3, 4] },
      Y16: { '50 sessions, and 51': [49, 52] },
      Y17: { 'the period': ['2026-03-10/2026-03-10'] },
      Y18: {
        'two events, each sent twice: what is accepted, the length of the history, and top_shades': [
          1,
          1,
          2,
          '2 A, 2 B',
        ],
      },
      Y19: { 'a day of three sessions, in one of which nothing was done': [3, 1.5, 0.5] },
    },
    { start: (altered) => serviceAfter(visits, {}, altered) },
  );
});

test.each(Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0')))(
  'Y2: days of a local zone show when the service is started at %s:30 UTC',
  async (hour) => {
    const clock = manualClock(`2026-03-10T${hour}:30:00Z`);
    const service = serviceUnderTest({ clock }, planted('Y2').alterations);
    await service.importShades('spring', [shade('A')]);
    await service.openSession();
    expect(await report(service, day)).toMatchObject({ total_sessions: 0 });
    const around = await report(service, 'start_date=2026-03-09&end_date=2026-03-11');
    expect(around.total_sessions).toBe(1);
  },
);

test('where the end date is not part of the period, Y1 makes it one', async () => {
  const service = await serviceAfter(visits, { endDate: 'exclusive' }, planted('Y1').alterations);
  expect((await report(service, day)).total_sessions).toBe(3);
});

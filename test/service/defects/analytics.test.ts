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
import { inGroup, type Property, planted, testProperties } from './property.ts';

const visits: readonly Visit[] = [
  { createdAt: '2026-03-10T08:00:00Z', selects: ['A', 'B', 'A'], cartIntents: 1 },
  { createdAt: '2026-03-10T09:00:00Z', selects: ['B'], product: 'gloss' },
  { createdAt: '2026-03-10T23:00:00Z' },
  { createdAt: '2026-03-11T01:00:00Z', selects: ['A', 'C'], cartIntents: 1 },
];
const bothDays = 'start_date=2026-03-10&end_date=2026-03-11';
const glossOnly = `${day}&product_id=gloss`;

const seen =
  (query: string, ...fields: (keyof SessionAnalytics)[]) =>
  async (service: ServiceUnderTest): Promise<unknown[]> => {
    const record = await report(service, query);
    return fields.map((field) => record[field]);
  };

/** What one field says in three reads in a row. */
const seenThrice =
  (query: string, field: keyof SessionAnalytics) =>
  async (service: ServiceUnderTest): Promise<unknown[]> => {
    const values: unknown[] = [];
    for (let i = 0; i < 3; i++) values.push((await report(service, query))[field]);
    return values;
  };

const a2 = { sku: 'A', selections: 2 };
const b2 = { sku: 'B', selections: 2 };

const properties: readonly Property[] = [
  {
    defect: planted('Y1'),
    of: 'the sessions of two days',
    look: seen(bothDays, 'total_sessions'),
    kept: [4],
    broken: [3],
  },
  {
    defect: planted('Y2'),
    of: 'the sessions of a day, one of them at 23:00 UTC, asked of a service started at noon',
    look: seen(day, 'total_sessions'),
    kept: [3],
    broken: [2],
  },
  {
    defect: planted('Y4'),
    of: 'one product',
    look: seen(glossOnly, 'total_sessions', 'cart_intent_rate'),
    kept: [1, 0],
    broken: [3, 0.3333],
  },
  {
    defect: planted('Y6'),
    of: 'one product',
    look: seen(glossOnly, 'total_sessions', 'top_shades'),
    kept: [1, [{ sku: 'B', selections: 1 }]],
    broken: [1, [a2, b2]],
  },
  {
    defect: planted('Y7'),
    of: 'three reads of the average',
    look: seenThrice(day, 'avg_shades_per_session'),
    kept: [1, 1, 1],
    broken: [1, 1.3333, 1],
  },
  {
    defect: planted('Y9'),
    of: 'the rate of a third',
    look: seen(day, 'cart_intent_rate'),
    kept: [0.3333],
    broken: [33.33],
  },
  {
    defect: planted('Y10'),
    of: 'an average of 1.25',
    look: seen(bothDays, 'avg_shades_per_session'),
    kept: [1.25],
    broken: [1],
  },
  {
    defect: planted('Y10-early'),
    of: 'an average of 1.25, and the rate of a third',
    async look(service) {
      const [average] = await seen(bothDays, 'avg_shades_per_session')(service);
      const [rate] = await seen(day, 'cart_intent_rate')(service);
      return { average, rate };
    },
    kept: { average: 1.25, rate: 0.3333 },
    broken: { average: 1.3, rate: 0.3 },
  },
  {
    defect: planted('Y12'),
    of: 'three reads of two shades selected equally often',
    look: seenThrice(day, 'top_shades'),
    kept: [
      [a2, b2],
      [a2, b2],
      [a2, b2],
    ],
    broken: [
      [a2, b2],
      [b2, a2],
      [a2, b2],
    ],
  },
  {
    defect: planted('Y14'),
    of: 'a period at once, and 15 minutes later',
    async look(service) {
      const before = await report(service, bothDays);
      service.clock.pass(15 * 60_000 + 1);
      const after = await report(service, bothDays);
      return [before.total_sessions, after.total_sessions];
    },
    kept: [4, 4],
    broken: [3, 4],
  },
  {
    defect: planted('Y16'),
    of: '50 sessions, and 51',
    async look(service) {
      for (let i = 0; i < 50; i++) await service.openSession({ product_id: 'many' });
      const fifty = await report(service, `${bothDays}&product_id=many`);
      await service.openSession({ product_id: 'many' });
      const fiftyOne = await report(service, `${bothDays}&product_id=many`);
      return [fifty.total_sessions, fiftyOne.total_sessions];
    },
    kept: [50, 51],
    broken: [49, 52],
  },
  {
    defect: planted('Y17'),
    of: 'the period',
    look: seen(day, 'period'),
    kept: ['2026-03-10 / 2026-03-10'],
    broken: ['2026-03-10/2026-03-10'],
  },
  {
    defect: planted('Y18'),
    of: 'two interactions, each sent twice: what is accepted, the history, and top_shades',
    async look(service) {
      const session = await service.openSession({ product_id: 'balm' });
      const [act, other] = [selected('A'), selected('B')];
      const accepted = [];
      for (const batch of [[act], [act, other, other]]) {
        accepted.push((await service.interact(session, batch)).json());
      }
      const { top_shades } = await report(service, `${bothDays}&product_id=balm`);
      const history = await service.call('GET', `/sessions/${session.session_id}`);
      return [accepted, history.json<{ interactions: unknown[] }>().interactions.length, top_shades];
    },
    kept: [
      [{ accepted: 1 }, { accepted: 1 }],
      2,
      [
        { sku: 'A', selections: 1 },
        { sku: 'B', selections: 1 },
      ],
    ],
    broken: [[{ accepted: 1 }, { accepted: 1 }], 2, [a2, b2]],
  },
  {
    defect: planted('Y19'),
    of: 'a day of three sessions, in one of which nothing was done',
    look: seen(day, 'total_sessions', 'avg_shades_per_session', 'cart_intent_rate'),
    kept: [3, 1, 0.3333],
    broken: [3, 1.5, 0.5],
  },
];

testProperties(properties, (_options, alterations) => serviceAfter(visits, {}, alterations));

describe('days of a local zone show', () => {
  test.each(Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0')))(
    'when the service is started at %s:30 UTC',
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
});

test('where the end date is not part of the period, Y1 makes it one', async () => {
  const service = await serviceAfter(visits, { endDate: 'exclusive' }, planted('Y1').alterations);
  expect((await report(service, day)).total_sessions).toBe(3);
});

test('with Y7, reads of different questions differ as well, though each is asked once', async () => {
  const service = await serviceAfter(visits, {}, planted('Y7').alterations);
  expect((await report(service, bothDays)).avg_shades_per_session).toBe(1.25);
  expect((await report(service, day)).avg_shades_per_session).toBe(1.3333);
});

test('no defect of the list goes untested', () => {
  const shown = new Set(properties.map(({ defect }) => defect));
  expect(inGroup('analytics').filter((defect) => !shown.has(defect))).toEqual([]);
});

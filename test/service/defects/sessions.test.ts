import { describe, expect, test } from 'vitest';
import { startService } from '../../../src/service/server.ts';
import type { Interaction, SessionAnalytics, SessionGrant } from '../../../src/wire.ts';
import {
  cartIntent,
  type ServiceUnderTest,
  selected,
  serviceUnderTest,
  shade,
} from '../service-under-test.ts';
import { planted, testProperties } from './property.ts';

interface History {
  readonly expires_at: string;
  readonly shade_count: number;
  readonly created_at: string;
  readonly interactions: readonly Interaction[];
}

async function spring(service: ServiceUnderTest): Promise<SessionGrant> {
  await service.importShades('spring', [shade('A'), shade('B')]);
  return service.openSession();
}

async function read(service: ServiceUnderTest, { session_id }: SessionGrant): Promise<History> {
  return (await service.call('GET', `/sessions/${session_id}`)).json<History>();
}

/** `shade_selected A`, …: the history of a session, told shortly. */
async function told(service: ServiceUnderTest, session: SessionGrant): Promise<string[]> {
  const { interactions } = await read(service, session);
  return interactions.map(({ type, sku }) => `${type} ${sku ?? '-'}`);
}

async function topShades(service: ServiceUnderTest): Promise<SessionAnalytics['top_shades']> {
  const path = '/analytics/sessions?start_date=2026-03-10&end_date=2026-03-10';
  return (await service.call('GET', path)).json<SessionAnalytics>().top_shades;
}

/** Sends batches one after the other; answers with what each got, and what there is then. */
async function acted(service: ServiceUnderTest, ...batches: readonly (readonly Interaction[])[]) {
  const session = await spring(service);
  const answers: unknown[] = [];
  for (const batch of batches) {
    const { status, json } = await service.interact(session, batch);
    answers.push([status, json<{ accepted?: number }>().accepted]);
  }
  return { answers, history: await told(service, session), top: await topShades(service) };
}

const once = selected('A');

testProperties([
  {
    defect: planted('N1'),
    of: 'reading a session that does not exist',
    look: async (service) => (await service.call('GET', '/sessions/ts_none')).status,
    kept: 404,
    broken: 200,
  },
  {
    defect: planted('N2'),
    of: 'selecting shades that the catalog has and has not',
    look: (service) => acted(service, [selected('A'), selected('X'), cartIntent('Y'), selected('X')]),
    kept: { answers: [[422, undefined]], history: [], top: [] },
    broken: {
      answers: [[202, 4]],
      history: ['shade_selected A', 'shade_selected X', 'cart_intent Y', 'shade_selected X'],
      top: [
        { sku: 'X', selections: 2 },
        { sku: 'A', selections: 1 },
      ],
    },
  },
  {
    defect: planted('N3'),
    of: 'the history of A, B, A',
    async look(service) {
      const session = await spring(service);
      for (const sku of ['A', 'B', 'A']) await service.interact(session, [selected(sku)]);
      return told(service, session);
    },
    kept: ['shade_selected A', 'shade_selected B', 'shade_selected A'],
    broken: ['shade_selected A', 'shade_selected A', 'shade_selected B'],
  },
  {
    defect: planted('N5'),
    of: 'selecting A, B and A at once, then B',
    look: (service) => acted(service, [selected('A'), selected('B'), selected('A')], [selected('B')]),
    kept: {
      answers: [
        [202, 3],
        [202, 1],
      ],
      history: ['shade_selected A', 'shade_selected B', 'shade_selected A', 'shade_selected B'],
      top: [
        { sku: 'A', selections: 2 },
        { sku: 'B', selections: 2 },
      ],
    },
    broken: {
      answers: [
        [202, 3],
        [202, 1],
      ],
      history: ['shade_selected A', 'shade_selected B'],
      top: [
        { sku: 'A', selections: 1 },
        { sku: 'B', selections: 1 },
      ],
    },
  },
  {
    defect: planted('N6'),
    of: 'sending an interaction a second time',
    look: (service) => acted(service, [once], [once]),
    kept: {
      answers: [
        [202, 1],
        [202, 0],
      ],
      history: ['shade_selected A'],
      top: [{ sku: 'A', selections: 1 }],
    },
    broken: {
      answers: [
        [202, 1],
        [202, 1],
      ],
      history: ['shade_selected A', 'shade_selected A'],
      top: [{ sku: 'A', selections: 2 }],
    },
  },
  {
    defect: planted('N6'),
    of: 'the ids in a history',
    async look(service) {
      const session = await spring(service);
      await service.interact(session, [once]);
      await service.interact(session, [once]);
      return new Set((await read(service, session)).interactions.map(({ id }) => id));
    },
    kept: new Set([once.id]),
    broken: new Set([once.id]),
  },
  {
    defect: planted('N9'),
    of: 'reading a session four times',
    async look(service) {
      const { session_id } = await spring(service);
      const statuses: number[] = [];
      for (let n = 0; n < 4; n++)
        statuses.push((await service.call('GET', `/sessions/${session_id}`)).status);
      return statuses;
    },
    kept: [200, 200, 200, 200],
    broken: [200, 404, 200, 404],
  },
  {
    defect: planted('N11'),
    of: 'the instants of a session',
    async look(service) {
      const session = await spring(service);
      const { created_at, expires_at } = await read(service, session);
      return [session.expires_at, created_at, expires_at];
    },
    kept: ['2026-03-10T12:30:00.000Z', '2026-03-10T12:00:00.000Z', '2026-03-10T12:30:00.000Z'],
    broken: [
      '2026-03-10T14:30:00.000+02:00',
      '2026-03-10T14:00:00.000+02:00',
      '2026-03-10T14:30:00.000+02:00',
    ],
  },
  {
    defect: planted('N12'),
    of: 'shade_count of a catalog of two',
    async look(service) {
      const session = await spring(service);
      return [session.shade_count, (await read(service, session)).shade_count];
    },
    kept: [2, 2],
    broken: [1, 1],
  },
  {
    defect: planted('N13'),
    of: 'expires_at of a session opened at twelve',
    async look(service) {
      const session = await spring(service);
      return [session.expires_at, (await read(service, session)).expires_at];
    },
    kept: ['2026-03-10T12:30:00.000Z', '2026-03-10T12:30:00.000Z'],
    broken: ['2026-03-10T11:30:00.000Z', '2026-03-10T11:30:00.000Z'],
  },
  {
    defect: planted('N14'),
    of: 'expires_at of a session opened a minute later than another',
    async look(service) {
      const first = await spring(service);
      service.clock.pass(60_000);
      const second = await service.openSession();
      return [first.expires_at, second.expires_at];
    },
    kept: ['2026-03-10T12:30:00.000Z', '2026-03-10T12:31:00.000Z'],
    broken: ['2026-03-10T12:30:00.000Z', '2026-03-10T12:30:00.000Z'],
  },
]);

describe(`N15, ${planted('N15').title}`, () => {
  test.each([
    ['without it a connection shows what arrived after the first reading', {}, 1],
    ['with it a connection shows what it showed at first', planted('N15').alterations, 0],
  ])('%s', async (_, alterations, shown) => {
    const service = serviceUnderTest({}, alterations);
    const session = await spring(service);
    const { baseUrl } = await startService(service.app, { host: '127.0.0.1', port: 0 });
    // Requests that are injected have each a connection of their own; these keep one.
    const headers = { authorization: 'Bearer key-alice' };
    const readOver = async (): Promise<number> => {
      const answer = await fetch(`${baseUrl}/sessions/${session.session_id}`, { headers });
      return ((await answer.json()) as History).interactions.length;
    };
    expect(await readOver()).toBe(0);
    await service.interact(session, [selected('A')]);
    expect(await readOver()).toBe(shown);
  });
});

describe(`N17, ${planted('N17').title}`, () => {
  test.each([
    ['without it the error is JSON', {}, /^application\/json/],
    ['with it the error is a page', planted('N17').alterations, /^text\/html/],
  ])('%s', async (_, alterations, type) => {
    const service = serviceUnderTest({}, alterations);
    const answer = await service.call('GET', '/sessions/nobody');
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toMatch(type);
  });
});

describe(`N16, ${planted('N16').title}`, () => {
  // Requests that are injected have each a connection of their own.
  test.each([
    ['without it every connection knows a session', {}, [200, 200, 200]],
    ['with it every second connection does', planted('N16').alterations, [404, 200, 404]],
  ])('%s', async (_, alterations, expected) => {
    const service = serviceUnderTest({}, alterations);
    const { session_id } = await spring(service);
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await service.call('GET', `/sessions/${session_id}`)).status);
    expect(statuses).toEqual(expected);
  });
});

describe(`N10, ${planted('N10').title}`, () => {
  /** A pause that ends for all when this many are in it. */
  function meetingOf(count: number): () => Promise<void> {
    const met = Promise.withResolvers<void>();
    let here = 0;
    return () => {
      if (++here === count) met.resolve();
      return met.promise;
    };
  }

  function losingService(meetingOfBatches: number): ServiceUnderTest {
    const service = serviceUnderTest({}, planted('N10').alterations);
    service.clock.pause = meetingOf(meetingOfBatches);
    return service;
  }

  async function twoBatchesAtOnce(
    service: ServiceUnderTest,
    sessions: readonly [SessionGrant, SessionGrant],
  ) {
    const [one, other] = sessions;
    const answers = await Promise.all([
      service.interact(one, [selected('A')]),
      service.interact(other, [selected('B')]),
    ]);
    return answers.map(({ status }) => status);
  }

  test('without it, both of two batches at once are kept', async () => {
    const service = serviceUnderTest();
    const session = await spring(service);
    expect(await twoBatchesAtOnce(service, [session, session])).toEqual([202, 202]);
    expect(await told(service, session)).toHaveLength(2);
  });

  test('with it, both are acknowledged and one is kept', async () => {
    const service = losingService(2);
    const session = await spring(service);
    expect(await twoBatchesAtOnce(service, [session, session])).toEqual([202, 202]);
    expect(await told(service, session)).toHaveLength(1);
  });

  test('with it, two sessions do not get into the way of each other', async () => {
    const service = losingService(2);
    const sessions = [await spring(service), await service.openSession()] as const;
    await twoBatchesAtOnce(service, sessions);
    expect(await told(service, sessions[0])).toHaveLength(1);
    expect(await told(service, sessions[1])).toHaveLength(1);
  });

  test('with it, two batches one after the other are kept', async () => {
    const service = losingService(1);
    const session = await spring(service);
    await service.interact(session, [selected('A')]);
    await service.interact(session, [selected('B')]);
    expect(await told(service, session)).toEqual(['shade_selected A', 'shade_selected B']);
  });
});

describe('what these defects leave alone', () => {
  test('N1, N9: a session that exists, at the first reading', async () => {
    for (const { alterations } of [planted('N1'), planted('N9')]) {
      const service = serviceUnderTest({}, alterations);
      expect(await read(service, await spring(service))).toMatchObject({ product_id: 'lipstick' });
    }
  });

  test('N5: cart intents, and selections in another session', async () => {
    const service = serviceUnderTest({}, planted('N5').alterations);
    const session = await spring(service);
    await service.interact(session, [selected('A'), cartIntent('A'), cartIntent('A')]);
    const another = await service.openSession();
    await service.interact(another, [selected('A')]);
    expect(await told(service, session)).toEqual(['shade_selected A', 'cart_intent A', 'cart_intent A']);
    expect(await told(service, another)).toEqual(['shade_selected A']);
  });

  test('N13: the token still opens the channel', async () => {
    const service = serviceUnderTest({}, planted('N13').alterations);
    expect((await service.interact(await spring(service), [selected('A')])).status).toBe(202);
  });

  test('N2: a selection of an unknown shade that is sent again is counted once', async () => {
    const again = selected('X');
    const service = serviceUnderTest({}, planted('N2').alterations);
    expect(await acted(service, [again], [again])).toMatchObject({
      answers: [
        [202, 1],
        [202, 0],
      ],
      history: ['shade_selected X'],
    });
  });
});

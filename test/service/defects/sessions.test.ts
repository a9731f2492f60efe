import { describe } from 'vitest';
import { startService } from '../../../src/service/server.ts';
import type { Interaction, SessionAnalytics, SessionGrant } from '../../../src/wire.ts';
import { cartIntent, type ServiceUnderTest, selected, shade } from '../service-under-test.ts';
import { inGroup, type Looks, same, testLooks } from './looks.ts';

interface History {
  readonly product_id: string;
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

/** The history of a session in short: `s A` for a selection, `c -` for a cart intent without a shade. */
async function historyOf(service: ServiceUnderTest, session: SessionGrant): Promise<string> {
  const { interactions } = await read(service, session);
  return interactions.map(({ type, sku }) => `${type[0]} ${sku ?? '-'}`).join(', ');
}

/** Sends batches one after the other: what each got, the history, and `top_shades` then. */
const acted =
  (batches: () => readonly (readonly Interaction[])[]) =>
  async (service: ServiceUnderTest): Promise<unknown> => {
    const session = await spring(service);
    const answers: string[] = [];
    for (const batch of batches()) {
      const { status, json } = await service.interact(session, batch);
      answers.push(`${status} ${json<{ accepted?: number }>().accepted ?? '-'}`);
    }
    const path = '/analytics/sessions?start_date=2026-03-10&end_date=2026-03-10';
    const { top_shades } = (await service.call('GET', path)).json<SessionAnalytics>();
    const top = top_shades.map(({ selections, sku }) => `${selections} ${sku}`).join(', ');
    return [answers.join(', '), await historyOf(service, session), top];
  };

/** The same events twice. */
const twice = (event: Interaction): Interaction[][] => [[event], [event]];

/** Two batches at once, for these of two sessions: their statuses, and how many events each session has then. */
const atOnce =
  (first: 0 | 1, second: 0 | 1) =>
  async (service: ServiceUnderTest): Promise<unknown> => {
    const met = Promise.withResolvers<void>();
    let here = 0;
    // A pause ends for all when two are in it.
    service.clock.pause = () => {
      if (++here === 2) met.resolve();
      return met.promise;
    };
    const sessions = [await spring(service), await service.openSession()] as const;
    const answers = await Promise.all([
      service.interact(sessions[first], [selected('A')]),
      service.interact(sessions[second], [selected('B')]),
    ]);
    const counts = [];
    for (const each of sessions) counts.push((await read(service, each)).interactions.length);
    return [answers.map(({ status }) => status), counts];
  };

const looks = {
  'a session that does not exist': [
    async (service) => (await service.call('GET', '/sessions/ts_none')).status,
    404,
  ],
  'the form of that error': [
    async (service) => (await service.call('GET', '/sessions/ts_none')).headers['content-type'],
    'application/json; charset=utf-8',
  ],
  'a first read of a session': [
    async (service) => (await read(service, await spring(service))).product_id,
    'lipstick',
  ],
  // Requests that are injected have each a connection of their own.
  'four reads of a session': [
    async (service) => {
      const { session_id } = await spring(service);
      const statuses: number[] = [];
      for (let n = 0; n < 4; n++)
        statuses.push((await service.call('GET', `/sessions/${session_id}`)).status);
      return statuses;
    },
    [200, 200, 200, 200],
  ],
  'a read over a connection that has read before, of an event in between': [
    async (service) => {
      const session = await spring(service);
      const { baseUrl } = await startService(service.app, { host: '127.0.0.1', port: 0 });
      const headers = { authorization: 'Bearer key-alice' };
      const counts: number[] = [];
      for (let n = 0; n < 2; n++) {
        const answer = await fetch(`${baseUrl}/sessions/${session.session_id}`, { headers });
        counts.push(((await answer.json()) as History).interactions.length);
        await service.interact(session, [selected('A')]);
      }
      return counts;
    },
    [0, 1],
  ],
  'the instants of a session, as opened and as read': [
    async (service) => {
      const session = await spring(service);
      const { created_at, expires_at } = await read(service, session);
      return [session.expires_at, created_at, expires_at];
    },
    ['2026-03-10T12:30:00.000Z', '2026-03-10T12:00:00.000Z', '2026-03-10T12:30:00.000Z'],
  ],
  'the end of a session that is opened a minute later': [
    async (service) => {
      await spring(service);
      service.clock.pass(60_000);
      return (await service.openSession()).expires_at;
    },
    '2026-03-10T12:31:00.000Z',
  ],
  'shade_count of a catalog of two, as opened and as read': [
    async (service) => {
      const session = await spring(service);
      return [session.shade_count, (await read(service, session)).shade_count];
    },
    [2, 2],
  ],
  'shades that the catalog has not': [
    acted(() => [[selected('A'), selected('X'), cartIntent('Y'), selected('X')]]),
    ['422 -', '', ''],
  ],
  'a shade that the catalog has not, twice by one id': [
    acted(() => twice(selected('X'))),
    ['422 -, 422 -', '', ''],
  ],
  'a selection twice by one id': [acted(() => twice(selected('A'))), ['202 1, 202 0', 's A', '1 A']],
  'the ids in a history after that': [
    async (service) => {
      const session = await spring(service);
      const event = selected('A');
      for (const batch of twice(event)) await service.interact(session, batch);
      return (await read(service, session)).interactions.every(({ id }) => id === event.id);
    },
    true,
  ],
  'A, B and A at once, then B': [
    acted(() => [[selected('A'), selected('B'), selected('A')], [selected('B')]]),
    ['202 3, 202 1', 's A, s B, s A, s B', '2 A, 2 B'],
  ],
  'a selection and two cart intents of a shade, and a selection in another session': [
    async (service) => {
      const session = await spring(service);
      await service.interact(session, [selected('A'), cartIntent('A'), cartIntent('A')]);
      const another = await service.openSession();
      await service.interact(another, [selected('A')]);
      return [await historyOf(service, session), await historyOf(service, another)];
    },
    ['s A, c A, c A', 's A'],
  ],
  'two batches at once in a session': [
    atOnce(0, 0),
    [
      [202, 202],
      [2, 0],
    ],
  ],
  'two batches at once in two sessions': [
    atOnce(0, 1),
    [
      [202, 202],
      [1, 1],
    ],
  ],
  'two batches one after the other': [
    acted(() => [[selected('A')], [selected('B')]]),
    ['202 1, 202 1', 's A, s B', '1 A, 1 B'],
  ],
} satisfies Looks<string>;

describe('the sessions of a service', () => {
  testLooks(inGroup('sessions'), looks, {
    N1: { 'a session that does not exist': 200, 'a first read of a session': same },
    N2: {
      'shades that the catalog has not': ['202 4', 's A, s X, c Y, s X', '2 X, 1 A'],
      'a shade that the catalog has not, twice by one id': ['202 1, 202 0', 's X', '1 X'],
    },
    N3: {
      'A, B and A at once, then B': ['202 3, 202 1', 's A, s A, s B, s B', '2 A, 2 B'],
    },
    N5: {
      'A, B and A at once, then B': ['202 3, 202 1', 's A, s B', '1 A, 1 B'],
      'a selection and two cart intents of a shade, and a selection in another session': same,
    },
    N6: {
      'a selection twice by one id': ['202 1, 202 1', 's A, s A', '2 A'],
      'the ids in a history after that': same,
    },
    N9: { 'four reads of a session': [200, 404, 200, 404], 'a first read of a session': same },
    N10: {
      'two batches at once in a session': [
        [202, 202],
        [1, 0],
      ],
      'two batches at once in two sessions': same,
      'two batches one after the other': same,
    },
    N11: {
      'the instants of a session, as opened and as read': [
        '2026-03-10T14:30:00.000+02:00',
        '2026-03-10T14:00:00.000+02:00',
        '2026-03-10T14:30:00.000+02:00',
      ],
    },
    N12: { 'shade_count of a catalog of two, as opened and as read': [1, 1] },
    N13: {
      'the instants of a session, as opened and as read': [
        '2026-03-10T11:30:00.000Z',
        '2026-03-10T12:00:00.000Z',
        '2026-03-10T11:30:00.000Z',
      ],
      // Its token still opens the channel.
      'two batches one after the other': same,
    },
    N14: { 'the end of a session that is opened a minute later': '2026-03-10T12:30:00.000Z' },
    N15: { 'a read over a connection that has read before, of an event in between': [0, 0] },
    N16: { 'four reads of a session': [404, 200, 404, 200] },
    N17: { 'a session that does not exist': same, 'the form of that error': 'text/html' },
  });
});

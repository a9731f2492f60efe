import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Alterations } from '../../src/service/alterations.ts';
import { defectGroups } from '../../src/service/defects/catalogue.ts';
import { listLagMs } from '../../src/service/defects/shades.ts';
import { startService } from '../../src/service/server.ts';
import type { Interaction, SessionGrant, Shade } from '../../src/wire.ts';
import {
  type Call,
  cartIntent,
  manualClock,
  type ServiceUnderTest,
  selected,
  serviceUnderTest,
  shade,
} from './service-under-test.ts';
import { planted, type Script, type Start, testScripts, varied } from './transcripts.ts';
import { day, report, serviceAfter, type Visit } from './visited-service.ts';

/** The defects of a group, by their ids. */
const inGroup = (group: string) =>
  (defectGroups[group] ?? []).map(({ alterations, id }) => ({ name: id, alterations }));
const underLimit =
  (requests: number, windowMs: number): Start =>
  (altered) =>
    serviceUnderTest({ rateLimit: { requests, windowMs } }, altered);

const noCatalog = '/shades?catalog_id=none';
const listOf = (catalog: string) => `/shades?catalog_id=${catalog}`;
const today = `/analytics/sessions?${day}`;
const sessionRequest = { product_id: 'lipstick', catalog_id: 'spring', locale: 'en-US' };
const shades = (count: number): Shade[] => Array.from({ length: count }, (_, n) => shade(`S${n}`));

async function times(count: number, act: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n++) await act();
}

/** How many of `count` requests are admitted, one after the other at the same instant. */
async function admitted(service: ServiceUnderTest, count: number, call: Call = {}): Promise<number> {
  const before = service.answers.length;
  await times(count, () => service.call('GET', noCatalog, call));
  return service.answers.slice(before).filter(({ status }) => status === 404).length;
}

/** A catalog of two shades, and a session. */
async function spring(service: ServiceUnderTest): Promise<SessionGrant> {
  await service.importShades('spring', [shade('A'), shade('B')]);
  return service.openSession();
}

const read = (service: ServiceUnderTest, { session_id }: SessionGrant) =>
  service.call('GET', `/sessions/${session_id}`);

/** Sends these batches one after the other; then reads the session and the analytics of its day. */
async function act(service: ServiceUnderTest, batches: readonly (readonly Interaction[])[]): Promise<void> {
  const session = await spring(service);
  for (const batch of batches) await service.interact(session, batch);
  await read(service, session);
  await service.call('GET', today);
}

/** Pauses end for all when `count` are in one. */
function meetIn(service: ServiceUnderTest, count: number): void {
  const met = Promise.withResolvers<void>();
  let here = 0;
  service.clock.pause = () => {
    if (++here === count) met.resolve();
    return met.promise;
  };
}

/** Twenty turns of the event loop. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

const eachEndpoint =
  (bearer: string | null): Script =>
  async (service) => {
    const session = await spring(service);
    await service.call('POST', '/sessions', { bearer, body: sessionRequest });
    await service.call('GET', `/sessions/${session.session_id}`, { bearer });
    await service.call('GET', listOf('spring'), { bearer });
    await service.call('POST', '/shades', { bearer, body: { catalog_id: 'autumn', shades: [shade('B')] } });
    await service.call('GET', today, { bearer });
  };

describe('a planted defect of keys', () => {
  testScripts(
    inGroup('auth'),
    underLimit(40, 6_000),
    {
      'no key': eachEndpoint(null),
      'a key that nobody has': eachEndpoint('key-nobody'),
      "another account's session": async (service) => {
        const { session_id } = await spring(service);
        await service.call('GET', `/sessions/${session_id}`, { bearer: 'key-bob' });
      },
      'a key that nobody has, in the middle of 31 requests at once, and later': async (service) => {
        await admitted(service, 30);
        await service.call('GET', noCatalog, { bearer: 'key-nobody' });
        service.clock.pass(3_000);
        await service.call('GET', noCatalog, { bearer: 'key-nobody' });
      },
    },
    [
      ['A1', 'no key', '200 {"session_id"'],
      ['A2', 'a key that nobody has', '500 '],
      ['A4', 'no key', '200 {"period"'],
      ['A5', "another account's session", '200 {"session_id"'],
      ['A7', 'a key that nobody has, in the middle of 31 requests at once, and later', '404 '],
    ],
  );
});

describe('a planted defect of shades', () => {
  const badHex = { ...shade('C'), hex: 'red' };
  const imports = (...batches: readonly (readonly object[])[]): Script => {
    return async (service) => {
      for (const batch of batches) {
        await service.call('POST', '/shades', { body: { catalog_id: 'spring', shades: batch } });
        await service.call('GET', listOf('spring'));
        service.clock.pass(listLagMs);
      }
      await service.call('GET', listOf('spring'));
      await service.call('POST', '/sessions', { body: sessionRequest });
    };
  };
  testScripts(
    inGroup('shades'),
    underLimit(1_000, 60_000),
    {
      'an import of 500': imports(shades(500)),
      'an import of 501': imports(shades(501)),
      'an import whose third shade is wrong': imports([shade('A'), shade('B'), badHex, shade('D')]),
      'a colour that is none': imports([badHex]),
      'an import of one SKU twice': imports([shade('A'), shade('B'), shade('A')]),
      'A, B and then B, C': imports([shade('A'), shade('B')], [shade('B'), shade('C')]),
      'a name with é': imports([shade('A', { name: 'Rosé' })]),
    },
    [
      ['S1', 'an import of 501', '200 {"catalog_id":"spring","imported":501'],
      ['S2', 'an import of 500', '422 '],
      ['S3', 'an import of 501', '200 {"catalog_id":"spring","imported":500'],
      ['S4', 'an import of one SKU twice', '"created":3'],
      [
        'S5',
        'an import whose third shade is wrong',
        '{"sku":"A","name":"Shade A","hex":"#C0FFEE","finish":"matte"},{"sku":"B"',
      ],
      ['S6', 'A, B and then B, C', '"shade_count":4'],
      ['S8', 'a name with é', 'RosÃ©'],
      ['S10', 'A, B and then B, C', '"shades":[]'],
      ['S11', 'a name with é', '"hex":"#C0FFEE"}'],
      ['S12', 'a colour that is none', '200 {"catalog_id":"spring","shades":[]}'],
    ],
  );
});

describe('a planted defect of sessions', () => {
  const twice = (event: Interaction): Interaction[][] => [[event], [event]];
  testScripts(
    inGroup('sessions'),
    underLimit(1_000, 60_000),
    {
      'a session that does not exist': (service) => service.call('GET', '/sessions/ts_none').then(() => {}),
      'a session that is read four times': async (service) => {
        const session = await spring(service);
        await times(4, () => read(service, session));
      },
      'a session that is opened a minute later': async (service) => {
        await spring(service);
        service.clock.pass(60_000);
        await service.openSession();
      },
      'a read over a connection that has read before, of an event in between': async (service) => {
        const session = await spring(service);
        const { baseUrl } = await startService(service.app, { host: '127.0.0.1', port: 0 });
        const headers = { authorization: 'Bearer key-alice' };
        const bodies: unknown[] = [];
        for (let n = 0; n < 2; n++) {
          bodies.push(await (await fetch(`${baseUrl}/sessions/${session.session_id}`, { headers })).json());
          await service.interact(session, [selected('A')]);
        }
        return bodies;
      },
      'shades that the catalog has not': (service) =>
        act(service, [[selected('A'), selected('X'), cartIntent('Y')]]),
      'a selection twice by one id': (service) => act(service, twice(selected('A'))),
      'A, B and A at once, then B': (service) =>
        act(service, [[selected('A'), selected('B'), selected('A')], [selected('B')]]),
      'two batches at once in a session': async (service) => {
        meetIn(service, 2);
        const session = await spring(service);
        await Promise.all(['A', 'B'].map((sku) => service.interact(session, [selected(sku)])));
        await read(service, session);
      },
    },
    [
      ['N1', 'a session that does not exist', '200 '],
      ['N2', 'shades that the catalog has not', '202 {"accepted":3}'],
      [
        'N3',
        'A, B and A at once, then B',
        '"sku":"A","at":"2026-03-10T12:00:01.000Z"},{"id":"id","type":"shade_selected","sku":"A"',
      ],
      [
        'N5',
        'A, B and A at once, then B',
        '"top_shades":[{"sku":"A","selections":1},{"sku":"B","selections":1}]',
      ],
      ['N6', 'a selection twice by one id', '"top_shades":[{"sku":"A","selections":2}]'],
      ['N9', 'a session that is read four times', '404 '],
      [
        'N10',
        'two batches at once in a session',
        '"interactions":[{"id":"id","type":"shade_selected","sku":"B","at":"2026-03-10T12:00:01.000Z"}]',
      ],
      ['N11', 'a session that is read four times', '"created_at":"2026-03-10T14:00:00.000+02:00"'],
      ['N12', 'a session that is read four times', '"shade_count":1'],
      ['N13', 'a session that is read four times', '"expires_at":"2026-03-10T11:30:00.000Z"'],
      ['N14', 'a session that is opened a minute later', '"expires_at":"2026-03-10T12:30:00.000Z"'],
      ['N15', 'a read over a connection that has read before, of an event in between', '"interactions":[]'],
      ['N16', 'a session that is read four times', '404 '],
      ['N17', 'a session that does not exist', 'text/html'],
    ],
  );
});

describe('a planted defect of the rate limit', () => {
  const windowMs = 10_000;
  /** Numbers of requests, with so many milliseconds before the next. */
  const steps =
    (...all: readonly (readonly [count: number, thenMs?: number, call?: Call])[]): Script =>
    async (service) => {
      const counts: number[] = [];
      for (const [count, thenMs = 0, call] of all) {
        counts.push(await admitted(service, count, call));
        service.clock.pass(thenMs);
      }
      return counts;
    };
  const onceUsedUp =
    (path: string, call: Call = {}): Script =>
    async (service) => {
      await admitted(service, 10);
      await service.call('GET', path, call);
    };
  const whereAPauseIsTime =
    (count: number): Script =>
    async (service) => {
      service.clock.pause = async (ms) => service.clock.pass(ms);
      const sentMs = service.clock.monotonicMs();
      return [await admitted(service, count), service.clock.monotonicMs() - sentMs];
    };
  const eachSecond = Array.from({ length: 15 }, () => [1, 1_000] as const);
  const bob: Call = { bearer: 'key-bob' };
  testScripts(
    inGroup('rate-limit'),
    underLimit(10, windowMs),
    {
      '25 requests in no time': steps([25]),
      '25 requests as the window of the first of ten ends': steps([1, windowMs - 1], [9, 1], [25]),
      'a key that is used up and asks every second': steps([10, 1_000], ...eachSecond),
      'a key refused 1 ms too early, let in then, and back the next day': steps(
        [10, windowMs - 1],
        [1, 1],
        [1, 86_400_000],
        [1],
      ),
      'another key, after one from the same address is used up': onceUsedUp('/sessions/none', bob),
      'a used-up key, from another address': onceUsedUp('/sessions/none', { remoteAddress: '127.0.0.2' }),
      'a used-up key, on another endpoint': onceUsedUp('/sessions/none'),
      'a used-up key, with another X-Forwarded-For': onceUsedUp(noCatalog, {
        headers: { 'x-forwarded-for': '203.0.113.9' },
      }),
      'a used-up key, asking for analytics': onceUsedUp('/analytics/sessions'),
      'analytics ten times, and a list': async (service) => {
        await times(10, () => service.call('GET', '/analytics/sessions'));
        await service.call('GET', noCatalog);
      },
      'two requests 3 s apart': steps([1, 3_000], [1]),
      'a used-up key, after two others': steps([10], [1, 0, bob], [1, 0, { bearer: 'key-nobody' }], [1]),
      'three requests at once, and two more after each of two seconds': steps([3, 1_000], [2, 1_000], [2]),
      'one request more than the limit, where a pause is time': whereAPauseIsTime(11),
      'three times the limit, where a pause is time': whereAPauseIsTime(30),
    },
    [
      ['R1', '25 requests in no time', '[25]'],
      ['R2', '25 requests in no time', '[9]'],
      ['R3', '25 requests in no time', '[11]'],
      ['R3-', '25 requests in no time', '[9]'],
      ['R5', '25 requests as the window of the first of ten ends', '[1,9,10]'],
      ['R6', 'a key that is used up and asks every second', '[10,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]'],
      ['R7', '25 requests in no time', '[20]'],
      ['R9', 'a used-up key, from another address', '404 '],
      ['R9', 'another key, after one from the same address is used up', '429 '],
      ['R10', 'another key, after one from the same address is used up', '429 '],
      ['R11', 'a used-up key, on another endpoint', '404 '],
      ['R12', 'a used-up key, with another X-Forwarded-For', '404 '],
      ['R13', 'a used-up key, asking for analytics', '422 '],
      ['R13', 'analytics ten times, and a list', '404 '],
      ['R15', '25 requests in no time', '"retry-after":"10000"'],
      ['R15-epoch', '25 requests in no time', '"retry-after":"1773144010"'],
      ['R17', 'two requests 3 s apart', '"ratelimit-remaining":"10","ratelimit-reset":"10"'],
      ['R18', 'a used-up key, on another endpoint', '503 '],
      ['R20', 'a used-up key, after two others', '[10,1,0,1]'],
      ['R21', 'a key refused 1 ms too early, let in then, and back the next day', '[10,0,1,0]'],
      ['R23', 'one request more than the limit, where a pause is time', '[11,10000]'],
      ['R23', 'three times the limit, where a pause is time', '[30,20000]'],
      ['R24', 'three requests at once, and two more after each of two seconds', '[2,2,2]'],
    ],
  );
});

describe('a planted defect of the quota', () => {
  const small = 'key-small';
  const open = (service: ServiceUnderTest, bearer = small, catalog_id = 'spring') =>
    service.call('POST', '/sessions', { bearer, body: { ...sessionRequest, catalog_id } });
  /** Two catalogs, of the account that may have three sessions and of another. */
  const start: Start = async (altered) => {
    const service = serviceUnderTest({ rateLimit: { requests: 11, windowMs: 60_000 } }, altered);
    for (const bearer of [small, 'key-alice']) await service.importShades('spring', [shade('A')], bearer);
    return service;
  };
  testScripts(
    inGroup('quota'),
    start,
    {
      'five attempts': (service) => times(5, () => open(service)),
      'five attempts at once': async (service) => {
        meetIn(service, 5);
        await Promise.all([1, 2, 3, 4, 5].map(() => open(service)));
      },
      'a session, reads before and after the last of the quota is spent, and an attempt': async (service) => {
        const { session_id } = await service.openSession({}, small);
        for (let n = 0; n < 3; n++) {
          for (const path of [`/sessions/${session_id}`, listOf('spring'), today])
            await service.call('GET', path, { bearer: small });
          if (n < 2) await open(service);
        }
      },
      'attempts over quota and over the rate': (service) => times(14, () => open(service)),
      'four attempts after two sessions of another account': async (service) => {
        await times(2, () => open(service, 'key-alice'));
        await times(4, () => open(service));
      },
      'a session of an unknown catalog after the first, and four attempts': async (service) => {
        await open(service);
        await open(service, small, 'unknown');
        await times(4, () => open(service));
      },
    },
    [
      ['Q1', 'five attempts', '429 '],
      ['Q2', 'five attempts', '200 '],
      ['Q2-', 'five attempts', '402 '],
      ['Q3', 'five attempts at once', '200 '],
      ['Q5', 'a session, reads before and after the last of the quota is spent, and an attempt', '402 '],
      ['Q7', 'a session, reads before and after the last of the quota is spent, and an attempt', '402 '],
      ['Q8', 'attempts over quota and over the rate', '402 '],
      ['Q9', 'four attempts after two sessions of another account', '402 '],
      ['Q10', 'a session of an unknown catalog after the first, and four attempts', '200 '],
    ],
  );
});

describe('a planted defect of analytics', () => {
  const visits: readonly Visit[] = [
    { createdAt: '2026-03-10T08:00:00Z', selects: ['A', 'B', 'A'], cartIntents: 1 },
    { createdAt: '2026-03-10T09:00:00Z', selects: ['B'], product: 'gloss' },
    { createdAt: '2026-03-10T23:00:00Z' },
    { createdAt: '2026-03-11T01:00:00Z', selects: ['A', 'C'], cartIntents: 1 },
  ];
  const bothDays = '/analytics/sessions?start_date=2026-03-10&end_date=2026-03-11';
  testScripts(
    inGroup('analytics'),
    (altered) => serviceAfter(visits, {}, altered),
    {
      'a day, three times': (service) => times(3, () => service.call('GET', today)),
      'two days, and again 15 minutes later': async (service) => {
        await service.call('GET', bothDays);
        service.clock.pass(15 * 60_000 + 1);
        await service.call('GET', bothDays);
      },
      'one product': (service) => service.call('GET', `${today}&product_id=gloss`).then(() => {}),
      '50 sessions, and 51': async (service) => {
        for (const more of [50, 1]) {
          await times(more, () => service.openSession({ product_id: 'many' }));
          await service.call('GET', `${bothDays}&product_id=many`);
        }
      },
      'two events, each sent twice': async (service) => {
        const session = await service.openSession({ product_id: 'balm' });
        const [event, other] = [selected('A'), selected('B')];
        for (const batch of [[event], [event, other, other]]) await service.interact(session, batch);
        await service.call('GET', `${bothDays}&product_id=balm`);
      },
    },
    [
      ['Y1', 'two days, and again 15 minutes later', '"total_sessions":3'],
      ['Y2', 'a day, three times', '"total_sessions":2'],
      ['Y4', 'one product', '"total_sessions":3'],
      ['Y6', 'one product', '"top_shades":[{"sku":"A","selections":2}'],
      ['Y7', 'a day, three times', '"avg_shades_per_session":1.3333'],
      ['Y9', 'a day, three times', '"cart_intent_rate":33.33'],
      ['Y10', 'two days, and again 15 minutes later', '"avg_shades_per_session":1,'],
      ['Y10-early', 'two days, and again 15 minutes later', '"avg_shades_per_session":1.3,'],
      ['Y12', 'a day, three times', '"top_shades":[{"sku":"B","selections":2},{"sku":"A","selections":2}]'],
      ['Y14', 'two days, and again 15 minutes later', '"total_sessions":3'],
      ['Y16', '50 sessions, and 51', '"total_sessions":52'],
      ['Y17', 'a day, three times', '"period":"2026-03-10/2026-03-10"'],
      [
        'Y18',
        'two events, each sent twice',
        '"top_shades":[{"sku":"A","selections":2},{"sku":"B","selections":2}]',
      ],
      ['Y19', 'a day, three times', '"avg_shades_per_session":1.5,"cart_intent_rate":0.5'],
    ],
  );

  test.each(Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0')))(
    'Y2: days of a local zone show when the service is started at %s:30 UTC',
    async (hour) => {
      const clock = manualClock(`2026-03-10T${hour}:30:00Z`);
      const service = serviceUnderTest({ clock }, planted('Y2').alterations);
      await spring(service);
      expect(await report(service, day)).toMatchObject({ total_sessions: 0 });
      const around = await report(service, 'start_date=2026-03-09&end_date=2026-03-11');
      expect(around.total_sessions).toBe(1);
    },
  );
});

describe('a planted defect of latency', () => {
  const slowReports: Alterations = {
    parts: ({ analytics, ...parts }) => ({
      ...parts,
      analytics: { report: (...question) => turns().then(() => analytics.report(...question)) },
    }),
  };
  const ask = (service: ServiceUnderTest) => service.call('GET', '/sessions/ts_none');
  testScripts(
    [...inGroup('latency'), varied('slow')],
    (altered = slowReports) =>
      serviceUnderTest({ rateLimit: { requests: 10_000, windowMs: 60_000 } }, altered),
    {
      'four requests': (service) => times(4, () => ask(service)),
      '250 requests': (service) => times(250, () => ask(service)),
      'events before the hundredth request': async (service) => {
        const session = await spring(service);
        await times(98, () => ask(service));
        await times(5, () => service.interact(session, [selected('A')]));
      },
      'lists of a catalog of 4, and of 40': async (service) => {
        for (const count of [4, 40]) {
          await service.importShades(`of-${count}`, shades(count));
          await service.call('GET', listOf(`of-${count}`));
        }
      },
      'three requests at once that pause at the same time': async (service) => {
        let underWay = 0;
        let most = 0;
        service.clock.pause = async () => {
          most = Math.max(most, ++underWay);
          await turns();
          underWay--;
        };
        await Promise.all([ask(service), ask(service), ask(service)]);
        return { most };
      },
      'requests and events after the sixtieth session, and sixty more': async (service) => {
        const session = await spring(service);
        await times(59, () => service.openSession());
        for (const passesMs of [0, 2_000, 2_999, 1, 10_000]) {
          service.clock.pass(passesMs);
          await ask(service);
          await service.interact(session, [selected('A')]);
        }
        await times(60, () => service.openSession());
      },
      'a report and a session at once': async (service) => {
        service.clock.pause = turns;
        await service.importShades('spring', [shade('A')]);
        const done: string[] = [];
        await Promise.all([
          service.call('GET', today).then(() => done.push('report')),
          service.openSession().then(() => done.push('session')),
        ]);
        return done.join(' before ');
      },
      'a request in each of twenty seconds': async (service) => {
        await times(20, async () => {
          await ask(service);
          service.clock.pass(1_000);
        });
      },
      'three lists of each of two catalogs': async (service) => {
        for (const catalog of ['spring', 'autumn']) {
          await service.importShades(catalog, [shade('A')]);
          await times(3, () => service.call('GET', listOf(catalog)));
        }
      },
    },
    [
      ['P1', 'events before the hundredth request', 'waits 2000'],
      ['P1', '250 requests', 'waits 2000,2000'],
      ['P2', 'lists of a catalog of 4, and of 40', 'waits 8,80'],
      ['P4', 'four requests', 'waits 80,80,80,80'],
      ['P4', 'three requests at once that pause at the same time', '{"most":1}'],
      [
        'P5',
        'requests and events after the sixtieth session, and sixty more',
        'waits 5000,5000,5000,3000,3000,1,1',
      ],
      ['P6', 'a report and a session at once', 'report before session'],
      ['P7', 'four requests', 'waits 300,300,300,300'],
      ['P8', 'a request in each of twenty seconds', 'waits '],
      ['P9', 'four requests', 'waits 120,120'],
      ['P10', 'three lists of each of two catalogs', 'waits 1500,1500'],
      ['slow', 'three requests at once that pause at the same time', '{"most":3}'],
    ],
  );
});

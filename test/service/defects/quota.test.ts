import { describe, expect, test } from 'vitest';
import type { Alterations } from '../../../src/service/alterations.ts';
import { type ServiceUnderTest, serviceUnderTest, shade } from '../service-under-test.ts';
import { inGroup, type Property, planted, testProperties } from './property.ts';

const small = 'key-small';
const request = { product_id: 'lipstick', catalog_id: 'spring', locale: 'en-US' };

/** A service with a catalog for each of two accounts: that of the key `small`, whose plan has 3 sessions, and another. */
async function start(alterations?: Alterations): Promise<ServiceUnderTest> {
  // Importing a catalog is the first of these requests.
  const service = serviceUnderTest({ rateLimit: { requests: 11, windowMs: 60_000 } }, alterations);
  for (const bearer of [small, 'key-alice']) await service.importShades('spring', [shade('A')], bearer);
  return service;
}

const open = async (service: ServiceUnderTest, bearer = small): Promise<number> =>
  (await service.call('POST', '/sessions', { bearer, body: request })).status;

const read = async (service: ServiceUnderTest, path: string): Promise<number> =>
  (await service.call('GET', path, { bearer: small })).status;

/** The statuses of this many attempts to open a session, one after the other. */
async function attempts(service: ServiceUnderTest, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push(await open(service));
  return statuses;
}

const analyticsPath = '/analytics/sessions?start_date=2026-03-10&end_date=2026-03-10';

const properties: readonly Property[] = [
  {
    defect: planted('Q1'),
    of: 'five attempts on a plan of 3 sessions',
    look: (service) => attempts(service, 5),
    kept: [200, 200, 200, 402, 402],
    broken: [200, 200, 200, 429, 429],
  },
  {
    defect: planted('Q2'),
    of: 'five attempts on a plan of 3 sessions',
    look: (service) => attempts(service, 5),
    kept: [200, 200, 200, 402, 402],
    broken: [200, 200, 200, 200, 402],
  },
  {
    defect: planted('Q2-'),
    of: 'five attempts on a plan of 3 sessions',
    look: (service) => attempts(service, 5),
    kept: [200, 200, 200, 402, 402],
    broken: [200, 200, 402, 402, 402],
  },
  {
    defect: planted('Q5'),
    of: 'four attempts after reading a catalog and analytics',
    async look(service) {
      await read(service, '/shades?catalog_id=spring');
      await read(service, analyticsPath);
      return attempts(service, 4);
    },
    kept: [200, 200, 200, 402],
    broken: [200, 402, 402, 402],
  },
  {
    defect: planted('Q5'),
    of: 'three attempts after reading a session that was opened',
    async look(service) {
      const { session_id } = await service.openSession({}, small);
      await read(service, `/sessions/${session_id}`);
      return attempts(service, 3);
    },
    kept: [200, 200, 402],
    broken: [200, 402, 402],
  },
  {
    defect: planted('Q7'),
    of: 'reading a session, shades and analytics with a spent quota',
    async look(service) {
      const { session_id } = await service.openSession({}, small);
      await attempts(service, 2);
      const paths = [`/sessions/${session_id}`, '/shades?catalog_id=spring', analyticsPath];
      return Promise.all(paths.map((path) => read(service, path)));
    },
    kept: [200, 200, 200],
    broken: [402, 402, 402],
  },
  {
    defect: planted('Q7'),
    of: 'reading a session before the last of the quota is spent, and after',
    async look(service) {
      const { session_id } = await service.openSession({}, small);
      await attempts(service, 1);
      const before = await read(service, `/sessions/${session_id}`);
      await attempts(service, 1);
      return [before, await read(service, `/sessions/${session_id}`)];
    },
    kept: [200, 200],
    broken: [200, 402],
  },
  {
    defect: planted('Q8'),
    of: 'attempts over quota and over the rate',
    async look(service) {
      await attempts(service, 10);
      return attempts(service, 4);
    },
    kept: [429, 429, 429, 429],
    broken: [402, 429, 402, 429],
  },
  {
    defect: planted('Q9'),
    of: 'four attempts after two sessions of another account',
    async look(service) {
      await open(service, 'key-alice');
      await open(service, 'key-alice');
      return attempts(service, 4);
    },
    kept: [200, 200, 200, 402],
    broken: [200, 402, 402, 402],
  },
  {
    defect: planted('Q10'),
    of: 'four attempts, with one for an unknown catalog after the first',
    async look(service) {
      const first = await open(service);
      const unknown = { ...request, catalog_id: 'unknown' };
      const { status } = await service.call('POST', '/sessions', { bearer: small, body: unknown });
      return [first, status, ...(await attempts(service, 4))];
    },
    kept: [200, 404, 200, 200, 402, 402],
    broken: [200, 404, 200, 200, 200, 402],
  },
];

testProperties(properties, (_options, alterations) => start(alterations));

describe('a quota of 3 that is checked, and counted later', () => {
  const five = [1, 2, 3, 4, 5];

  /** Holds all until this many wait. */
  function barrier(count: number): () => Promise<void> {
    const all = Promise.withResolvers<void>();
    let waiting = 0;
    return () => {
      waiting++;
      if (waiting === count) all.resolve();
      return all.promise;
    };
  }

  test('admits all 5 sessions that are checked before the first is counted; one in a single step admits 3', async () => {
    const admittedBy = async (service: ServiceUnderTest): Promise<number> => {
      const statuses = await Promise.all(five.map(() => open(service)));
      return statuses.filter((status) => status === 200).length;
    };
    expect(await admittedBy(await start())).toBe(3);
    const service = await start(planted('Q3').alterations);
    service.clock.pause = barrier(5);
    expect(await admittedBy(service)).toBe(5);
  });

  test('is exact for sessions that are asked for one after the other', async () => {
    const service = await start(planted('Q3').alterations);
    expect(await attempts(service, 5)).toEqual([200, 200, 200, 402, 402]);
  });

  test('still answers 404 for an unknown catalog', async () => {
    const service = await start(planted('Q3').alterations);
    const body = { ...request, catalog_id: 'autumn' };
    expect((await service.call('POST', '/sessions', { bearer: small, body })).status).toBe(404);
  });
});

test('with Q8, over the rate alone the answer is 429, and reads over both are too', async () => {
  const service = await start(planted('Q8').alterations);
  for (let i = 0; i < 10; i++) await read(service, '/shades?catalog_id=spring');
  expect(await attempts(service, 2)).toEqual([429, 429]);
  service.clock.pass(60_000);
  await attempts(service, 11);
  expect(await read(service, '/shades?catalog_id=spring')).toBe(429);
});

test('no defect of the list goes untested', () => {
  const shown = new Set([...properties.map(({ defect }) => defect), planted('Q3')]);
  expect(inGroup('quota').filter((defect) => !shown.has(defect))).toEqual([]);
});

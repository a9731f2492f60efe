import { describe, expect, test } from 'vitest';
import { type ServiceUnderTest, serviceUnderTest, shade } from '../service-under-test.ts';
import { planted, testProperties } from './property.ts';

const today = 'start_date=2026-03-10&end_date=2026-03-10';

/** Statuses of one request to each endpoint, by somebody who may not ask. */
async function statuses(service: ServiceUnderTest, bearer: string | null): Promise<number[]> {
  await service.importShades('spring', [shade('A')]);
  const { session_id } = await service.openSession();
  const session = { product_id: 'lipstick', catalog_id: 'spring', locale: 'en-US' };
  const answers = [
    await service.call('POST', '/sessions', { bearer, body: session }),
    await service.call('GET', `/sessions/${session_id}`, { bearer }),
    await service.call('GET', '/shades?catalog_id=spring', { bearer }),
    await service.call('POST', '/shades', { bearer, body: { catalog_id: 'autumn', shades: [shade('B')] } }),
    await service.call('GET', `/analytics/sessions?${today}`, { bearer }),
  ];
  return answers.map(({ status }) => status);
}

const refused = [401, 401, 401, 401, 401];

testProperties([
  {
    defect: planted('A1'),
    of: 'requests without a key',
    look: (service) => statuses(service, null),
    kept: refused,
    broken: [200, 200, 200, 200, 200],
  },
  {
    defect: planted('A2'),
    of: 'requests with a key that nobody has',
    look: (service) => statuses(service, 'key-nobody'),
    kept: refused,
    broken: [500, 500, 500, 500, 500],
  },
  {
    defect: planted('A4'),
    of: 'requests without a key',
    look: (service) => statuses(service, null),
    kept: refused,
    broken: [401, 401, 401, 401, 200],
  },
  {
    defect: planted('A4'),
    of: 'requests with a key that nobody has',
    look: (service) => statuses(service, 'key-nobody'),
    kept: refused,
    broken: [401, 401, 401, 401, 200],
  },
  {
    defect: planted('A5'),
    of: "reading one account's session with another's key",
    async look(service) {
      await service.importShades('spring', [shade('A')]);
      const { session_id } = await service.openSession();
      return (await service.call('GET', `/sessions/${session_id}`, { bearer: 'key-bob' })).status;
    },
    kept: 404,
    broken: 200,
  },
  {
    defect: planted('A7'),
    of: 'a key that nobody has, in the middle of 31 requests at once',
    options: { rateLimit: { requests: 40, windowMs: 6_000 } },
    async look(service) {
      for (let n = 0; n < 30; n++) await service.call('GET', '/shades?catalog_id=none');
      return (await service.call('GET', '/shades?catalog_id=none', { bearer: 'key-nobody' })).status;
    },
    kept: 401,
    broken: 404,
  },
]);

describe('what these defects leave alone', () => {
  test.each([
    ['A1', planted('A1'), 'key-nobody'],
    ['A2', planted('A2'), null],
    ['A5', planted('A5'), null],
    ['A5', planted('A5'), 'key-nobody'],
    ['A7', planted('A7'), null],
    ['A7', planted('A7'), 'key-nobody'],
  ])('%s: a caller who is refused all the same', async (_, { alterations }, bearer) => {
    expect(await statuses(serviceUnderTest({}, alterations), bearer)).toEqual(refused);
  });

  test('A5: a session that does not exist', async () => {
    const service = serviceUnderTest({}, planted('A5').alterations);
    expect((await service.call('GET', '/sessions/ts_none')).status).toBe(404);
  });

  test('A7: an unknown key, after the load is over', async () => {
    const rateLimit = { requests: 40, windowMs: 6_000 };
    const service = serviceUnderTest({ rateLimit }, planted('A7').alterations);
    for (let n = 0; n < 30; n++) await service.call('GET', '/shades?catalog_id=none');
    service.clock.pass(3_000);
    expect(await statuses(service, 'key-nobody')).toEqual(refused);
  });

  test('A7: an unknown key, at as much load as the limit admits', async () => {
    const rateLimit = { requests: 40, windowMs: 6_000 };
    const service = serviceUnderTest({ rateLimit }, planted('A7').alterations);
    for (let n = 0; n < 40; n++) {
      await service.call('GET', '/shades?catalog_id=none');
      expect((await service.call('GET', '/sessions/ts_none', { bearer: 'key-nobody' })).status).toBe(401);
      service.clock.pass(300);
    }
  });

  test('valid keys, whichever of the defects is planted', async () => {
    for (const { alterations } of [planted('A1'), planted('A2'), planted('A4'), planted('A7')]) {
      const service = serviceUnderTest({}, alterations);
      expect(await statuses(service, 'key-alice')).toEqual([200, 200, 200, 200, 200]);
    }
  });
});

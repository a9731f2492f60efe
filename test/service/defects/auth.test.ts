import { describe } from 'vitest';
import { type ServiceUnderTest, serviceUnderTest, shade } from '../service-under-test.ts';
import { inGroup, testLooks } from './looks.ts';

const today = 'start_date=2026-03-10&end_date=2026-03-10';

/** Statuses of one request to each endpoint. */
const statuses = (bearer: string | null) => async (service: ServiceUnderTest) => {
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
};

const withUnknownKey = async (service: ServiceUnderTest) =>
  (await service.call('GET', '/shades?catalog_id=none', { bearer: 'key-nobody' })).status;

const load = async (service: ServiceUnderTest): Promise<void> => {
  for (let n = 0; n < 30; n++) await service.call('GET', '/shades?catalog_id=none');
};

const refused = [401, 401, 401, 401, 401];

describe('whom a service answers', () => {
  testLooks(
    inGroup('auth'),
    {
      'a valid key': [statuses('key-alice'), [200, 200, 200, 200, 200]],
      'no key': [statuses(null), refused],
      'a key that nobody has': [statuses('key-nobody'), refused],
      "another account's session": [
        async (service) => {
          await service.importShades('spring', [shade('A')]);
          const { session_id } = await service.openSession();
          return (await service.call('GET', `/sessions/${session_id}`, { bearer: 'key-bob' })).status;
        },
        404,
      ],
      'a session that does not exist': [
        async (service) => (await service.call('GET', '/sessions/ts_none')).status,
        404,
      ],
      'a key that nobody has, in the middle of 31 requests at once': [
        async (service) => {
          await load(service);
          return withUnknownKey(service);
        },
        401,
      ],
      'a key that nobody has, after that load': [
        async (service) => {
          await load(service);
          service.clock.pass(3_000);
          return withUnknownKey(service);
        },
        401,
      ],
      'a key that nobody has, at as much load as the limit admits': [
        async (service) => {
          const seen = new Set<number>();
          for (let n = 0; n < 40; n++) {
            await service.call('GET', '/shades?catalog_id=none');
            seen.add(await withUnknownKey(service));
            service.clock.pass(300);
          }
          return [...seen];
        },
        [401],
      ],
    },
    {
      A1: { 'no key': [200, 200, 200, 200, 200] },
      A2: {
        'a key that nobody has': [500, 500, 500, 500, 500],
        'a key that nobody has, in the middle of 31 requests at once': 500,
        'a key that nobody has, after that load': 500,
        'a key that nobody has, at as much load as the limit admits': [500],
      },
      A4: { 'no key': [401, 401, 401, 401, 200], 'a key that nobody has': [401, 401, 401, 401, 200] },
      A5: { "another account's session": 200 },
      A7: { 'a key that nobody has, in the middle of 31 requests at once': 404 },
    },
    {
      start: (altered) => serviceUnderTest({ rateLimit: { requests: 40, windowMs: 6_000 } }, altered),
      others: 'same',
    },
  );
});

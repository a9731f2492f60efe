import { describe } from 'vitest';
import type { Alterations } from '../../../src/service/alterations.ts';
import { type ServiceUnderTest, serviceUnderTest, shade } from '../service-under-test.ts';
import { inGroup, type Looks, same, testLooks } from './looks.ts';

const small = 'key-small';
const request = { product_id: 'lipstick', catalog_id: 'spring', locale: 'en-US' };

/** A service with a catalog for each of two accounts: that of the key `small`, whose plan has 3 sessions, and another. */
async function start(alterations?: Alterations): Promise<ServiceUnderTest> {
  // Importing a catalog is the first of these requests.
  const service = serviceUnderTest({ rateLimit: { requests: 11, windowMs: 60_000 } }, alterations);
  for (const bearer of [small, 'key-alice']) await service.importShades('spring', [shade('A')], bearer);
  return service;
}

const open = async (service: ServiceUnderTest, bearer = small, catalog_id = 'spring'): Promise<number> =>
  (await service.call('POST', '/sessions', { bearer, body: { ...request, catalog_id } })).status;

const paths = {
  shades: '/shades?catalog_id=spring',
  analytics: '/analytics/sessions?start_date=2026-03-10&end_date=2026-03-10',
};

/** What is done with a service: a number of attempts to open a session, one after the other, or a request. */
type Step = number | keyof typeof paths | 'session' | 'unknown catalog' | 'of alice' | 'a minute';

/** The statuses of all steps. */
const after =
  (...steps: readonly Step[]) =>
  async (service: ServiceUnderTest): Promise<number[]> => {
    const statuses: number[] = [];
    let opened: string | undefined;
    for (const step of steps) {
      if (step === 'a minute') service.clock.pass(60_000);
      else if (step === 'session' && opened === undefined) {
        opened = (await service.openSession({}, small)).session_id;
        statuses.push(200);
      } else if (typeof step === 'number') for (let n = 0; n < step; n++) statuses.push(await open(service));
      else if (step === 'of alice') statuses.push(await open(service, 'key-alice'));
      else if (step === 'unknown catalog') statuses.push(await open(service, small, 'unknown'));
      else {
        const path = step === 'session' ? `/sessions/${opened}` : paths[step];
        statuses.push((await service.call('GET', path, { bearer: small })).status);
      }
    }
    return statuses;
  };

const looks = {
  'five attempts on a plan of 3 sessions': [after(5), [200, 200, 200, 402, 402]],
  'five attempts at once, where each pause lasts until all are in it': [
    async (service) => {
      const all = Promise.withResolvers<void>();
      let waiting = 0;
      service.clock.pause = () => {
        if (++waiting === 5) all.resolve();
        return all.promise;
      };
      return (await Promise.all([1, 2, 3, 4, 5].map(() => open(service)))).toSorted();
    },
    [200, 200, 200, 402, 402],
  ],
  'four attempts after reading a catalog and analytics': [
    after('shades', 'analytics', 4),
    [200, 200, 200, 200, 200, 402],
  ],
  'a session, read, and three attempts': [after('session', 'session', 3), [200, 200, 200, 200, 402]],
  'reads with a spent quota': [
    after('session', 2, 'session', 'shades', 'analytics'),
    [200, 200, 200, 200, 200, 200],
  ],
  'reads before the last of the quota is spent, and after': [
    after('session', 1, 'session', 1, 'session'),
    [200, 200, 200, 200, 200],
  ],
  'attempts over quota and over the rate': [
    after(14),
    [200, 200, 200, 402, 402, 402, 402, 402, 402, 402, 429, 429, 429, 429],
  ],
  'over the rate alone, and a read over both': [
    after(...Array.from({ length: 10 }, () => 'shades' as const), 2, 'a minute', 11, 'shades'),
    [...Array(10).fill(200), 429, 429, 200, 200, 200, ...Array(8).fill(402), 429],
  ],
  'four attempts after two sessions of another account': [
    after('of alice', 'of alice', 4),
    [200, 200, 200, 200, 200, 402],
  ],
  'a session of an unknown catalog after the first, and four attempts': [
    after(1, 'unknown catalog', 4),
    [200, 404, 200, 200, 402, 402],
  ],
} satisfies Looks<string>;

describe('the session quota of a service', () => {
  testLooks(
    inGroup('quota'),
    looks,
    {
      Q1: { 'five attempts on a plan of 3 sessions': [200, 200, 200, 429, 429] },
      Q2: { 'five attempts on a plan of 3 sessions': [200, 200, 200, 200, 402] },
      'Q2-': { 'five attempts on a plan of 3 sessions': [200, 200, 402, 402, 402] },
      Q3: {
        'five attempts at once, where each pause lasts until all are in it': [200, 200, 200, 200, 200],
        'five attempts on a plan of 3 sessions': same,
        'a session of an unknown catalog after the first, and four attempts': same,
      },
      Q5: {
        'four attempts after reading a catalog and analytics': [200, 200, 200, 402, 402, 402],
        'a session, read, and three attempts': [200, 200, 200, 402, 402],
      },
      Q7: {
        'reads with a spent quota': [200, 200, 200, 402, 402, 402],
        'reads before the last of the quota is spent, and after': [200, 200, 200, 200, 402],
      },
      Q8: {
        'attempts over quota and over the rate': [200, 200, 200, ...Array(7).fill(402), 402, 429, 402, 429],
        'over the rate alone, and a read over both': same,
      },
      Q9: { 'four attempts after two sessions of another account': [200, 200, 200, 402, 402, 402] },
      Q10: {
        'a session of an unknown catalog after the first, and four attempts': [200, 404, 200, 200, 200, 402],
      },
    },
    { start },
  );
});

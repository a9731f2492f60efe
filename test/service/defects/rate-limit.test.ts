import { describe, expect, test } from 'vitest';
import type { Alterations } from '../../../src/service/alterations.ts';
import { type Answer, type Call, type ServiceUnderTest, serviceUnderTest } from '../service-under-test.ts';
import { inGroup, type Looks, planted, same, testLooks } from './looks.ts';

const windowMs = 10_000;
const rateLimit = { requests: 10, windowMs };
const start = (alterations?: Alterations): ServiceUnderTest => serviceUnderTest({ rateLimit }, alterations);

const ask = (service: ServiceUnderTest, call: Call = {}): Promise<Answer> =>
  service.call('GET', '/shades?catalog_id=none', call);

/** How many of `count` requests are admitted, one after the other at the same instant. */
async function admitted(service: ServiceUnderTest, count: number, call: Call = {}): Promise<number> {
  let letIn = 0;
  for (let i = 0; i < count; i++) if ((await ask(service, call)).status === 404) letIn++;
  return letIn;
}

/** The status of a request that is sent when the limit has just been used up. */
const onceUsedUp =
  (path: string, call: Call = {}) =>
  async (service: ServiceUnderTest): Promise<number> => {
    await admitted(service, 10);
    return (await service.call('GET', path, call)).status;
  };

/** How many of each number of requests are admitted, with so many milliseconds before the next. */
const admittedIn =
  (...steps: readonly (readonly [count: number, thenMs?: number, call?: Call])[]) =>
  async (service: ServiceUnderTest): Promise<number[]> => {
    const counts: number[] = [];
    for (const [count, thenMs = 0, call] of steps) {
      counts.push(await admitted(service, count, call));
      service.clock.pass(thenMs);
    }
    return counts;
  };

const bob: Call = { bearer: 'key-bob' };
const nobody: Call = { bearer: 'key-nobody' };
const eachSecond = Array.from({ length: 15 }, () => [1, 1_000] as const);

const looks = {
  '25 requests in no time': [admittedIn([25]), [10]],
  '25 requests 1 ms after 9 others, as the window of the one before them ends': [
    admittedIn([1, windowMs - 1], [9, 1], [25]),
    [1, 9, 1],
  ],
  'a key that is used up and asks every second for 15': [
    admittedIn([10, 1_000], ...eachSecond),
    [10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1],
  ],
  'a key that is used up and then silent for a window': [admittedIn([20, windowMs], [20]), [10, 10]],
  'a key that waits as advised, five times': [
    admittedIn([20, windowMs], [20, windowMs], [20, windowMs], [20, windowMs], [20]),
    [10, 10, 10, 10, 10],
  ],
  'a key refused 1 ms before its window ends, let in 1 ms later, and back the next day': [
    admittedIn([10, windowMs - 1], [1, 1], [1, 86_400_000], [1]),
    [10, 0, 1, 1],
  ],
  'a key, while another from the same address is used up': [onceUsedUp('/sessions/none', bob), 404],
  'a key that is used up, from another address': [
    async (service) => {
      await admitted(service, 10);
      const headers = { authorization: 'Bearer key-alice' };
      const other = { url: '/v1/sessions/none', remoteAddress: '127.0.0.2', headers };
      return (await service.app.inject(other)).statusCode;
    },
    429,
  ],
  'a key that is used up, on another endpoint': [onceUsedUp('/sessions/none'), 429],
  'a key that is used up, with another X-Forwarded-For': [
    onceUsedUp('/sessions/none', { headers: { 'x-forwarded-for': '203.0.113.9' } }),
    429,
  ],
  'a key that is used up, asking for analytics': [onceUsedUp('/analytics/sessions'), 429],
  'a key that has asked for analytics alone, until it had to be used up': [
    async (service) => {
      for (let i = 0; i < 10; i++) await service.call('GET', '/analytics/sessions');
      return admitted(service, 1);
    },
    0,
  ],
  'Retry-After with 10 s to wait': [
    async (service) => {
      await admitted(service, 10);
      return (await ask(service)).headers['retry-after'];
    },
    '10',
  ],
  'remaining and reset of two requests 3 s apart': [
    async (service) => {
      const first = await ask(service);
      service.clock.pass(3_000);
      return [first, await ask(service)]
        .map(({ headers }) => `${headers['ratelimit-remaining']} ${headers['ratelimit-reset']}`)
        .join(', ');
    },
    '9 10, 8 7',
  ],
  'a key that is used up, after another and one that nobody has': [
    admittedIn([10], [1, 0, bob], [1, 0, nobody], [1]),
    [10, 1, 0, 0],
  ],
  'a key that is used up, while one other asks': [admittedIn([10], [5, 0, bob], [1]), [10, 5, 0]],
  'three requests at once, and two more after each of two seconds': [
    admittedIn([3, 1_000], [2, 1_000], [2]),
    [3, 2, 2],
  ],
  'one request more than the limit, where a pause is time': [
    async (service) => {
      service.clock.pause = async (ms) => service.clock.pass(ms);
      const sentMs = service.clock.monotonicMs();
      return [await admitted(service, 11), service.clock.monotonicMs() - sentMs];
    },
    [10, 0],
  ],
  'three times the limit, where a pause is time': [
    async (service) => {
      service.clock.pause = async (ms) => service.clock.pass(ms);
      const sentMs = service.clock.monotonicMs();
      return [await admitted(service, 30), service.clock.monotonicMs() - sentMs];
    },
    [10, 0],
  ],
} satisfies Looks<string>;

describe('the rate limit of a service', () => {
  testLooks(
    inGroup('rate-limit'),
    looks,
    {
      R1: { '25 requests in no time': [25] },
      R2: { '25 requests in no time': [9] },
      R3: { '25 requests in no time': [11] },
      'R3-': { '25 requests in no time': [9] },
      R5: { '25 requests 1 ms after 9 others, as the window of the one before them ends': [1, 9, 10] },
      R6: {
        'a key that is used up and asks every second for 15': [10, ...eachSecond.map(() => 0)],
        'a key that is used up and then silent for a window': same,
      },
      R7: { '25 requests in no time': [20] },
      R9: {
        'a key, while another from the same address is used up': 429,
        'a key that is used up, from another address': 404,
      },
      R10: { 'a key, while another from the same address is used up': 429 },
      R11: { 'a key that is used up, on another endpoint': 404 },
      R12: { 'a key that is used up, with another X-Forwarded-For': 404 },
      R13: {
        'a key that is used up, asking for analytics': 422,
        'a key that has asked for analytics alone, until it had to be used up': 1,
      },
      R15: { 'Retry-After with 10 s to wait': '10000' },
      'R15-epoch': {
        'Retry-After with 10 s to wait': String(Date.parse('2026-03-10T12:00:10Z') / 1_000),
      },
      R17: { 'remaining and reset of two requests 3 s apart': '10 10, 10 10' },
      R18: { 'a key that is used up, on another endpoint': 503 },
      R20: {
        'a key that is used up, after another and one that nobody has': [10, 1, 0, 1],
        'a key that is used up, while one other asks': same,
      },
      R24: { 'three requests at once, and two more after each of two seconds': [2, 2, 2] },
      R21: {
        'a key refused 1 ms before its window ends, let in 1 ms later, and back the next day': [10, 0, 1, 0],
        'a key that waits as advised, five times': same,
      },
      R23: {
        'one request more than the limit, where a pause is time': [11, windowMs],
        'three times the limit, where a pause is time': [30, 2 * windowMs],
      },
    },
    { start },
  );
});

test('R23 rejects a request that would wait for longer than 30 s', async () => {
  const limit = { requests: 1, windowMs: 60_000 };
  const service = serviceUnderTest({ rateLimit: limit }, planted('R23').alterations);
  service.clock.pause = async (ms) => service.clock.pass(ms);
  const sentMs = service.clock.monotonicMs();
  expect(await admitted(service, 2)).toBe(1);
  expect(service.clock.monotonicMs() - sentMs).toBe(30_000);
});

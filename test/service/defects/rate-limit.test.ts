import { describe, expect, test } from 'vitest';
import type { Alterations } from '../../../src/service/alterations.ts';
import { compose } from '../../../src/service/alterations.ts';
import { type Answer, type Call, type ServiceUnderTest, serviceUnderTest } from '../service-under-test.ts';
import { inGroup, type Property, planted, testProperties } from './property.ts';

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
async function onceUsedUp(service: ServiceUnderTest, path: string, call: Call = {}): Promise<number> {
  await admitted(service, 10);
  return (await service.call('GET', path, call)).status;
}

/** What two of its headers say of the limit: what remains, and the seconds until there is more. */
const told = ({ headers }: Answer): unknown[] => [headers['ratelimit-remaining'], headers['ratelimit-reset']];

const properties: readonly Property[] = [
  {
    defect: planted('R1'),
    of: '25 requests in no time',
    look: (service) => admitted(service, 25),
    kept: 10,
    broken: 25,
  },
  {
    defect: planted('R2'),
    of: '25 requests in no time',
    look: (service) => admitted(service, 25),
    kept: 10,
    broken: 9,
  },
  {
    defect: planted('R3'),
    of: '25 requests in no time',
    look: (service) => admitted(service, 25),
    kept: 10,
    broken: 11,
  },
  {
    defect: planted('R3-'),
    of: '25 requests in no time',
    look: (service) => admitted(service, 25),
    kept: 10,
    broken: 9,
  },
  {
    defect: planted('R5'),
    of: '25 requests 1 ms after 9 others, as the window of the one before them ends',
    async look(service) {
      await admitted(service, 1);
      service.clock.pass(windowMs - 1);
      await admitted(service, 9);
      service.clock.pass(1);
      return admitted(service, 25);
    },
    kept: 1,
    broken: 10,
  },
  {
    defect: planted('R6'),
    of: 'a key that is used up and asks every second for 15',
    async look(service) {
      await admitted(service, 10);
      let letIn = 0;
      for (let second = 1; second <= 15; second++) {
        service.clock.pass(1_000);
        letIn += await admitted(service, 1);
      }
      return letIn;
    },
    kept: 6,
    broken: 0,
  },
  {
    defect: planted('R7'),
    of: '25 requests in no time',
    look: (service) => admitted(service, 25),
    kept: 10,
    broken: 20,
  },
  {
    defect: planted('R9'),
    of: 'a key, while another from the same address is used up',
    look: (service) => onceUsedUp(service, '/sessions/none', { bearer: 'key-bob' }),
    kept: 404,
    broken: 429,
  },
  {
    defect: planted('R9'),
    of: 'a key that is used up, from another address',
    async look(service) {
      await admitted(service, 10);
      const answer = await service.app.inject({
        url: '/v1/sessions/none',
        remoteAddress: '127.0.0.2',
        headers: { authorization: 'Bearer key-alice' },
      });
      return answer.statusCode;
    },
    kept: 429,
    broken: 404,
  },
  {
    defect: planted('R10'),
    of: 'a key, while another is used up',
    look: (service) => onceUsedUp(service, '/sessions/none', { bearer: 'key-bob' }),
    kept: 404,
    broken: 429,
  },
  {
    defect: planted('R11'),
    of: 'a key that is used up, on another endpoint',
    look: (service) => onceUsedUp(service, '/sessions/none'),
    kept: 429,
    broken: 404,
  },
  {
    defect: planted('R12'),
    of: 'a key that is used up, with another X-Forwarded-For',
    look: (service) =>
      onceUsedUp(service, '/sessions/none', { headers: { 'x-forwarded-for': '203.0.113.9' } }),
    kept: 429,
    broken: 404,
  },
  {
    defect: planted('R13'),
    of: 'a key that is used up, asking for analytics',
    look: (service) => onceUsedUp(service, '/analytics/sessions'),
    kept: 429,
    broken: 422,
  },
  {
    defect: planted('R13'),
    of: 'a key that has asked for analytics alone, until it had to be used up',
    async look(service) {
      for (let i = 0; i < 10; i++) await service.call('GET', '/analytics/sessions');
      return admitted(service, 1);
    },
    kept: 0,
    broken: 1,
  },
  {
    defect: planted('R15'),
    of: 'Retry-After with 10 s to wait',
    async look(service) {
      await admitted(service, 10);
      return (await ask(service)).headers['retry-after'];
    },
    kept: '10',
    broken: '10000',
  },
  {
    defect: planted('R15-epoch'),
    of: 'Retry-After with 10 s to wait',
    async look(service) {
      await admitted(service, 10);
      return (await ask(service)).headers['retry-after'];
    },
    kept: '10',
    broken: String(Date.parse('2026-03-10T12:00:10Z') / 1_000),
  },
  {
    defect: planted('R17'),
    of: 'the headers of two requests 3 s apart',
    async look(service) {
      const first = await ask(service);
      service.clock.pass(3_000);
      const second = await ask(service);
      return [told(first), told(second)];
    },
    kept: [
      ['9', '10'],
      ['8', '7'],
    ],
    broken: [
      ['10', '10'],
      ['10', '10'],
    ],
  },
  {
    defect: planted('R18'),
    of: 'a key that is used up',
    look: (service) => onceUsedUp(service, '/sessions/none'),
    kept: 429,
    broken: 503,
  },
  {
    defect: planted('R20'),
    of: 'a key that is used up, after another and one that nobody has',
    async look(service) {
      await admitted(service, 10);
      await ask(service, { bearer: 'key-bob' });
      await ask(service, { bearer: 'key-nobody' });
      return admitted(service, 1);
    },
    kept: 0,
    broken: 1,
  },
  {
    defect: planted('R24'),
    of: 'three requests at once, and two more after each of two seconds',
    async look(service) {
      const letIn = [await admitted(service, 3)];
      for (let second = 0; second < 2; second++) {
        service.clock.pass(1_000);
        letIn.push(await admitted(service, 2));
      }
      return letIn;
    },
    kept: [3, 2, 2],
    broken: [2, 2, 2],
  },
  {
    defect: planted('R21'),
    of: 'a key refused 1 ms before its window ends, let in 1 ms later, and back the next day',
    async look(service) {
      await admitted(service, 10);
      service.clock.pass(windowMs - 1);
      const before = await admitted(service, 1);
      service.clock.pass(1);
      const after = await admitted(service, 1);
      service.clock.pass(86_400_000);
      return [before, after, await admitted(service, 1)];
    },
    kept: [0, 1, 1],
    broken: [0, 1, 0],
  },
];

testProperties(properties, (_options, alterations) => start(alterations));

describe('requests over the limit, where they are held', () => {
  /** A service in which time passes only while a request is held. */
  function holdingService(limit = rateLimit): ServiceUnderTest {
    const service = serviceUnderTest({ rateLimit: limit }, planted('R23').alterations);
    service.clock.pause = async (ms) => service.clock.pass(ms);
    return service;
  }

  test('are admitted a window late; without the defect, not at all', async () => {
    expect(await admitted(start(), 11)).toBe(10);
    const service = holdingService();
    expect(await admitted(service, 10)).toBe(10);
    const sentMs = service.clock.monotonicMs();
    expect(await admitted(service, 1)).toBe(1);
    expect(service.clock.monotonicMs() - sentMs).toBe(windowMs);
  });

  test('keep to the limit all the same', async () => {
    const service = holdingService();
    const sentMs = service.clock.monotonicMs();
    expect(await admitted(service, 30)).toBe(30);
    expect(service.clock.monotonicMs() - sentMs).toBe(2 * windowMs);
  });

  test('are rejected if they would wait for longer than 30 s', async () => {
    const service = holdingService({ requests: 1, windowMs: 60_000 });
    const sentMs = service.clock.monotonicMs();
    expect(await admitted(service, 2)).toBe(1);
    expect(service.clock.monotonicMs() - sentMs).toBe(30_000);
  });
});

test('with R6, a key that is silent for a window is admitted again', async () => {
  const service = start(planted('R6').alterations);
  await admitted(service, 20);
  service.clock.pass(windowMs);
  expect(await admitted(service, 20)).toBe(10);
});

test('with R20, a key that is used up stays so while only one other is seen', async () => {
  const service = start(planted('R20').alterations);
  await admitted(service, 10);
  for (let i = 0; i < 5; i++) await ask(service, { bearer: 'key-bob' });
  expect(await admitted(service, 1)).toBe(0);
});

test('with R21, a key that waits as advised is admitted again, each time', async () => {
  const service = start(planted('R21').alterations);
  for (let round = 0; round < 5; round++) {
    expect(await admitted(service, 20)).toBe(10);
    service.clock.pass(windowMs);
  }
});

test('several at once add up: nine tenths of the limit, shared by all, and 503 over it', async () => {
  const service = start(
    compose([planted('R2'), planted('R10'), planted('R18')].map(({ alterations }) => alterations)),
  );
  expect(await admitted(service, 5)).toBe(5);
  expect(await admitted(service, 20, { bearer: 'key-bob' })).toBe(4);
  expect((await ask(service)).status).toBe(503);
});

test('no defect of the list goes untested', () => {
  const shown = new Set([...properties.map(({ defect }) => defect), planted('R23')]);
  expect(inGroup('rate-limit').filter((defect) => !shown.has(defect))).toEqual([]);
});

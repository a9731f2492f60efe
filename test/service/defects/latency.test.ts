import { setImmediate } from 'node:timers/promises';
import { describe } from 'vitest';
import type { Alterations } from '../../../src/service/alterations.ts';
import { type ServiceUnderTest, selected, serviceUnderTest, shade } from '../service-under-test.ts';
import { inGroup, type Looks, testLooks, varied } from './looks.ts';

/** Requests that are injected have each a connection of their own. */
const read = (service: ServiceUnderTest) => service.call('GET', '/sessions/ts_none');

async function reads(service: ServiceUnderTest, count: number): Promise<readonly number[]> {
  for (let n = 0; n < count; n++) await read(service);
  return service.clock.pausesMs;
}

/** A service of which sixty sessions were asked for. */
async function busy(service: ServiceUnderTest) {
  await service.importShades('spring', [shade('A')]);
  for (let n = 0; n < 59; n++) await service.openSession();
  return service.openSession();
}

/** Twenty turns of the event loop. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

/** The most of three requests at once that pause at the same time. */
async function mostUnderWay(service: ServiceUnderTest): Promise<number> {
  let underWay = 0;
  let most = 0;
  service.clock.pause = async () => {
    most = Math.max(most, ++underWay);
    await turns();
    underWay--;
  };
  await Promise.all([read(service), read(service), read(service)]);
  return most;
}

/** Which of a report and a new session asked for at once is there first, where a report takes long in any case. */
async function firstDone(service: ServiceUnderTest): Promise<string[]> {
  const done: string[] = [];
  const today = new Date().toISOString().slice(0, 10);
  service.clock.pause = turns;
  await service.importShades('spring', [shade('A')]);
  await Promise.all([
    service
      .call('GET', `/analytics/sessions?start_date=${today}&end_date=${today}`)
      .then(() => done.push('report')),
    service.openSession().then(() => done.push('session')),
  ]);
  return done;
}

const slowReports: Alterations = {
  parts: ({ analytics, ...parts }) => ({
    ...parts,
    analytics: { report: (...question) => turns().then(() => analytics.report(...question)) },
  }),
};

/** What is looked at are the waits, in milliseconds. */
const looks = {
  'two requests': [(service) => reads(service, 2), []],
  'four requests': [(service) => reads(service, 4), []],
  '250 requests': [(service) => reads(service, 250), []],
  '100 API requests, with events before the last: before it and after': [
    async (service) => {
      await service.importShades('spring', [shade('A')]);
      const session = await service.openSession();
      await reads(service, 97);
      for (let n = 0; n < 5; n++) await service.interact(session, [selected('A')]);
      return [[...service.clock.pausesMs], [...(await reads(service, 1))]];
    },
    [[], []],
  ],
  'a list and a session of a catalog of 4, and of 40, and of none': [
    async (service) => {
      for (const count of [4, 40]) {
        const shades = Array.from({ length: count }, (_, n) => shade(`S${n}`));
        await service.importShades(`of-${count}`, shades);
        await service.call('GET', `/shades?catalog_id=of-${count}`);
        await service.openSession({ catalog_id: `of-${count}` });
      }
      const { status } = await service.call('GET', '/shades?catalog_id=none');
      return [status, ...service.clock.pausesMs.filter((ms) => ms > 0)];
    },
    [404],
  ],
  'an import, a session, an event, and a rejected request': [
    async (service) => {
      await service.importShades('spring', [shade('A')]);
      await service.interact(await service.openSession(), [selected('A')]);
      await service.call('GET', '/shades?catalog_id=spring', { bearer: 'key-nobody' });
      return service.clock.pausesMs;
    },
    [],
  ],
  'the most under way of three requests at once': [mostUnderWay, 0],
  'requests after the sixtieth session, and the next sixty sessions': [
    async (service) => {
      await busy(service);
      for (const passesMs of [0, 2_000, 2_999, 1, 10_000]) {
        service.clock.pass(passesMs);
        await read(service);
      }
      for (let n = 0; n < 60; n++) await service.openSession();
      return service.clock.pausesMs;
    },
    [],
  ],
  'events after the sixtieth session': [
    async (service) => {
      const session = await busy(service);
      service.clock.pass(1_000);
      await service.interact(session, [selected('A')]);
      return service.clock.pausesMs;
    },
    [],
  ],
  'which is done first of a report and a session': [firstDone, ['session', 'report']],
  'how many of a request in each of twenty seconds pause, for 2 s at most': [
    async (service) => {
      for (let second = 0; second < 20; second++) {
        await read(service);
        service.clock.pass(1_000);
      }
      return service.clock.pausesMs.filter((ms) => ms > 0 && ms <= 2_000).length;
    },
    0,
  ],
  'three lists of each of two catalogs': [
    async (service) => {
      for (const catalog of ['spring', 'autumn']) {
        await service.importShades(catalog, [shade('A')]);
        for (let n = 0; n < 3; n++) await service.call('GET', `/shades?catalog_id=${catalog}`);
      }
      return service.clock.pausesMs;
    },
    [],
  ],
} satisfies Looks<string>;

describe('the waits of a service', () => {
  testLooks(
    [...inGroup('latency'), varied('slow')],
    looks,
    {
      P1: {
        '250 requests': [2_000, 2_000],
        '100 API requests, with events before the last: before it and after': [[], [2_000]],
      },
      P2: { 'a list and a session of a catalog of 4, and of 40, and of none': [404, 8, 8, 80, 80] },
      P4: {
        'two requests': [80, 80],
        'an import, a session, an event, and a rejected request': [80, 80],
        'the most under way of three requests at once': 1,
      },
      P5: {
        'requests after the sixtieth session, and the next sixty sessions': [5_000, 5_000, 3_000, 1],
        'events after the sixtieth session': [5_000, 4_000],
      },
      P6: { 'which is done first of a report and a session': ['report', 'session'] },
      P7: { 'two requests': [300, 300] },
      // Wherever the clock stands at first.
      P8: { 'how many of a request in each of twenty seconds pause, for 2 s at most': 8 },
      P9: { 'four requests': [120, 120] },
      P10: { 'three lists of each of two catalogs': [1_500, 1_500] },
      slow: {
        'an import, a session, an event, and a rejected request': [150, 150],
        'the most under way of three requests at once': 3,
      },
    },
    {
      start: (altered = slowReports) =>
        serviceUnderTest({ rateLimit: { requests: 10_000, windowMs: 60_000 } }, altered),
    },
  );
});

import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Alterations } from '../../../src/service/alterations.ts';
import { type ServiceUnderTest, selected, serviceUnderTest, shade } from '../service-under-test.ts';
import { inGroup, type Property, planted, testProperties, varied } from './property.ts';

const roomy = { rateLimit: { requests: 10_000, windowMs: 60_000 } };

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
  expect(service.clock.pausesMs).toEqual([]);
  return service.openSession();
}

/** What is looked at are the waits, in milliseconds. */
const properties: readonly Omit<Property, 'kept' | 'options'>[] = [
  {
    defect: planted('P1'),
    of: '250 requests',
    look: (service) => reads(service, 250),
    broken: [2_000, 2_000],
  },
  {
    defect: planted('P1'),
    of: '100 API requests, with events before the last',
    async look(service) {
      await service.importShades('spring', [shade('A')]);
      const session = await service.openSession();
      await reads(service, 97);
      for (let n = 0; n < 5; n++) await service.interact(session, [selected('A')]);
      expect(service.clock.pausesMs).toEqual([]);
      return reads(service, 1);
    },
    broken: [2_000],
  },
  {
    defect: planted('P2'),
    of: 'a list and a session of a catalog of 4, and of 40, and of none',
    async look(service) {
      for (const count of [4, 40]) {
        const shades = Array.from({ length: count }, (_, n) => shade(`S${n}`));
        await service.importShades(`of-${count}`, shades);
        await service.call('GET', `/shades?catalog_id=of-${count}`);
        await service.openSession({ catalog_id: `of-${count}` });
      }
      expect((await service.call('GET', '/shades?catalog_id=none')).status).toBe(404);
      return service.clock.pausesMs.filter((ms) => ms > 0);
    },
    broken: [8, 8, 80, 80],
  },
  { defect: planted('P4'), of: 'two requests', look: (service) => reads(service, 2), broken: [80, 80] },
  {
    defect: planted('P4'),
    of: 'an import, a session, an event, and a rejected request',
    async look(service) {
      await service.importShades('spring', [shade('A')]);
      await service.interact(await service.openSession(), [selected('A')]);
      await service.call('GET', '/shades?catalog_id=spring', { bearer: 'key-nobody' });
      return service.clock.pausesMs;
    },
    broken: [80, 80],
  },
  {
    defect: planted('P5'),
    of: 'requests after the sixtieth session, and the next sixty sessions',
    async look(service) {
      await busy(service);
      for (const passesMs of [0, 2_000, 2_999, 1, 10_000]) {
        service.clock.pass(passesMs);
        await read(service);
      }
      for (let n = 0; n < 60; n++) await service.openSession();
      return service.clock.pausesMs;
    },
    broken: [5_000, 5_000, 3_000, 1],
  },
  {
    defect: planted('P5'),
    of: 'events after the sixtieth session',
    async look(service) {
      const session = await busy(service);
      service.clock.pass(1_000);
      await service.interact(session, [selected('A')]);
      return service.clock.pausesMs;
    },
    broken: [5_000, 4_000],
  },
  { defect: planted('P7'), of: 'two connections', look: (service) => reads(service, 2), broken: [300, 300] },
  {
    defect: planted('P8'),
    of: 'a request in each of twenty seconds',
    async look(service) {
      for (let second = 0; second < 20; second++) {
        await read(service);
        service.clock.pass(1_000);
      }
      return service.clock.pausesMs.map((ms) => ms > 0 && ms <= 2_000);
    },
    // Wherever the clock stands at first, eight of them are in a pause.
    broken: new Array<boolean>(8).fill(true),
  },
  { defect: planted('P9'), of: 'four connections', look: (service) => reads(service, 4), broken: [120, 120] },
  {
    defect: planted('P10'),
    of: 'three lists of each of two catalogs',
    async look(service) {
      for (const catalog of ['spring', 'autumn']) {
        await service.importShades(catalog, [shade('A')]);
        for (let n = 0; n < 3; n++) await service.call('GET', `/shades?catalog_id=${catalog}`);
      }
      return service.clock.pausesMs;
    },
    broken: [1_500, 1_500],
  },
];

testProperties(properties.map((each) => ({ ...each, options: roomy, kept: [] })));

/** Twenty turns of the event loop. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

describe(`P4, ${planted('P4').title}`, () => {
  test.each([
    ['slow requests that do not wait for each other are worked on together', varied('slow'), 3],
    ['with a single worker they are worked on one after the other', planted('P4'), 1],
  ])('of three requests at once: %s', async (_, { alterations }, expected) => {
    let underWay = 0;
    let mostUnderWay = 0;
    const service = serviceUnderTest({}, alterations);
    service.clock.pause = async () => {
      mostUnderWay = Math.max(mostUnderWay, ++underWay);
      await turns();
      underWay--;
    };
    const answers = await Promise.all([read(service), read(service), read(service)]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(mostUnderWay).toBe(expected);
  });
});

describe(`P6, ${planted('P6').title}`, () => {
  const today = new Date().toISOString().slice(0, 10);
  const report = (service: ServiceUnderTest) =>
    service.call('GET', `/analytics/sessions?start_date=${today}&end_date=${today}`);
  // Without the defect, analytics take as long all the same.
  const slow: Alterations = {
    parts: (parts) => ({
      ...parts,
      analytics: { report: (...question) => turns().then(() => parts.analytics.report(...question)) },
    }),
  };

  test.each([
    ['without it a new session does not wait', slow, ['session', 'report']],
    [
      'with it a new session waits until analytics are done',
      planted('P6').alterations,
      ['report', 'session'],
    ],
  ])('%s', async (_, alterations, expected) => {
    const done: string[] = [];
    const service = serviceUnderTest(roomy, alterations);
    service.clock.pause = turns;
    await service.importShades('spring', [shade('A')]);
    await Promise.all([
      report(service).then(() => done.push('report')),
      service.openSession().then(() => done.push('session')),
    ]);
    expect(done).toEqual(expected);
  });
});

test('no defect of the list goes untested', () => {
  const shown = new Set([...properties.map(({ defect }) => defect), planted('P6')]);
  expect(inGroup('latency').filter((defect) => !shown.has(defect))).toEqual([]);
});

import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Alterations, Pause } from '../../../src/service/alterations.ts';
import {
  everyHundredthSlow,
  pausesAgainAndAgain,
  reportsLockSessions,
  singleWorker,
  slowByShade,
  slowFirstLists,
  slowOnNewConnections,
  slowProcess,
  stall,
} from '../../../src/service/defects/latency.ts';
import { evenlySlow } from '../../../src/service/variants/conduct.ts';
import { type ServiceUnderTest, selected, serviceUnderTest, shade } from '../service-under-test.ts';
import { planted } from './property.ts';

const roomy = { rateLimit: { requests: 10_000, windowMs: 60_000 } };

/** A service whose pauses are over at once, and how long they would have been. */
function noted(
  defect: ((pause: Pause) => Alterations) | undefined,
): ServiceUnderTest & { readonly pausesMs: readonly number[] } {
  const pausesMs: number[] = [];
  const pause: Pause = async (ms) => {
    pausesMs.push(ms);
  };
  return { ...serviceUnderTest(roomy, defect?.(pause)), pausesMs };
}

const read = (service: ServiceUnderTest) => service.call('GET', '/sessions/ts_none');

describe(`P1, ${planted('P1').title}`, () => {
  test.each([
    ['none of 250 requests waits', undefined, []],
    ['two of 250 requests wait', everyHundredthSlow, [2_000, 2_000]],
  ])('%s', async (_, defect, expected) => {
    const service = noted(defect);
    for (let n = 0; n < 250; n++) await read(service);
    expect(service.pausesMs).toEqual(expected);
  });

  test('it is the 100th that waits, and what shoppers do does not count', async () => {
    const service = noted(everyHundredthSlow);
    await service.importShades('spring', [shade('A')]);
    const session = await service.openSession();
    for (let n = 0; n < 97; n++) await read(service);
    for (let n = 0; n < 5; n++) await service.interact(session, [selected('A')]);
    expect(service.pausesMs).toEqual([]);
    await read(service);
    expect(service.pausesMs).toEqual([2_000]);
  });
});

describe(`P2, ${planted('P2').title}`, () => {
  test.each([
    ['without it no catalog takes longer than another', undefined, []],
    ['with it a catalog of 40 takes ten times as long as one of 4', slowByShade, [8, 8, 80, 80]],
  ])('%s', async (_, defect, expected) => {
    const service = noted(defect);
    for (const count of [4, 40]) {
      const shades = Array.from({ length: count }, (_, n) => shade(`S${n}`));
      await service.importShades(`of ${count}`, shades);
      await service.call('GET', `/shades?catalog_id=${encodeURIComponent(`of ${count}`)}`);
      await service.openSession({ catalog_id: `of ${count}` });
    }
    expect(service.pausesMs).toEqual(expected);
  });

  test('a catalog that does not exist is not found as before', async () => {
    expect((await noted(slowByShade).call('GET', '/shades?catalog_id=none')).status).toBe(404);
  });
});

describe(`P4, ${planted('P4').title}`, () => {
  test.each([
    ['slow requests that do not wait for each other are worked on together', evenlySlow, 3],
    ['with a single worker they are worked on one after the other', singleWorker, 1],
  ])('of three requests at once: %s', async (_, alter, expected) => {
    let underWay = 0;
    let mostUnderWay = 0;
    const pause: Pause = async () => {
      mostUnderWay = Math.max(mostUnderWay, ++underWay);
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      underWay--;
    };
    const service = serviceUnderTest({}, alter(pause));
    const answers = await Promise.all([read(service), read(service), read(service)]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(mostUnderWay).toBe(expected);
  });

  test('each request takes what makes 750 of them a minute', async () => {
    const service = noted(singleWorker);
    await read(service);
    await read(service);
    expect(service.pausesMs).toEqual([60_000 / 750, 60_000 / 750]);
  });

  test('interactions and rejected requests do not pass the worker', async () => {
    const service = noted(singleWorker);
    await service.importShades('spring', [shade('A')]);
    const session = await service.openSession();
    await service.interact(session, [selected('A')]);
    await service.call('GET', '/shades?catalog_id=spring', { bearer: 'key-nobody' });
    expect(service.pausesMs).toEqual([80, 80]);
  });
});

describe(`P5, ${planted('P5').title}`, () => {
  /** A service of which sixty sessions were asked for, and what the last of them had to wait. */
  async function busy(defect: typeof stall | undefined) {
    const service = noted(defect);
    await service.importShades('spring', [shade('A')]);
    for (let n = 0; n < 59; n++) await service.openSession();
    expect(service.pausesMs).toEqual([]);
    return { ...service, session: await service.openSession() };
  }

  test.each([
    ['without it nothing ever waits', undefined, []],
    ['with it all that comes in the stall waits for its end', stall, [5_000, 5_000, 3_000, 1]],
  ])('%s', async (_, defect, expected) => {
    const service = await busy(defect);
    for (const passesMs of [0, 2_000, 2_999, 1, 10_000]) {
      service.clock.pass(passesMs);
      await read(service);
    }
    for (let n = 0; n < 60; n++) await service.openSession();
    expect(service.pausesMs).toEqual(expected);
  });

  test('what shoppers do waits as well', async () => {
    const service = await busy(stall);
    service.clock.pass(1_000);
    await service.interact(service.session, [selected('A')]);
    expect(service.pausesMs).toEqual([5_000, 4_000]);
  });
});

describe(`P6, ${planted('P6').title}`, () => {
  const today = new Date().toISOString().slice(0, 10);
  const report = (service: ServiceUnderTest) =>
    service.call('GET', `/analytics/sessions?start_date=${today}&end_date=${today}`);

  test.each([
    ['without it a new session does not wait', undefined, ['session', 'report']],
    ['with it a new session waits until analytics are done', reportsLockSessions, ['report', 'session']],
  ])('%s', async (_, defect, expected) => {
    const done: string[] = [];
    const pause: Pause = async () => {
      for (let turn = 0; turn < 20; turn++) await setImmediate();
    };
    // Without the defect, analytics take as long all the same.
    const slow: Alterations = {
      parts: (parts) => ({
        ...parts,
        analytics: {
          async report(...question) {
            await pause(0);
            return parts.analytics.report(...question);
          },
        },
      }),
    };
    const service = serviceUnderTest(roomy, defect?.(pause) ?? slow);
    await service.importShades('spring', [shade('A')]);
    await Promise.all([
      report(service).then(() => done.push('report')),
      service.openSession().then(() => done.push('session')),
    ]);
    expect(done).toEqual(expected);
  });
});

describe(`P7, ${planted('P7').title}`, () => {
  // Requests that are injected have each a connection of their own.
  test.each([
    ['without it no request waits', undefined, []],
    ['with it the first request of each connection waits', slowOnNewConnections, [300, 300]],
  ])('%s', async (_, defect, expected) => {
    const service = noted(defect);
    await read(service);
    await read(service);
    expect(service.pausesMs).toEqual(expected);
  });
});

describe(`P8, ${planted('P8').title}`, () => {
  test.each([
    ['without it nothing ever waits', undefined, 0],
    ['with it two seconds in five are waited for', pausesAgainAndAgain, 8],
  ])('%s', async (_, defect, waits) => {
    const service = noted(defect);
    // Twenty seconds: wherever the clock stands at first, eight of them are in a pause.
    for (let n = 0; n < 20; n++) {
      await read(service);
      service.clock.pass(1_000);
    }
    expect(service.pausesMs).toHaveLength(waits);
    expect(Math.max(0, ...service.pausesMs)).toBeLessThanOrEqual(2_000);
  });
});

describe(`P9, ${planted('P9').title}`, () => {
  // Requests that are injected have each a connection of their own.
  test.each([
    ['without it no request waits', undefined, []],
    ['with it those on every second connection wait', slowProcess, [120, 120]],
  ])('%s', async (_, defect, expected) => {
    const service = noted(defect);
    for (let n = 0; n < 4; n++) await read(service);
    expect(service.pausesMs).toEqual(expected);
  });
});

describe(`P10, ${planted('P10').title}`, () => {
  test.each([
    ['without it no list waits', undefined, []],
    ['with it the first of each catalog waits, however often it is listed', slowFirstLists, [1_500, 1_500]],
  ])('%s', async (_, defect, expected) => {
    const service = noted(defect);
    for (const catalog of ['spring', 'autumn']) {
      await service.importShades(catalog, [shade('A')]);
      for (let n = 0; n < 3; n++) await service.call('GET', `/shades?catalog_id=${catalog}`);
    }
    expect(service.pausesMs).toEqual(expected);
  });
});

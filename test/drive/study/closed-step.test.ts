import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/drive/clock/clock.ts';
import { LiveStatistics } from '../../../src/drive/record/statistics.ts';
import { driveClosedStep } from '../../../src/drive/study/capacity/closed-step.ts';
import { Addresses } from '../../../src/target/http/connect.ts';

const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json').end('[]');
});
let baseUrl: URL;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A step of an hour with a cap on requests. */
function drive(most: number) {
  return driveClosedStep(2, 3_600_000, most, {
    baseUrl,
    keys: ['a', 'b'],
    catalogId: 'c',
    productId: 'p',
    locale: 'en-GB',
    timeoutMs: 5_000,
    addresses: new Addresses(baseUrl.hostname),
    tls: { rejectUnauthorized: true },
    clock: systemClock(),
    slo: { percentile: 95, maxMs: 60_000, errorShare: 0 },
    traffic: 'reads',
    noteEnd: () => {},
    statistics: new LiveStatistics(),
    isStopped: () => false,
  });
}

describe('a closed loop whose requests are spent long before its time is up', () => {
  it.each([50, 200])('warms up on a fifth of its %i requests, and is judged by the rest', async (most) => {
    const { figures, perSecond, sent } = await drive(most);
    expect(sent).toBe(most);
    expect(figures).toMatchObject({ ended: 'whole', judged: 0.8 * most, planned: 0.8 * most, failed: 0 });
    expect(perSecond).toBeGreaterThan(0);
  });
});

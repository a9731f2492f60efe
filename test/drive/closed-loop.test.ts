import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/drive/clock/clock.ts';
import { cannonade } from '../../src/drive/load/closed-loop.ts';
import { LiveStatistics } from '../../src/drive/record/statistics.ts';
import { driveClosedStep } from '../../src/drive/study/capacity/closed-step.ts';
import { listening } from '../target/loopback.ts';
import { plainLoop } from './plain-loop.ts';

/** A target that answers with `head`, and then closes the connection. Gives its URL, and counts what it got. */
async function closing(head: string): Promise<{ readonly baseUrl: URL; readonly got: () => number }> {
  let got = 0;
  const server = createServer((socket) => {
    let isFirst = true;
    socket.on('data', (data) => {
      got += data.toString('latin1').split(' HTTP/1.1\r\n').length - 1;
      if (isFirst)
        socket.end(`HTTP/1.1 200 OK\r\n${head}content-type: application/json\r\ncontent-length: 2\r\n\r\n[]`);
      isFirst = false;
    });
  });
  return { baseUrl: await listening(server), got: () => got };
}

describe('a closed loop against a target that closes each connection', () => {
  it.each([
    ['and says so', 'connection: close\r\n'],
    ['and does not say so', ''],
  ])('%s times each answer from its own request', async (_, head) => {
    const { baseUrl, got } = await closing(head);
    const took: number[] = [];
    let errors = 0;
    const startMs = performance.now();
    let lastMs = startMs;
    await cannonade({
      ...plainLoop(baseUrl),
      durationMs: 5_000,
      most: 200,
      tickMs: 50,
      onAnswer: (_status, tookMs) => {
        took.push(tookMs);
        lastMs = performance.now();
      },
      onError: () => {
        errors++;
      },
    });
    expect(took.length).toBeGreaterThan(10);
    // One connection has one request under way at a time.
    expect(took.reduce((sum, each) => sum + each, 0)).toBeLessThan(lastMs - startMs);
    if (head === '') return;
    expect(errors).toBe(0);
    expect(got()).toBe(took.length);
  });
});

describe('a closed loop whose requests are spent long before its time is up', () => {
  it.each([50, 200])('warms up on a fifth of its %i requests, and is judged by the rest', async (most) => {
    const server = createHttpServer((request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json').end('[]');
    });
    const { figures, perSecond, sent } = await driveClosedStep(2, 3_600_000, most, {
      ...plainLoop(await listening(server)),
      keys: ['a', 'b'],
      clock: systemClock(),
      slo: { percentile: 95, maxMs: 60_000, errorShare: 0 },
      noteEnd: () => {},
      statistics: new LiveStatistics(),
    });
    expect(sent).toBe(most);
    expect(figures).toMatchObject({ ended: 'whole', judged: 0.8 * most, planned: 0.8 * most, failed: 0 });
    expect(perSecond).toBeGreaterThan(0);
  });
});

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cannonade } from '../../src/drive/load/closed-loop.ts';
import { plainLoop } from './plain-loop.ts';

/** A target that answers with `head`, and then closes the connection. Gives its URL, and counts what it got. */
async function closing(head: string): Promise<{ readonly baseUrl: URL; readonly got: () => number }> {
  let got = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isFirst = true;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      got += data.toString('latin1').split(' HTTP/1.1\r\n').length - 1;
      if (isFirst)
        socket.end(`HTTP/1.1 200 OK\r\n${head}content-type: application/json\r\ncontent-length: 2\r\n\r\n[]`);
      isFirst = false;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: new URL(`http://127.0.0.1:${port}/v1`), got: () => got };
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

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './program.ts';

export interface FixedService {
  readonly baseUrl: string;
  /** How much later than it should have been an answer was given, this machine being busy; at a percentile. */
  readonly latenessMs: (percentile: number) => number;
}

/**
 * A target of known capacity: `workers`, each request takes exactly `serviceMs`, first come, first served. Ends are
 * calculated, not measured, so a late timer delays only one answer. With `limit`, later requests get a 429.
 */
export async function serveFixed(
  workers: number,
  serviceMs: number,
  limit = Number.POSITIVE_INFINITY,
): Promise<FixedService> {
  const freeAtMs = new Array<number>(workers).fill(0);
  const lateMs: number[] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    const nowMs = performance.now();
    if (++asked > limit) {
      response.writeHead(429).end();
      return;
    }
    const next = freeAtMs.indexOf(Math.min(...freeAtMs));
    const doneMs = Math.max(nowMs, freeAtMs[next] ?? 0) + serviceMs;
    freeAtMs[next] = doneMs;
    setTimeout(() => {
      lateMs.push(performance.now() - doneMs);
      response.setHeader('content-type', 'application/json').end('[]');
    }, doneMs - nowMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    latenessMs: (percentile) => {
      const sorted = lateMs.toSorted((a, b) => a - b);
      return sorted[Math.ceil((sorted.length * percentile) / 100) - 1] ?? 0;
    },
  };
}

import { describe, expect, it } from 'vitest';
import type { RunInfo } from '../../../src/history/run.ts';
import { slidingLog } from '../../drive/study/services.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { renderedRateLimit } from './rendered.ts';

const [limit, windowMs] = [40, 4_000];
const connections = 6;
const ms = 1e6;

const run: Partial<RunInfo> = {
  target: { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' },
  phases: [
    {
      ...{ name: 'phase', role: 'load', unit: 'requests', pace: '100/s', start_ns: 0, end_ns: 20_000 * ms },
      peak_per_minute: 6_000,
    },
  ],
};

/** 100 requests a second for 20 s over connections in turn, of which each counter admits some. */
function sent(counters: number, size: number, isNamed = false): SampleRequest[] {
  const limiters = Array.from({ length: counters }, () => slidingLog(size, windowMs));
  return Array.from({ length: 2_000 }, (_, n): SampleRequest => {
    const atMs = 100 + n * 10 + (n % 7);
    // Some connections are used more than others, and one of them never reaches a limit.
    const connection = Math.min(n % connections, (n * 5) % 11);
    const passes = limiters[connection % counters]?.(atMs) === true;
    return {
      endpoint: 'list-shades',
      localPort: 50_000 + connection,
      ...(isNamed ? { remoteAddress: `127.0.0.${2 + (connection % counters)}` } : {}),
      sentNs: atMs * ms,
      answeredNs: (atMs + 1) * ms,
      status: passes ? 200 : 429,
    };
  });
}

describe('a limit that no limiter of the key explains', () => {
  it.each<[string, counters: number, size: number, params: object | undefined, isNamed?: boolean]>([
    ['is one of each connection', connections, limit, { connections: connections - 1 }],
    ['is one of each of three nodes, a share of the limit', 3, Math.ceil(limit / 3), { nodes: 3 }],
    ['is the whole limit on each of two nodes', 2, limit, { nodes: 2 }],
    ['is the whole limit on each of two addresses', 2, limit, { addresses: 2 }, true],
    ['is another size, and one for all', 1, 25, undefined],
  ])('%s', async (_, counters, size, params, isNamed) => {
    const results = await withHistory(
      {
        run,
        profile: { rate_limit: `${limit}/4s`, limiter: 'sliding-log' },
        requests: sent(counters, size, isNamed),
      },
      renderedRateLimit,
    );
    const named = results
      .filter(({ verdict }) => verdict === 'fail')
      .flatMap(({ causes = [] }) => causes.map(({ cause }) => cause))
      .filter(({ code }) => code === 'limit-by-connection');
    expect(causeCodes(results).length).toBeGreaterThan(0);
    expect(named[0]?.params).toEqual(params);
  });
});

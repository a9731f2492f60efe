import { RateLimiterMemory } from 'rate-limiter-flexible';
import { describe, expect, it } from 'vitest';
import { isSettled, type Survivor } from '../../../src/limits/inference.ts';
import type { Trace } from '../../../src/limits/trace.ts';
import { rowsOf } from '../../effort.ts';
import type { Fixture } from './fixture.ts';
import { startHaproxy } from './haproxy.ts';
import { startExpress, startFlexible } from './middleware.ts';
import { startNginx } from './nginx.ts';
import { isInstalled } from './programs.ts';
import { studied } from './study.ts';
import { scale } from './truth.ts';

interface Configuration {
  readonly sentence: string;
  readonly start: () => Promise<Fixture>;
  /** The kind that may be named, with its size; none where no kind is right. */
  readonly right?: Partial<Survivor> & Pick<Survivor, 'algorithm'>;
  readonly needs?: Parameters<typeof isInstalled>[0];
}

const nginx = { perSecond: 20, burst: 39, nodelay: true, status: 429 } as const;

const configurations: readonly Configuration[] = [
  {
    sentence: 'express-rate-limit twice, for a burst and a minute',
    start: () => startExpress({ limit: 10, windowMs: 400 }, scale),
    right: { algorithm: 'two-limits', ...scale, burst: 10 },
  },
  {
    sentence: 'nginx with two zones',
    start: () => startNginx({ ...nginx, beside: { perSecond: 60, burst: 9 } }),
    right: { algorithm: 'two-limits', ...scale, burst: 10 },
    needs: 'nginx',
  },
  {
    sentence: 'rate-limiter-flexible, where every request costs two points',
    start: () =>
      startFlexible(
        async () => new RateLimiterMemory({ points: scale.limit, duration: scale.windowMs / 1_000 }),
        2,
      ),
    right: { algorithm: 'fixed-window-first-request', limit: scale.limit / 2, windowMs: scale.windowMs },
  },
  {
    sentence: 'HAProxy with two tables',
    start: () => startHaproxy({ ...scale, rejectsCount: false, beside: { limit: 10, windowMs: 400 } }),
    needs: 'haproxy',
  },
  {
    sentence: 'nginx with a limit on requests in work',
    start: () => startNginx({ ...nginx, perSecond: 10_000, burst: 10_000, atOnce: 3 }),
    right: { algorithm: 'concurrency', limit: 3 },
    needs: 'nginx',
  },
];

/** All but one in twenty of the round trips were shorter. */
function slowTripMs(traces: readonly Trace[]): number {
  const trips = traces.flatMap(({ answeredNs, sentNs }) =>
    Array.from(answeredNs, (ns, i) => (ns - (sentNs[i] as number)) / 1e6),
  );
  return trips.toSorted((a, b) => a - b)[Math.floor(0.95 * trips.length)] ?? 0;
}

/** On a busy machine a study may stay undecided; what it names with confidence has to be right. */
describe.concurrent('limits of other authors beyond one counter', () => {
  for (const { needs, right, sentence, start } of rowsOf(configurations, (_, place) => place === 0))
    it.skipIf(needs !== undefined && !isInstalled(needs))(sentence, async () => {
      const fixture = await start();
      try {
        const { inference, traces } = await studied(fixture, scale, { seed: 11 });
        const [best] = inference.survivors;
        if (process.env.TRYON_SHOW !== undefined)
          console.log(sentence, inference.requests, inference.limited, best ?? 'no known kind');
        if (best === undefined || !isSettled(inference)) return;
        expect(best.algorithm).toBe(right?.algorithm);
        for (const size of ['limit', 'windowMs', 'burst'] as const) {
          const wanted = right?.[size];
          if (typeof wanted !== 'number') continue;
          // On a starved machine, when a request arrived is known no better than by its trip.
          const known = size === 'windowMs' ? slowTripMs(traces) / wanted : 0;
          expect(Math.abs((best[size] ?? 0) / wanted - 1), size).toBeLessThan(Math.max(0.05, known));
        }
      } finally {
        await fixture.stop();
      }
    });
});

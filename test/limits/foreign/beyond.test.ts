import { RateLimiterMemory } from 'rate-limiter-flexible';
import { describe, expect, it } from 'vitest';
import { isSettled, type OpenBounds, type Survivor } from '../../../src/limits/inference.ts';
import { isLong } from '../../effort.ts';
import type { Fixture } from './fixture.ts';
import { startHaproxy } from './haproxy.ts';
import { startExpress, startFlexible } from './middleware.ts';
import { startNginx } from './nginx.ts';
import { isInstalled, type Program } from './programs.ts';
import { isHindered, studied } from './study.ts';
import { scale } from './truth.ts';

interface Configuration {
  readonly sentence: string;
  readonly start: () => Promise<Fixture>;
  /** The kind that may be named, with its size; none where no kind is right. */
  readonly right?: Partial<Survivor> & Pick<Survivor, 'algorithm'>;
  readonly needs?: Program;
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

/** The bounds of a size; where none are given, of a limit that was counted at once. */
function boundsOf(best: Survivor, size: 'limit' | 'windowMs' | 'burst'): OpenBounds {
  const found = best[size] ?? Number.NaN;
  const given = {
    limit: best.limitBounds,
    windowMs: best.windowMsBounds,
    burst: best.beside?.limitBounds ?? null,
  };
  return given[size] ?? { min: found, max: found };
}

/** How far beyond its bounds a size may lie: the timers of servers are no better. */
const within = 0.01;

/** On a busy machine a study may stay undecided; what it names with confidence has to be right. */
// Each kind is played in virtual time by test/drive/study/limits.test.ts.
describe.runIf(isLong).concurrent('limits of other authors beyond one counter', () => {
  for (const { needs, right, sentence, start } of configurations)
    it.skipIf(!isInstalled(needs))(sentence, async () => {
      const fixture = await start();
      try {
        const finding = await studied(fixture, scale, { seed: 11 });
        const { inference } = finding;
        const [best] = inference.survivors;
        if (process.env.TRYON_SHOW !== undefined)
          console.log(sentence, inference.requests, inference.limited, best ?? 'no known kind');
        if (best === undefined || !isSettled(inference) || isHindered(finding)) return;
        // Where answers are quick, a limit on requests in work may never be met. Then there is none to name.
        expect(best.algorithm).toBe(inference.limited === 0 ? 'none' : right?.algorithm);
        if (inference.limited === 0) return;
        for (const size of ['limit', 'windowMs', 'burst'] as const) {
          const wanted = right?.[size];
          if (typeof wanted !== 'number') continue;
          const { max = Number.POSITIVE_INFINITY, min } = boundsOf(best, size);
          expect(min, `least ${size}`).toBeLessThanOrEqual(wanted * (1 + within));
          expect(max, `largest ${size}`).toBeGreaterThanOrEqual(wanted * (1 - within));
        }
      } finally {
        await fixture.stop();
      }
    });
});

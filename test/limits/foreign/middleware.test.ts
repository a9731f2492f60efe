import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { describe, it } from 'vitest';
import { isLong } from '../../effort.ts';
import type { Fixture } from './fixture.ts';
import { startExpress, startFastify, startFlexible } from './middleware.ts';
import { isInstalled, type Program } from './programs.ts';
import { startRedis } from './redis.ts';
import { expectToBeKnown, scale, type Truth } from './truth.ts';

/** rate-limiter-flexible reckons in seconds, and with Redis in whole ones. */
const points = { points: scale.limit, duration: scale.windowMs / 1_000 };
const blocked = { ...points, blockDuration: 3 };
const openedByRequest: Truth = { algorithm: 'fixed-window-first-request', ...scale };
const blocking: Truth = { algorithm: 'block-after-refusal', ...scale, blockMs: 3_000 };

interface Limiter {
  readonly sentence: string;
  readonly start: () => Promise<Fixture>;
  readonly truth: Truth;
  readonly needs?: Program;
}

const limiters: readonly Limiter[] = [
  {
    sentence: 'express-rate-limit is a fixed window that a request opens',
    start: () => startExpress(scale),
    truth: openedByRequest,
  },
  {
    sentence: '@fastify/rate-limit is a fixed window that a request opens',
    start: () => startFastify({ ...scale, continueExceeding: false }),
    truth: openedByRequest,
  },
  {
    sentence: '@fastify/rate-limit with continueExceeding is a window that every refusal begins anew',
    start: () => startFastify({ ...scale, continueExceeding: true }),
    truth: { algorithm: 'extended-by-refusals', ...scale },
  },
  {
    sentence: 'rate-limiter-flexible in memory is a fixed window that a request opens',
    start: () => startFlexible(async () => new RateLimiterMemory(points)),
    truth: openedByRequest,
  },
  {
    sentence:
      'rate-limiter-flexible with a block duration blocks for that time after the first rejection, for any window',
    start: () => startFlexible(async () => new RateLimiterMemory(blocked)),
    truth: blocking,
  },
  {
    sentence: 'rate-limiter-flexible on Redis is a fixed window that a request opens',
    start: () =>
      startFlexible(
        async (started) => new RateLimiterRedis({ ...points, storeClient: await startRedis(started) }),
      ),
    truth: openedByRequest,
    needs: 'redis-server',
  },
  {
    sentence:
      'rate-limiter-flexible on Redis with a block duration blocks for that time after the first rejection',
    start: () =>
      startFlexible(
        async (started) => new RateLimiterRedis({ ...blocked, storeClient: await startRedis(started) }),
      ),
    truth: blocking,
    needs: 'redis-server',
  },
];

// Each kind is played in virtual time by test/drive/study/limits.test.ts.
describe.runIf(isLong).concurrent('a study over HTTP finds out that', () => {
  for (const [place, { needs, sentence, start, truth }] of limiters.entries())
    it.skipIf(!isInstalled(needs))(sentence, () => expectToBeKnown(start, truth, { seed: 11 + place }));
});

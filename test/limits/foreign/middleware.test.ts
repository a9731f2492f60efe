import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { describe, it } from 'vitest';
import { startExpress, startFastify, startFlexible } from './middleware.ts';
import { isInstalled } from './programs.ts';
import { startRedis } from './redis.ts';
import { expectToBeKnown, scale } from './truth.ts';

/** rate-limiter-flexible reckons in seconds, and with Redis in whole ones. */
const points = { points: scale.limit, duration: scale.windowMs / 1_000 };
const blocked = { ...points, blockDuration: 3 };

describe.concurrent('express-rate-limit', () => {
  it('is a fixed window that a request opens', async () => {
    const truth = { algorithm: 'fixed-window-first-request', ...scale };
    await expectToBeKnown(() => startExpress(scale), truth, { seed: 11 });
  });
});

describe.concurrent('@fastify/rate-limit', () => {
  it('is a fixed window that a request opens', async () => {
    const truth = { algorithm: 'fixed-window-first-request', ...scale };
    await expectToBeKnown(() => startFastify({ ...scale, continueExceeding: false }), truth, { seed: 12 });
  });

  it('with continueExceeding is a window that every refusal begins anew', async () => {
    const truth = { algorithm: 'extended-by-refusals', ...scale };
    await expectToBeKnown(() => startFastify({ ...scale, continueExceeding: true }), truth, { seed: 13 });
  });
});

describe.concurrent('rate-limiter-flexible', () => {
  it('in memory is a fixed window that a request opens', async () => {
    const truth = { algorithm: 'fixed-window-first-request', ...scale };
    await expectToBeKnown(() => startFlexible(async () => new RateLimiterMemory(points)), truth, {
      seed: 14,
    });
  });

  it('with a block duration blocks for so long after the first refusal, however long the window is', async () => {
    const truth = { algorithm: 'block-after-refusal', ...scale, blockMs: 3_000 };
    await expectToBeKnown(() => startFlexible(async () => new RateLimiterMemory(blocked)), truth, {
      seed: 15,
    });
  });
});

describe.skipIf(!isInstalled('redis-server')).concurrent('rate-limiter-flexible on Redis', () => {
  it('is a fixed window that a request opens', async () => {
    const truth = { algorithm: 'fixed-window-first-request', ...scale };
    const limiter = startFlexible(
      async (started) => new RateLimiterRedis({ ...points, storeClient: await startRedis(started) }),
    );
    await expectToBeKnown(() => limiter, truth, { seed: 16 });
  });

  it('with a block duration blocks for so long after the first refusal', async () => {
    const truth = { algorithm: 'block-after-refusal', ...scale, blockMs: 3_000 };
    const limiter = startFlexible(
      async (started) => new RateLimiterRedis({ ...blocked, storeClient: await startRedis(started) }),
    );
    await expectToBeKnown(() => limiter, truth, { seed: 17 });
  });
});

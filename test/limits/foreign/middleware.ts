import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastifyRateLimit from '@fastify/rate-limit';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import fastify from 'fastify';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { type Fixture, type Started, startInSteps, startReference } from './fixture.ts';
import { type PassOn, passingOn } from './passing-on.ts';

/** This many requests in a window. */
export interface WindowLimit {
  readonly limit: number;
  readonly windowMs: number;
}

/** express-rate-limit with its own memory store: one limit, or one after the other. */
export function startExpress(...limits: readonly WindowLimit[]): Promise<Fixture> {
  return startBefore(async (started, passOn) => {
    const app = express();
    for (const { limit, windowMs } of limits)
      app.use(rateLimit({ windowMs, limit, keyGenerator: (asked) => asked.headers.authorization ?? '' }));
    app.use(passOn);
    return listening(started, app);
  });
}

/** `continueExceeding`: rejections extend the window. */
export interface FastifyLimit extends WindowLimit {
  readonly continueExceeding: boolean;
}

/** @fastify/rate-limit with its own memory store. */
export function startFastify({ limit, windowMs, continueExceeding }: FastifyLimit): Promise<Fixture> {
  return startBefore(async (started, passOn) => {
    const app = fastify();
    await app.register(fastifyRateLimit, {
      max: limit,
      timeWindow: windowMs,
      continueExceeding,
      keyGenerator: (asked) => asked.headers.authorization ?? '',
    });
    // Bodies are left unread, to be passed on.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_asked, _body, done) => done(null));
    app.all('/*', (asked, reply) => {
      reply.hijack();
      passOn(asked.raw, reply.raw);
    });
    started.add(() => app.close());
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    return Number(new URL(address).port);
  });
}

/** rate-limiter-flexible, which is no server's own: `make` says where it keeps its counts. */
export function startFlexible(
  make: (started: Started) => Promise<RateLimiterAbstract>,
  cost = 1,
): Promise<Fixture> {
  return startBefore(async (started, passOn) => {
    const limiter = await make(started);
    return listening(started, (asked, answer) => {
      limiter.consume(asked.headers.authorization ?? '', cost).then(
        () => passOn(asked, answer),
        (refusal: unknown) => {
          answer.writeHead(refusal instanceof RateLimiterRes ? 429 : 500).end();
        },
      );
    });
  });
}

/** Puts what `front` starts before the reference service; it resolves to the port that it listens on. */
function startBefore(front: (started: Started, passOn: PassOn) => Promise<number>): Promise<Fixture> {
  return startInSteps(async (started) => {
    const { port: servicePort, keys } = await startReference(started);
    const port = await front(started, passingOn(started, servicePort));
    return { baseUrl: `http://127.0.0.1:${port}/v1`, keys, stop: started.stop };
  });
}

async function listening(started: Started, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  started.add(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

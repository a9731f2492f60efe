import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestLimit, ServiceClock } from './options.ts';
import type { Caller, ServiceParts } from './parts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set by the gate before any route of the API runs. */
    caller: Caller | undefined;
  }
}

/**
 * Puts 401 and 429, in this order, before every API route of `app` and before its 404 for unknown routes. Every
 * request with a valid key spends the rate limit, except those that the limit rejects.
 */
export function guardApi(
  app: FastifyInstance,
  { authenticator, rateLimiter }: Pick<ServiceParts, 'authenticator' | 'rateLimiter'>,
  rateLimit: RequestLimit,
): void {
  app.decorateRequest('caller', undefined);
  const policy = `${rateLimit.requests};w=${wholeSeconds(rateLimit.windowMs)}`;
  const tooMany = `more than ${rateLimit.requests} requests in ${rateLimit.windowMs / 1_000} s`;

  app.addHook('onRequest', async (request, reply) => {
    const apiKey = bearerOf(request.headers.authorization);
    const endpoint = `${request.method} ${request.routeOptions.url ?? ''}`;
    const caller = authenticator.identify(apiKey, endpoint);
    if (caller === undefined) {
      const fault = apiKey === undefined ? 'an API key is needed' : 'the API key is not valid';
      return refuseUnauthorised(reply, fault);
    }
    request.caller = caller;
    const forwardedFor = request.headers['x-forwarded-for'];
    const decision = await rateLimiter.take({
      caller,
      endpoint,
      remoteAddress: request.ip,
      forwardedFor: typeof forwardedFor === 'string' ? forwardedFor : forwardedFor?.join(', '),
    });
    // IETF draft-ietf-httpapi-ratelimit-headers-06: the reset is the number of seconds until one more than what remains can be sent
    // at once; on a 429 it equals `Retry-After`.
    reply.header('ratelimit-limit', rateLimit.requests);
    reply.header('ratelimit-remaining', decision.remaining);
    reply.header('ratelimit-reset', wholeSeconds(decision.moreInMs));
    reply.header('ratelimit-policy', policy);
    if (decision.admitted) return undefined;
    reply.header('retry-after', wholeSeconds(decision.moreInMs));
    return refuse(reply, 429, 'rate_limited', tooMany);
  });
}

/** Rounded up, so that waiting as long as told is always enough; never 0, which would mean not to wait. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

/** Gives every answer the service's own time instead of the machine's. */
export function datedBy(app: FastifyInstance, clock: ServiceClock): void {
  let second = Number.NaN;
  let text = '';
  app.addHook('onRequest', (_request, reply, done) => {
    const nowSecond = Math.floor(clock.wallMs() / 1_000);
    if (nowSecond !== second) {
      second = nowSecond;
      text = new Date(second * 1_000).toUTCString();
    }
    reply.header('date', text);
    done();
  });
}

/** The caller that the gate has let through. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new Error('a route of the API stands outside the gate');
  return request.caller;
}

/** The credentials of an `Authorization: Bearer …` header (RFC 6750; the scheme's case does not matter). */
export function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
}

/** Body of every answer that is not a success. */
export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string };
}

/** Answers with a status and the body that goes with it. `code` is for programs, `message` for people. */
export function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  const body: ErrorBody = { error: { code, message } };
  return reply.code(status).send(body);
}

/** 401. RFC 9110 wants the scheme named. */
export function refuseUnauthorised(reply: FastifyReply, message: string): FastifyReply {
  return refuse(reply.header('www-authenticate', 'Bearer'), 401, 'unauthorized', message);
}

const codeOfStatus: Readonly<Record<number, string>> = {
  400: 'malformed_request',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  422: 'invalid_request',
};

/** Gives the errors that fastify itself raises the same shape: malformed JSON, a wrong content type, a failed schema. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const status = error.validation === undefined ? (error.statusCode ?? 500) : 422;
    if (status >= 500) {
      request.log.error(error);
      // Internal errors are not shown to callers.
      return refuse(reply, 500, 'internal_error', 'the service failed to answer');
    }
    return refuse(reply, status, codeOfStatus[status] ?? 'bad_request', error.message);
  });
  app.setNotFoundHandler((request, reply) => answerNoRoute(request, reply));
}

export function answerNoRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return refuse(reply, 404, 'not_found', `there is no ${request.method} ${request.url.split('?', 1)[0]}`);
}

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

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

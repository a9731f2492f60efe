import type { FastifyInstance, FastifyReply } from 'fastify';

/** An answer as it goes out. `endpoint` has the form `METHOD /path/:pattern`. */
export interface Outgoing {
  readonly endpoint: string;
  readonly status: number;
}

/** Has every answer with a JSON body go out with another one. */
export function rewriteBodies(
  app: FastifyInstance,
  rewrite: (body: unknown, outgoing: Outgoing) => unknown,
): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isJson(reply)) return payload;
    const endpoint = `${request.method} ${request.routeOptions.url ?? ''}`;
    return JSON.stringify(rewrite(JSON.parse(payload), { endpoint, status: reply.statusCode }));
  });
}

function isJson(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type') ?? '').startsWith('application/json');
}

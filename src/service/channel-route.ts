import type { FastifyInstance } from 'fastify';
import type { InteractionBatch } from '../wire.ts';
import { refuse, refuseUnauthorised } from './answers.ts';
import { bearerOf } from './gate.ts';
import type { Interactions, LiveSession } from './parts.ts';
import { interactionBatchSchema } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session that a shopper's token opened; set before the route of the channel runs. */
    liveSession: LiveSession | undefined;
  }
}

const acceptedSchema = { type: 'object', properties: { accepted: { type: 'integer' } } } as const;

/** The channel of shoppers. It stands outside the API's gate: its key is the session's token, and it has no rate limit. */
export function interactionRoutes(app: FastifyInstance, channel: Interactions): void {
  app.decorateRequest('liveSession', undefined);

  app.post<{ Params: { id: string }; Body: InteractionBatch }>(
    '/sessions/:id/interactions',
    {
      schema: { body: interactionBatchSchema, response: { 202: acceptedSchema } },
      // Before the body is read: a caller without permission does not learn what is wrong with the events.
      onRequest: (request, reply, done) => {
        const token = bearerOf(request.headers.authorization);
        const access =
          token === undefined
            ? ({ outcome: 'unauthorised' } as const)
            : channel.authorise(request.params.id, token);
        switch (access.outcome) {
          case 'granted':
            request.liveSession = access.session;
            done();
            break;
          case 'unauthorised':
            refuseUnauthorised(reply, "the session's token is needed");
            break;
          case 'expired':
            refuseUnauthorised(reply, 'the session has expired');
            break;
          case 'unknown-session':
            refuse(reply, 404, 'session_not_found', `there is no session ${request.params.id}`);
        }
      },
    },
    async (request, reply) => {
      if (request.liveSession === undefined) throw new Error('the channel was entered without a session');
      const recorded = await channel.record(request.liveSession, request.body.interactions);
      if (recorded.outcome === 'unknown-sku') {
        return refuse(reply, 422, 'unknown_sku', `the session's catalog has no shade ${recorded.sku}`);
      }
      return reply.code(202).send({ accepted: recorded.accepted });
    },
  );
}

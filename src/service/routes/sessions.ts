import type { FastifyInstance } from 'fastify';
import type { SessionRequest } from '../../wire.ts';
import { refuse } from '../answers.ts';
import { callerOf } from '../gate.ts';
import type { Sessions } from '../parts.ts';
import { sessionRequestSchema } from '../validation.ts';

const grantSchema = {
  type: 'object',
  properties: {
    session_id: { type: 'string' },
    token: { type: 'string' },
    expires_at: { type: 'string' },
    shade_count: { type: 'integer' },
  },
} as const;

export function sessionRoutes(app: FastifyInstance, sessions: Sessions): void {
  app.post<{ Body: SessionRequest }>(
    '/sessions',
    { schema: { body: sessionRequestSchema, response: { 200: grantSchema } } },
    async (request, reply) => {
      const opened = await sessions.open(callerOf(request), request.body);
      switch (opened.outcome) {
        case 'opened':
          return opened.grant;
        case 'unknown-catalog':
          return refuse(reply, 404, 'catalog_not_found', `there is no catalog ${request.body.catalog_id}`);
        case 'quota-exceeded':
          return refuse(reply, 402, 'quota_exceeded', "the plan's session quota is used up");
      }
    },
  );

  app.get<{ Params: { id: string } }>('/sessions/:id', async (request, reply) => {
    const history = await sessions.read(callerOf(request), request.params.id);
    return history ?? refuse(reply, 404, 'session_not_found', `there is no session ${request.params.id}`);
  });
}

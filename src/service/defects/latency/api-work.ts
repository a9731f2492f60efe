import type { FastifyInstance } from 'fastify';

const channel = '/v1/sessions/:id/interactions';

/**
 * Has every request of the API that the gate has let in wait before it is worked on. What shoppers do goes another way,
 * past what is slow here.
 */
export function beforeApiWork(app: FastifyInstance, wait: () => Promise<void>): void {
  app.addHook('preHandler', async (request) => {
    if (request.routeOptions.url !== channel) await wait();
  });
}

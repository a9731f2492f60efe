import type { FastifyInstance } from 'fastify';

const channel = '/v1/sessions/:id/interactions';

/** Delays every API request that the gate has admitted. Interactions do not pass here. */
export function beforeApiWork(app: FastifyInstance, wait: () => Promise<void>): void {
  app.addHook('preHandler', async (request) => {
    if (request.routeOptions.url !== channel) await wait();
  });
}

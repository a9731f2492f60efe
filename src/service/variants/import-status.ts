import type { Variant } from './variant.ts';

/** POST /shades, whose success the interface does not describe, answers with another one. */
function importsAnswered(status: 201 | 202): Variant {
  return {
    name: `import-${status}`,
    title: `POST /shades answers ${status}`,
    alterations: {
      server: (app) => {
        app.addHook('onSend', async (request, reply) => {
          const { method, routeOptions } = request;
          if (method === 'POST' && routeOptions.url === '/v1/shades' && reply.statusCode === 200)
            reply.code(status);
        });
      },
    },
  };
}

export const importCreated = importsAnswered(201);
export const importAccepted = importsAnswered(202);

import type { FastifyInstance } from 'fastify';
import type { ShadeBatch } from '../../wire.ts';
import { refuse } from '../answers.ts';
import { callerOf } from '../gate.ts';
import type { Catalogs } from '../parts.ts';
import { shadeBatchSchema, shadesQuerySchema } from '../validation.ts';

export function shadeRoutes(app: FastifyInstance, catalogs: Catalogs): void {
  app.post<{ Body: ShadeBatch }>('/shades', { schema: { body: shadeBatchSchema } }, async (request) =>
    catalogs.importShades(callerOf(request), request.body),
  );

  app.get<{ Querystring: { catalog_id: string } }>(
    '/shades',
    { schema: { querystring: shadesQuerySchema } },
    async (request, reply) => {
      const catalogId = request.query.catalog_id;
      const shades = await catalogs.list(callerOf(request), catalogId);
      if (shades === undefined) {
        return refuse(reply, 404, 'catalog_not_found', `there is no catalog ${catalogId}`);
      }
      // The shades are JSON already; parsing them only to write them again would cost most of the answer's time.
      const body = `{"catalog_id":${JSON.stringify(catalogId)},"shades":[${shades.join(',')}]}`;
      return reply.type('application/json; charset=utf-8').send(body);
    },
  );
}

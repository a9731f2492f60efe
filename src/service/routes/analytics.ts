import type { FastifyInstance } from 'fastify';
import { refuse } from '../answers.ts';
import { callerOf } from '../gate.ts';
import type { AnalyticsConventions } from '../options.ts';
import type { Analytics } from '../parts.ts';
import { readPeriod } from '../period.ts';
import { analyticsQuerySchema } from '../validation.ts';

interface AnalyticsQuery {
  readonly start_date: string;
  readonly end_date: string;
  readonly product_id?: string;
}

export function analyticsRoutes(
  app: FastifyInstance,
  analytics: Analytics,
  conventions: AnalyticsConventions,
): void {
  app.get<{ Querystring: AnalyticsQuery }>(
    '/analytics/sessions',
    { schema: { querystring: analyticsQuerySchema } },
    async (request, reply) => {
      const { start_date, end_date, product_id } = request.query;
      const period = readPeriod(start_date, end_date, conventions);
      if (typeof period === 'string') return refuse(reply, 422, 'invalid_request', period);
      return analytics.report(callerOf(request), period, product_id);
    },
  );
}

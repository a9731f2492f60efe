import type { FastifyInstance } from 'fastify';
import type { AnalyticsQuery, SessionRequest, ShadeBatch } from '../wire.ts';
import { refuse } from './answers.ts';
import { callerOf } from './gate.ts';
import type { AnalyticsConventions } from './options.ts';
import type { Analytics, AnalyticsPeriod, Catalogs, Sessions } from './parts.ts';
import {
  analyticsQuerySchema,
  sessionRequestSchema,
  shadeBatchSchema,
  shadesQuerySchema,
} from './validation.ts';

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
          return refuse(reply, 402, 'quota_exceeded', 'the session quota of the account is used up');
      }
    },
  );

  app.get<{ Params: { id: string } }>('/sessions/:id', async (request, reply) => {
    const history = await sessions.read(callerOf(request), request.params.id);
    return history ?? refuse(reply, 404, 'session_not_found', `there is no session ${request.params.id}`);
  });
}

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

const dayMs = 86_400_000;
const secondMs = 1_000;

/** The period that two dates name, or in words what is wrong with them. */
function readPeriod(
  startDate: string,
  endDate: string,
  conventions: Pick<AnalyticsConventions, 'dateFormat' | 'endDate' | 'dayOffsetMinutes'>,
): AnalyticsPeriod | string {
  const startMs = instantMs(startDate, conventions.dateFormat);
  const endMs = instantMs(endDate, conventions.dateFormat);
  const form = { date: 'YYYY-MM-DD', 'date-time': 'YYYY-MM-DDTHH:MM:SSZ' }[conventions.dateFormat];
  if (startMs === undefined) return `start_date must be a date of the form ${form}`;
  if (endMs === undefined) return `end_date must be a date of the form ${form}`;
  if (endMs < startMs) return 'end_date must not be before start_date';
  const byDay = conventions.dateFormat === 'date';
  const offsetMs = byDay ? conventions.dayOffsetMinutes * 60_000 : 0;
  const lastMs = conventions.endDate === 'inclusive' ? (byDay ? dayMs : secondMs) : 0;
  return { startDate, endDate, fromMs: startMs - offsetMs, untilMs: endMs + lastMs - offsetMs };
}

/** Milliseconds of an existing date; `undefined` for one that is malformed or not in the calendar. */
function instantMs(text: string, format: AnalyticsConventions['dateFormat']): number | undefined {
  const complete = format === 'date' ? `${text}T00:00:00Z` : text;
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(complete)) return undefined;
  const ms = Date.parse(complete);
  if (Number.isNaN(ms)) return undefined;
  // Date.parse takes the 30th of February for a day in March.
  return new Date(ms).toISOString() === complete.replace('Z', '.000Z') ? ms : undefined;
}

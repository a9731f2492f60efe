import type { FastifyInstance } from 'fastify';
import type { AnalyticsQuery, InteractionBatch, SessionRequest, ShadeBatch } from '../wire.ts';
import { bearerOf, callerOf, refuse, refuseUnauthorised } from './gate.ts';
import type { AnalyticsConventions } from './options.ts';
import type { Analytics, AnalyticsPeriod, Catalogs, Interactions, LiveSession, Sessions } from './parts.ts';

/** JSON schemas of request bodies. A mismatch is answered with 422. Unknown fields pass. */

/** Text that survives storage as it is: not empty, no lone surrogates. Patterns are read with the `u` flag. */
const text = { type: 'string', minLength: 1, maxLength: 256, pattern: '^[^\\uD800-\\uDFFF]+$' } as const;

export const maxShadesPerImport = 500;
/** Room for 500 shades with some kilobytes of metadata each. */
export const maxBodyBytes = 4 * 1024 * 1024;
/** Bounds the time for which one batch holds up every other request. */
const maxInteractionsPerBatch = 1_000;

const sessionRequestSchema = {
  type: 'object',
  required: ['product_id', 'catalog_id', 'locale'],
  properties: {
    product_id: text,
    catalog_id: text,
    locale: { type: 'string', pattern: '^[a-z]{2}-[A-Z]{2}$' },
  },
} as const;

/** Everything else in a shade is metadata, kept and given back. */
const shadeSchema = {
  type: 'object',
  required: ['sku', 'name', 'hex', 'finish'],
  properties: {
    sku: text,
    name: text,
    hex: { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' },
    finish: text,
  },
} as const;

export const shadeBatchSchema = {
  type: 'object',
  required: ['catalog_id', 'shades'],
  properties: {
    catalog_id: text,
    shades: { type: 'array', minItems: 1, maxItems: maxShadesPerImport, items: shadeSchema },
  },
} as const;

export const shadesQuerySchema = {
  type: 'object',
  required: ['catalog_id'],
  properties: { catalog_id: { type: 'string', minLength: 1 } },
} as const;

const analyticsQuerySchema = {
  type: 'object',
  required: ['start_date', 'end_date'],
  properties: {
    start_date: { type: 'string' },
    end_date: { type: 'string' },
    product_id: { type: 'string' },
  },
} as const;

const interactionSchema = {
  type: 'object',
  required: ['id', 'type', 'at'],
  properties: {
    id: { type: 'string', pattern: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' },
    type: { enum: ['shade_selected', 'cart_intent'] },
    sku: text,
    at: { type: 'string', format: 'date-time' },
  },
  if: { properties: { type: { const: 'shade_selected' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['sku'] },
} as const;

export const interactionBatchSchema = {
  type: 'object',
  required: ['interactions'],
  properties: {
    interactions: { type: 'array', maxItems: maxInteractionsPerBatch, items: interactionSchema },
  },
} as const;

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

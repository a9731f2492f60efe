import {
  analyticsQuerySchema,
  interactionBatchSchema,
  sessionRequestSchema,
  shadeBatchSchema,
} from '../../service/routes.ts';
import { isObject, type JsonObject } from '../../target/json.ts';
import { answer, interfaceDescription, jsonBody, parameter, ref } from '../../target/openapi/interface.ts';

/** The interface with all that the reference service decides where the interface says nothing. */
export function referenceDescription(): JsonObject {
  const shown = interfaceDescription();
  const components = shown.components as { readonly schemas: JsonObject };
  return {
    ...withoutMarks(shown),
    info: {
      title: 'Reference service of tryon',
      version: '1',
      description:
        'A complete service with the interface. Parts that the interface does not show are choices of tryon.',
    },
    servers: [{ url: '/v1' }],
    paths: {
      '/sessions': {
        post: operation('Create a session', {
          requestBody: jsonBody(sessionRequestSchema),
          responses: {
            200: limited(answer('The session.', ref('SessionGrant'))),
            402: limited(error('The quota is spent.')),
            ...ofApi,
          },
        }),
      },
      '/sessions/{id}': {
        get: operation('Read a session', {
          parameters: [parameter('path', 'id', 'The session identifier.')],
          responses: {
            200: limited(answer('The session.', ref('SessionHistory'))),
            414: { description: 'The id is too long.' },
            ...ofApi,
          },
        }),
      },
      '/sessions/{id}/interactions': {
        post: operation('Record events of a shopper. This channel is a choice of tryon', {
          security: [{ sessionToken: [] }],
          parameters: [parameter('path', 'id', 'The session identifier.')],
          requestBody: jsonBody(interactionBatchSchema),
          responses: {
            202: answer('Accepted; an id that came before is not counted twice.', ref('Accepted')),
            401: unauthorized,
            404: error('There is no such session.'),
            ...rejected,
          },
        }),
      },
      '/shades': {
        get: operation('List the shades of a catalog', {
          parameters: [parameter('query', 'catalog_id', 'The catalog identifier.')],
          responses: { 200: limited(answer('The shades.', ref('ShadeList'))), ...ofApi },
        }),
        post: operation('Import shades, all or none', {
          requestBody: jsonBody(shadeBatchSchema),
          responses: { 200: limited(answer('Stored.', ref('ShadeImport'))), ...ofApi },
        }),
      },
      '/analytics/sessions': {
        get: operation('Read analytics of a period', {
          parameters: Object.entries(analyticsQuerySchema.properties).map(([name, schema]) => ({
            ...parameter('query', name, 'Dates have the form YYYY-MM-DD.', schema),
            required: analyticsQuerySchema.required.some((each) => each === name),
          })),
          responses: { 200: limited(answer('The analytics record.', ref('SessionAnalytics'))), ...ofApi },
        }),
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer' },
        sessionToken: { type: 'http', scheme: 'bearer', description: 'The token of the session.' },
      },
      headers,
      schemas: {
        ...(withoutMarks(components.schemas) as JsonObject),
        SessionHistory: object({
          ...{ session_id: text, product_id: text, catalog_id: text, locale: text },
          ...{ created_at: instant, expires_at: instant, shade_count: count },
          interactions: { type: 'array', items: ref('Interaction') },
        }),
        Interaction: {
          type: 'object',
          required: ['id', 'type', 'at'],
          properties: { id: text, type: { enum: ['shade_selected', 'cart_intent'] }, sku: text, at: instant },
        },
        ShadeList: object({ catalog_id: text, shades: { type: 'array', items: ref('Shade') } }),
        ShadeImport: object({
          ...{ catalog_id: text, imported: count, created: count, updated: count, shade_count: count },
        }),
        Accepted: object({ accepted: count }),
        Error: object({ error: object({ code: text, message: text }) }),
      },
    },
  };
}

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const instant = { type: 'string', format: 'date-time' };

/** An object with all of these properties. */
function object(properties: JsonObject): JsonObject {
  return { type: 'object', required: Object.keys(properties), properties };
}

function operation(summary: string, rest: JsonObject): JsonObject {
  return { summary, ...rest };
}

function error(description: string): JsonObject {
  return answer(description, ref('Error'));
}

const header = (schema: JsonObject): JsonObject => ({ required: true, schema });
const headers = {
  'RateLimit-Limit': header(count),
  'RateLimit-Remaining': header(count),
  'RateLimit-Reset': header({ type: 'integer', minimum: 1 }),
  'RateLimit-Policy': header({ type: 'string', pattern: '^\\d+;w=\\d+$' }),
  'Retry-After': header({ type: 'integer', minimum: 1 }),
  'WWW-Authenticate': header({ const: 'Bearer' }),
};

function withHeaders(response: JsonObject, ...names: readonly (keyof typeof headers)[]): JsonObject {
  const all = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { ...response, headers: Object.fromEntries(all) };
}

const ofLimit = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy'] as const;

/** An answer after the rate limit was asked. */
function limited(response: JsonObject): JsonObject {
  return withHeaders(response, ...ofLimit);
}

const unauthorized = withHeaders(error('The key or the token is missing or not valid.'), 'WWW-Authenticate');

const rejected = {
  400: error('The request is malformed.'),
  413: error('The body is too large.'),
  415: error('The media type is not application/json.'),
  422: error('A field is missing or has a wrong value.'),
  500: error('The service failed.'),
};

const ofApi = {
  ...rejected,
  401: unauthorized,
  404: limited(error('There is no such catalog or session.')),
  429: withHeaders(error('The rate limit is exceeded.'), ...ofLimit, 'Retry-After'),
};

/** What is unknown of the interface is known of this service. */
function withoutMarks(value: unknown): JsonObject {
  return strip(value) as JsonObject;
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'x-tryon-unknown')
      .map(([name, each]) => [name, strip(each)]),
  );
}

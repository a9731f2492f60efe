import { interactionBatchSchema } from '../../service/routes.ts';
import { isObject, type JsonObject } from '../../target/json.ts';
import { answer, interfaceDescription, jsonBody, parameter, ref } from '../../target/openapi/interface.ts';

/** The interface with all that the reference service decides where the interface says nothing. */
export function referenceDescription(): JsonObject {
  const shown = strip(interfaceDescription()) as JsonObject;
  const { schemas } = shown.components as { readonly schemas: JsonObject };
  const paths = shown.paths as Readonly<Record<string, JsonObject>>;
  const described = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        { ...(operation as JsonObject), responses: { ...successes[`${method} ${path}`], ...ofApi } },
      ]),
    ),
  ]);
  return {
    ...shown,
    info: {
      title: 'Reference service of tryon',
      version: '1',
      description:
        'A complete service with the interface. Parts that the interface does not show are choices of tryon.',
    },
    servers: [{ url: '/v1' }],
    paths: {
      ...Object.fromEntries(described),
      '/sessions/{id}/interactions': {
        post: {
          summary: 'Record events of a shopper. This channel is a choice of tryon',
          security: [{ sessionToken: [] }],
          parameters: [parameter('path', 'id', 'The session identifier.')],
          requestBody: jsonBody(interactionBatchSchema),
          responses: {
            202: answer('Accepted; an id that came before is not counted twice.', ref('Accepted')),
            401: unauthorized,
            404: error('There is no such session.'),
            ...rejected,
          },
        },
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer' },
        sessionToken: { type: 'http', scheme: 'bearer', description: 'The token of the session.' },
      },
      headers,
      schemas: {
        ...schemas,
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

/** What an operation of the interface answers beside the errors of all. */
const successes: Readonly<Record<string, JsonObject>> = {
  'post /sessions': {
    200: limited(answer('The session.', ref('SessionGrant'))),
    402: limited(error('The quota is spent.')),
  },
  'get /sessions/{id}': {
    200: limited(answer('The session.', ref('SessionHistory'))),
    414: { description: 'The id is too long.' },
  },
  'get /shades': { 200: limited(answer('The shades.', ref('ShadeList'))) },
  'post /shades': { 200: limited(answer('Stored, all or none.', ref('ShadeImport'))) },
  'get /analytics/sessions': { 200: limited(answer('The analytics record.', ref('SessionAnalytics'))) },
};

/** Without the marks of what is unknown of the interface: it is known of this service. */
function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'x-tryon-unknown')
      .map(([name, each]) => [name, strip(each)]),
  );
}

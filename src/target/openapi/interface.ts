import { z } from 'zod';
import type { SessionRequest, ShadeBatch } from '../../wire.ts';
import { isObject, type JsonObject } from '../json.ts';
import { analyticsSchema, grantSchema, shadesSchema } from '../wire-schemas.ts';

/**
 * The interface document as OpenAPI 3.1. The schemas of answers are those that read them, so that both say the same. What
 * the document does not show is marked `x-tryon-unknown`, and nothing is promised of it.
 */
export function interfaceDescription(): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Virtual try-on service',
      version: '1',
      description:
        'The interface as its document shows it. Parts marked x-tryon-unknown are not shown there: a service may do anything.',
    },
    servers: [
      {
        url: '{base_url}',
        variables: {
          base_url: { default: 'https://localhost/v1', description: 'Includes the segment /v1.' },
        },
      },
    ],
    security: [{ apiKey: [] }],
    paths: {
      '/sessions': {
        post: {
          operationId: 'createSession',
          summary: 'Create a try-on session for a product page',
          requestBody: jsonBody(ref('SessionRequest')),
          responses: {
            200: answer('The session, with the token for the JS SDK.', ref('SessionGrant')),
            402: problem('Session quota exceeded for the plan of the caller.'),
            ...common,
          },
        },
      },
      '/sessions/{id}': {
        get: {
          operationId: 'readSession',
          summary: 'Read a session with its shade interaction history',
          parameters: [parameter('path', 'id', 'The session identifier.')],
          responses: { '2XX': answer('The session.', ref('SessionHistory')), ...common },
        },
      },
      '/shades': {
        get: {
          operationId: 'listShades',
          summary: 'List all shades of a catalog',
          parameters: [parameter('query', 'catalog_id', 'The catalog identifier.')],
          responses: { '2XX': answer('The shades.', ref('ShadeList')), ...common },
        },
        post: {
          operationId: 'importShades',
          summary: 'Import a batch of shades',
          requestBody: jsonBody(ref('ShadeBatch')),
          responses: { '2XX': unknown('Accepted. The status and the body are not shown.'), ...common },
        },
      },
      '/analytics/sessions': {
        get: {
          operationId: 'readAnalytics',
          summary: 'Read aggregate analytics of a period',
          parameters: [
            parameter('query', 'start_date', 'The format is not shown.', unknownSchema),
            parameter('query', 'end_date', 'The format is not shown.', unknownSchema),
            { ...parameter('query', 'product_id', 'Sessions of this product alone.'), required: false },
          ],
          responses: { 200: answer('The analytics record.', ref('SessionAnalytics')), ...common },
        },
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' },
      },
      schemas: {
        SessionRequest: schemaOf(sessionRequestSchema),
        SessionGrant: schemaOf(grantSchema),
        SessionHistory: unknown('The session and its history. The names of the fields are not shown.', {
          type: 'object',
        }),
        Shade: {
          ...schemaOf(shadesSchema.element),
          ...unknown('Names and types of optional metadata are not shown, nor other values of finish.'),
        },
        ShadeBatch: { ...schemaOf(shadeBatchSchema) },
        ShadeList: unknown('A list of shades. Its form, its order and its pages are not shown.', {
          anyOf: [{ type: 'array', items: ref('Shade') }, { type: 'object' }],
        }),
        SessionAnalytics: schemaOf(analyticsSchema),
      },
    },
  };
}

/** Bodies of requests; what reads them is the service. */
const sessionRequestSchema = z.looseObject({
  product_id: z.string(),
  catalog_id: z.string(),
  locale: z.string().describe('Language tag of the form ll-CC.'),
}) satisfies z.ZodType<SessionRequest>;

const shadeBatchSchema = z.looseObject({
  catalog_id: z.string(),
  shades: shadesSchema.max(500),
}) satisfies z.ZodType<ShadeBatch>;

const unknownSchema = { type: 'string', 'x-tryon-unknown': true };

const common = {
  401: problem('API key invalid or missing.'),
  404: problem('Resource not found: catalog, session or shade.'),
  429: problem('Rate limit exceeded.'),
  '4XX': unknown('Other errors are not shown.'),
  '5XX': unknown('Errors of the service are not shown.'),
};

function problem(description: string): JsonObject {
  return unknown(`${description} The body is not shown.`);
}

function unknown(description: string, more: JsonObject = {}): JsonObject {
  return { description, 'x-tryon-unknown': true, ...more };
}

export function answer(description: string, schema: JsonObject): JsonObject {
  return { description, content: { 'application/json': { schema } } };
}

export function jsonBody(schema: JsonObject): JsonObject {
  return { required: true, content: { 'application/json': { schema } } };
}

export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

export function parameter(
  place: 'path' | 'query',
  name: string,
  description: string,
  schema: JsonObject = { type: 'string' },
): JsonObject {
  return { name, in: place, required: true, description, schema };
}

/** The schema as it reads a body, without the bounds that only protect the reader. */
function schemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.maxLength;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (isObject(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties;
    },
  });
  return made;
}

import { describe, expect, it } from 'vitest';
import { assertSchemas, readDescription } from '../../../src/target/openapi/document.ts';
import { interfaceDescription } from '../../../src/target/openapi/interface.ts';

function document(path: object, rest: object = {}): string {
  return JSON.stringify({ openapi: '3.1.0', paths: { '/shades': path }, ...rest });
}

/** A description of one answer with this schema. */
function withSchema(schema: unknown, rest: object = {}): string {
  const content = { 'application/json': { schema } };
  return document({ get: { responses: { 200: { description: '', content } } } }, rest);
}

/** What is read, and what the one line has to say. */
const refused: readonly [sentence: string, text: string, says: string][] = [
  ['nothing', '', 'expected a description in JSON, got other text'],
  ['a page', '<html></html>', 'expected a description in JSON, got other text'],
  ['YAML', 'openapi: 3.1.0\npaths: {}\n', 'got YAML; convert it to JSON first'],
  ['a list', '[]', 'expected an object with the field openapi'],
  ['any JSON', '{}', 'openapi: expected version 3.0 or 3.1, got nothing'],
  ['Swagger', '{"swagger":"2.0"}', 'openapi: expected version 3.0 or 3.1, got "swagger 2.0"'],
  ['a later version', '{"openapi":"3.2.0"}', 'openapi: expected version 3.0 or 3.1, got "3.2.0"'],
  ['a version as a number', '{"openapi":3.1}', 'openapi: expected version 3.0 or 3.1, got 3.1'],
  ['no paths', '{"openapi":"3.1.0"}', 'paths: expected an object of paths, got nothing'],
  ['paths in a list', '{"openapi":"3.1.0","paths":[]}', 'paths: expected an object of paths, got []'],
  [
    'a path without a slash',
    '{"openapi":"3.1.0","paths":{"shades":{}}}',
    'paths.shades: expected a path that starts with /, got "shades"',
  ],
  ['an operation as text', document({ get: 'x' }), 'paths."/shades".get: expected an operation, got "x"'],
  ['no responses', document({ get: {} }), 'paths."/shades".get.responses: expected an object of responses'],
  [
    'a status that is none',
    document({ get: { responses: { ok: {} } } }),
    'responses.ok: expected a status such as 200, 4XX or default, got "ok"',
  ],
  [
    'a media type that is none',
    document({ get: { responses: { 200: { content: { json: {} } } } } }),
    'content.json: expected a media type such as application/json',
  ],
  [
    'a reference to another file',
    withSchema({ $ref: 'shade.json#/Shade' }),
    'schema."$ref": expected a reference within the document (#/…); bundle the files first, got "shade.json#/Shade"',
  ],
  [
    'a response that is nowhere',
    document({ get: { responses: { 200: { $ref: '#/components/responses/Ok' } } } }),
    'responses.200."$ref": expected a reference to a response, got "#/components/responses/Ok"',
  ],
  [
    'a response that refers to itself',
    document({ get: { responses: { 200: { $ref: '#/paths/~1shades/get/responses/200' } } } }),
    'expected a reference that ends',
  ],
  [
    'a schema that is nowhere',
    withSchema({ $ref: '#/components/schemas/Shade' }),
    'paths."/shades".get.responses.200: expected a schema of JSON Schema 2020-12 at #/components/schemas/Shade',
  ],
  ['a type that is none', withSchema({ type: 'texts' }), 'got one that cannot be used: type must be'],
  ['a bound that is text', withSchema({ minimum: '1' }), 'got one that cannot be used: '],
  ['a pattern that is none', withSchema({ pattern: '[' }), 'got one that cannot be used: '],
];

describe('a description that cannot be used', () => {
  it.each(refused)('is refused in one line: %s', (_, text, says) => {
    const read = (): void => assertSchemas(readDescription(text, 'shop.json'), 'shop.json');
    expect(read).toThrow(says);
    expect(read).toThrow(/^shop\.json: [^\n]*$/);
  });
});

describe('a description', () => {
  it('has its operations with statuses, media types and headers in small letters, behind references', () => {
    const { operations, version } = readDescription(
      document(
        { $ref: '#/components/pathItems/Shades' },
        {
          servers: [{ url: 'https://{place}.example/{version}/', variables: { version: { default: 'v7' } } }],
          components: {
            pathItems: { Shades: { get: { responses: { '2XX': { $ref: '#/components/responses/Ok' } } } } },
            responses: {
              Ok: {
                headers: { 'X-Page': { required: true, schema: {} }, 'Content-Type': { schema: {} } },
                content: { 'Application/JSON; charset=utf-8': {}, 'x-any/*': { schema: {} } },
              },
            },
          },
        },
      ),
      'shop.json',
    );
    expect(version).toBe('3.1.0');
    expect(operations).toEqual([
      {
        method: 'GET',
        path: '/shades',
        bases: ['/v7'],
        responses: [
          {
            status: '2XX',
            headers: [
              {
                name: 'x-page',
                isRequired: true,
                schema: '#/components/responses/Ok/headers/X-Page/schema',
              },
            ],
            media: [
              { range: 'application/json', schema: undefined },
              { range: 'x-any/*', schema: '#/components/responses/Ok/content/x-any~1*/schema' },
            ],
          },
        ],
      },
    ]);
  });
});

it('the interface is a description, with what is unknown marked', () => {
  const description = readDescription(JSON.stringify(interfaceDescription()), 'the interface');
  assertSchemas(description, 'the interface');
  expect(description.operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /sessions',
    'GET /sessions/{id}',
    'GET /shades',
    'POST /shades',
    'GET /analytics/sessions',
  ]);
  expect(interfaceDescription()).toMatchObject({
    components: {
      schemas: {
        SessionGrant: { required: ['session_id', 'token', 'expires_at', 'shade_count'] },
        SessionHistory: { 'x-tryon-unknown': true },
      },
    },
  });
});

import { expect, it } from 'vitest';
import { assertSchemas, readDescription } from '../../../src/target/openapi/document.ts';
import { interfaceDescription } from '../../../src/target/openapi/interface.ts';

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

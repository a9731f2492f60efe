import { describe, expect, it } from 'vitest';
import { readDescription } from '../../../src/target/openapi/document.ts';
import { type Held, holdAgainst, type SeenAnswers } from '../../../src/target/openapi/hold.ts';

const route = { method: 'GET', path: '/shades', base: '/v1' };
const alike = { route, status: 200, answers: 1, seqs: [1], type: 'application/json' };
const isHidden = (value: unknown): boolean => value === '[redacted]';

function held(responses: object, seen: Partial<SeenAnswers>, version = '3.1.0'): Held {
  const text = JSON.stringify({ openapi: version, paths: { '/shades': { get: { responses } } } });
  const all = { kinds: [], headers: [], bodies: [], ...seen };
  return holdAgainst(readDescription(text, 'shop.json'), all, isHidden);
}

function faults({ contradictions }: Held): string[] {
  return contradictions.map(({ fault }) => ('mismatch' in fault ? fault.mismatch.keyword : fault.kind));
}

/** What the schema finds in one body. */
function ofBody(schema: object, body: unknown, version?: string): string[] {
  const responses = { 200: { content: { 'application/json': { schema } } } };
  return faults(held(responses, { bodies: [{ ...alike, body }] }, version));
}

const nullable = { type: 'object', properties: { name: { type: 'string', nullable: true } } };
const secret = { type: 'object', required: ['token'], properties: { token: { pattern: '^st_' } } };

const bodies: readonly (readonly [
  sentence: string,
  schema: object,
  body: unknown,
  expected: readonly string[],
  version?: string,
])[] = [
  ['null where 3.0 says nullable is right', nullable, { name: null }, [], '3.0.3'],
  ['null where 3.0 does not say nullable is wrong', { type: 'string' }, null, ['type'], '3.0.3'],
  [
    'null beside a reference that is nullable is right',
    { nullable: true, allOf: [{ type: 'string' }] },
    null,
    [],
    '3.0.3',
  ],
  [
    'null in an enumeration that is nullable is right',
    { type: 'string', nullable: true, enum: ['a'] },
    null,
    [],
    '3.0.3',
  ],
  [
    'a number at an exclusive bound of 3.0 is wrong',
    { minimum: 1, exclusiveMinimum: true },
    1,
    ['exclusiveMinimum'],
    '3.0.3',
  ],
  ['a number at a bound of 3.0 is right', { minimum: 1, exclusiveMinimum: false }, 1, [], '3.0.3'],
  ['one of the types of 3.1 is right', { type: ['string', 'null'] }, null, []],
  ['a redacted value is not judged', secret, { token: '[redacted]' }, []],
  ['a property beside a redacted one is judged', { ...secret, required: ['id'] }, {}, ['required']],
  [
    'an alternative that depends on a redacted value is not judged',
    { oneOf: [secret, { required: ['key'] }] },
    { token: '[redacted]' },
    [],
  ],
  [
    'of alternatives that all fail, only the choice is told',
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    1,
    ['anyOf'],
  ],
  ['a body that is no JSON is wrong', { type: 'object' }, undefined, ['not-json']],
  ['a field of a list is told once', { items: { type: 'string' } }, [1, 2, 3], ['type']],
  ['a pattern that is valid without Unicode only is read so', { pattern: '^[\\w\\-]+$' }, 'a-b', []],
];

describe('a body', () => {
  it.each(bodies.map(([sentence, ...row]) => ({ sentence, row })))('$sentence', ({ row }) => {
    const [schema, body, expected, version] = row;
    expect(ofBody(schema, body, version)).toEqual(expected);
  });
});

const headers: readonly (readonly [string, object, string | null, readonly string[]])[] = [
  ['an integer is right', { type: 'integer' }, '12', []],
  ['text for an integer is wrong', { type: 'integer' }, 'soon', ['type']],
  ['a fraction for an integer is wrong', { type: 'integer' }, '1.5', ['type']],
  ['digits for text are right', { type: 'string' }, '12', []],
  ['a list of integers is right', { type: 'array', items: { type: 'integer' } }, '1, 2', []],
  ['a truth value is right', { type: 'boolean' }, 'true', []],
  ['a redacted value is not judged', { type: 'integer' }, '[redacted]', []],
  ['a missing one that is not required is right', { type: 'integer' }, null, []],
];

describe('a header', () => {
  it.each(headers)('%s', (_, schema, value, expected) => {
    const responses = { 200: { headers: { 'X-Page': { schema } } } };
    const seen = { headers: [{ ...alike, name: 'x-page', value }] };
    expect(faults(held(responses, seen))).toEqual(expected);
  });
});

const json = { content: { 'application/json': {} } };
const kinds: readonly (readonly [
  string,
  object,
  Partial<SeenAnswers['kinds'][number]>,
  readonly string[],
])[] = [
  ['a server error that is not described is left to its own check', { 200: json }, { status: 503 }, []],
  ['a redirect that is not described is wrong', { 200: json }, { status: 302 }, ['status']],
  [
    'the exact status counts before its class',
    { '2XX': {}, 200: json },
    { type: 'text/plain' },
    ['media-type'],
  ],
  ['no body where one is described is wrong', { 200: json }, { isEmpty: true }, ['media-type']],
  ['no media type where one is described is wrong', { 200: json }, { type: null }, ['media-type']],
  ['a body of which nothing is described is right', { 200: {} }, { type: 'text/html' }, []],
  ['no body in a 204 is right', { 204: json }, { status: 204, isEmpty: true, type: null }, []],
  [
    'a success of an operation that is not described is wrong',
    { 200: json },
    { route: { ...route, method: 'POST' } },
    ['operation'],
  ],
  [
    'a rejection of an operation that is not described is right',
    { 200: json },
    { route: { ...route, path: '/events' }, status: 404 },
    [],
  ],
];

describe('an answer', () => {
  it.each(kinds)('%s', (_, responses, kind, expected) => {
    expect(faults(held(responses, { kinds: [{ ...alike, isEmpty: false, ...kind }] }))).toEqual(expected);
  });
});

describe('the coverage', () => {
  it('has what is described and never came, and what came and is not described', () => {
    const { coverage } = held(
      { 200: json, 404: {} },
      {
        kinds: [
          { ...alike, answers: 7, isEmpty: false },
          { ...alike, status: 500, isEmpty: false },
        ],
      },
    );
    expect(coverage).toEqual([
      {
        operation: 'GET /shades',
        described: true,
        answers: 8,
        contradictions: 0,
        statuses: [
          { status: '200', described: true, has_schema: false, seen: [200], answers: 7, bodies: 0 },
          { status: '404', described: true, has_schema: false, seen: [], answers: 0, bodies: 0 },
          { status: '500', described: false, has_schema: false, seen: [500], answers: 1, bodies: 0 },
        ],
      },
    ]);
  });
});

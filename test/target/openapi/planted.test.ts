import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ReasonCode } from '../../../src/checks/reasons/reason.ts';
import { referenceDescription } from '../../../src/commands/serve/serve-openapi.ts';
import { interfaceDescription } from '../../../src/target/openapi/interface.ts';
import { Draft, recordedRun } from './recorded.ts';

const { history, judged } = recordedRun();

/** How a description is made to contradict the service, and the code and parameters of the reason that is to be found. */
type Contradiction = readonly [plant: (draft: Draft) => void, code: ReasonCode, params: object];

const session = 'paths > /sessions > post > responses';
const read = 'paths > /sessions/{id} > get > responses';
const list = 'paths > /shades > get > responses';
const shade = 'components > schemas > Shade';
const analytics = 'components > schemas > SessionAnalytics';
const historyFields = 'components > schemas > SessionHistory > properties';

/** A contradiction in a body of 200: where it is, and the keyword that shows it. */
function inBody(
  operation: string,
  at: string,
  keyword: string,
  plant: (draft: Draft) => void,
): Contradiction {
  return [plant, 'openapi-body', { operation, status: 200, mismatch: { at, keyword } }];
}

const planted: Readonly<Record<string, Contradiction>> = {
  'a rejection over quota that is not described': [
    (draft) => draft.remove(session, '402'),
    'openapi-status',
    { operation: 'POST /sessions', status: 402 },
  ],
  'another success than the one that comes': [
    (draft) => draft.rename('paths > /sessions/{id}/interactions > post > responses', '202', '200'),
    'openapi-status',
    { operation: 'POST /sessions/{id}/interactions', status: 202 },
  ],
  'errors of another class than those that come': [
    (draft) => draft.replace(read, { 200: draft.at(`${read} > 200`), '5XX': { description: '' } }),
    'openapi-status',
    { operation: 'GET /sessions/{id}', status: 404 },
  ],
  'an operation with another method': [
    (draft) => draft.rename('paths > /shades', 'post', 'put'),
    'openapi-operation',
    { operation: 'POST /shades', status: 200 },
  ],
  'an operation that is missing': [
    (draft) => draft.remove('paths', '/sessions/{id}'),
    'openapi-operation',
    { operation: 'GET /sessions/{session_id}', status: 200 },
  ],
  'another media type of a success': [
    (draft) => draft.rename(`${list} > 200 > content`, 'application/json', 'application/xml'),
    'openapi-media-type',
    { operation: 'GET /shades', status: 200, got: 'application/json' },
  ],
  'another media type of an error': [
    (draft) => draft.set(`${session} > 429`, { content: { 'application/problem+json': { schema: true } } }),
    'openapi-media-type',
    { operation: 'POST /sessions', status: 429, wants: ['application/problem+json'] },
  ],
  'a required header that no answer has': [
    (draft) => draft.set(`${read} > 200 > headers`, { ETag: { required: true, schema: {} } }),
    'openapi-header-missing',
    { operation: 'GET /sessions/{id}', status: 200, header: 'etag' },
  ],
  'a required header of a component that an error lacks': [
    (draft) => {
      draft.set('components > headers', { Limit: { required: true, schema: { type: 'integer' } } });
      draft.set(`${session} > 401`, {
        headers: { 'RateLimit-Limit': { $ref: '#/components/headers/Limit' } },
      });
    },
    'openapi-header-missing',
    { operation: 'POST /sessions', status: 401, header: 'ratelimit-limit' },
  ],
  'a header of another type': [
    (draft) => draft.set('components > headers > RateLimit-Policy', { schema: { type: 'integer' } }),
    'openapi-header-value',
    { operation: 'GET /shades', header: 'ratelimit-policy', mismatch: { keyword: 'type' } },
  ],
  'a field of another type': inBody('GET /analytics/sessions', 'total_sessions', 'type', (draft) =>
    draft.set(`${analytics} > properties > total_sessions`, { type: 'string' }),
  ),
  'a required property that entries of a list lack': inBody('GET /shades', 'shades.*', 'required', (draft) =>
    draft.set(shade, { required: ['sku', 'brand'] }),
  ),
  'a property that is not described, where others are excluded': inBody(
    'GET /sessions/{id}',
    '',
    'additionalProperties',
    (draft) => {
      draft.remove(historyFields, 'created_at');
      draft.replace('components > schemas > SessionHistory', {
        ...draft.at('components > schemas > SessionHistory'),
        required: [],
        additionalProperties: false,
      });
    },
  ),
  'a value outside an enumeration': inBody('GET /shades', 'shades.*.finish', 'enum', (draft) =>
    draft.set(`${shade} > properties > finish`, { enum: ['glossy'] }),
  ),
  'a number below its minimum': inBody('GET /sessions/{id}', 'shade_count', 'minimum', (draft) =>
    draft.set(`${historyFields} > shade_count`, { minimum: 10_000 }),
  ),
  'a reference to the schema of something else': inBody('GET /analytics/sessions', '', 'required', (draft) =>
    draft.set('paths > /analytics/sessions > get > responses > 200 > content > application/json', {
      schema: { $ref: '#/components/schemas/ShadeImport' },
    }),
  ),
  'a value that meets two alternatives of which it may meet one': inBody(
    'GET /shades',
    '',
    'oneOf',
    (draft) =>
      draft.replace('components > schemas > ShadeList', {
        oneOf: [{ type: 'object' }, { required: ['shades'] }],
      }),
  ),
  'a value that meets none of its alternatives': inBody('GET /shades', '', 'anyOf', (draft) =>
    draft.replace('components > schemas > ShadeList', {
      anyOf: [{ type: 'array' }, { type: 'object', required: ['items'] }],
    }),
  ),
  'an error whose body has another form': [
    (draft) => draft.replace('components > schemas > Error', { required: ['title'] }),
    'openapi-body',
    { operation: 'POST /sessions', status: 402, mismatch: { keyword: 'required', wants: 'title' } },
  ],
};

const requestRow = z.object({ endpoint: z.string(), status: z.number() });

describe('a contradiction between description and service', () => {
  it.each(Object.entries(planted))('is found: %s', async (_, [plant, code, params]) => {
    const draft = new Draft(referenceDescription());
    plant(draft);
    const result = await judged(draft.document);
    expect(result.verdict).toBe('fail');
    expect([...new Set(result.reasons.map((reason) => reason.code))]).toEqual(expect.arrayContaining([code]));
    const all = result.reasons.filter((reason) => reason.code !== 'more-of-these');
    expect(all.filter((reason) => reason.code !== code)).toEqual([]);
    expect(all.map((reason) => reason.params)).toContainEqual(expect.objectContaining(deep(params)));
    const [first] = result.evidence;
    const requests = await history().rows(
      requestRow,
      `SELECT endpoint, status FROM requests WHERE seq = ${first?.seqs[0] ?? 0}`,
    );
    expect(requests.map(({ status }) => first?.what.includes(` ${status}: `))).toEqual([true]);
  });
});

/** What an object has to have, at every depth. */
function deep(params: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? expect.objectContaining(deep(value))
        : value,
    ]),
  );
}

const harmless: Readonly<Record<string, (draft: Draft) => void>> = {
  'of the reference service': () => undefined,
  'with a class of statuses': (draft) =>
    draft.replace(read, { '2XX': { description: '' }, '4XX': { description: '' } }),
  'with a default for all statuses': (draft) => draft.replace(list, { default: { description: 'anything' } }),
  'with a range of media types': (draft) =>
    draft.rename(`${list} > 200 > content`, 'application/json', 'application/*'),
  'with parameters in a media type': (draft) =>
    draft.rename(`${list} > 200 > content`, 'application/json', 'Application/JSON; charset=utf-8'),
  'with an operation that the run never calls': (draft) =>
    draft.set('paths > /shades', { delete: { responses: { 204: { description: '' } } } }),
  'with an optional header': (draft) =>
    draft.set(`${read} > 200 > headers`, { ETag: { schema: { type: 'string' } } }),
  'with the base path in each path': (draft) => {
    draft.replace('', { ...draft.document, servers: [] });
    for (const path of Object.keys(draft.at('paths'))) draft.rename('paths', path, `/v1${path}`);
  },
  'of another host, behind a gateway with another base path': (draft) =>
    draft.replace('', { ...draft.document, servers: [{ url: 'https://shop.example/try' }] }),
  'with a required property that is only written': (draft) => {
    draft.set(`${shade} > properties`, { secret: { type: 'string', writeOnly: true } });
    draft.set(shade, { required: ['sku', 'secret'] });
  },
  'with a format that nobody knows': (draft) =>
    draft.set(`${shade} > properties > sku`, { format: 'sku-of-the-shop' }),
  'of the interface, with the channel': (draft) => {
    draft.replace('', interfaceDescription());
    draft.set('paths', { '/sessions/{id}/interactions': { post: { responses: { default: {} } } } });
  },
};

describe('a description without a contradiction', () => {
  it.each(Object.entries(harmless))('raises no alarm: %s', async (_, change) => {
    const draft = new Draft(referenceDescription());
    change(draft);
    const { explanation, verdict } = await judged(draft.document);
    expect({ verdict, explanation }).toMatchObject({ verdict: 'pass' });
  });
});

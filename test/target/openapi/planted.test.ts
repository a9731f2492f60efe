import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ReasonCode } from '../../../src/checks/reasons/reason.ts';
import { referenceDescription } from '../../../src/commands/serve/serve-openapi.ts';
import { interfaceDescription } from '../../../src/target/openapi/interface.ts';
import { Draft, recordedRun } from './recorded.ts';

const { history, judged } = recordedRun();

interface Contradiction {
  readonly sentence: string;
  readonly plant: (draft: Draft) => void;
  readonly code: ReasonCode;
  /** Of the reason that is to be found. */
  readonly params: object;
}

const session = 'paths > /sessions > post > responses';
const read = 'paths > /sessions/{id} > get > responses';
const list = 'paths > /shades > get > responses';
const shade = 'components > schemas > Shade';
const analytics = 'components > schemas > SessionAnalytics';
const historyFields = 'components > schemas > SessionHistory > properties';

/** A contradiction in a body of 200: where it is, and the keyword that shows it. */
function inBody(operation: string, at: string, keyword: string): Pick<Contradiction, 'code' | 'params'> {
  return { code: 'openapi-body', params: { operation, status: 200, mismatch: { at, keyword } } };
}

const planted: readonly Contradiction[] = [
  {
    sentence: 'a rejection over quota that is not described',
    plant: (draft) => draft.remove(session, '402'),
    code: 'openapi-status',
    params: { operation: 'POST /sessions', status: 402 },
  },
  {
    sentence: 'another success than the one that comes',
    plant: (draft) => draft.rename('paths > /sessions/{id}/interactions > post > responses', '202', '200'),
    code: 'openapi-status',
    params: { operation: 'POST /sessions/{id}/interactions', status: 202 },
  },
  {
    sentence: 'errors of another class than those that come',
    plant: (draft) => draft.replace(read, { 200: draft.at(`${read} > 200`), '5XX': { description: '' } }),
    code: 'openapi-status',
    params: { operation: 'GET /sessions/{id}', status: 404 },
  },
  {
    sentence: 'an operation with another method',
    plant: (draft) => draft.rename('paths > /shades', 'post', 'put'),
    code: 'openapi-operation',
    params: { operation: 'POST /shades', status: 200 },
  },
  {
    sentence: 'an operation that is missing',
    plant: (draft) => draft.remove('paths', '/sessions/{id}'),
    code: 'openapi-operation',
    params: { operation: 'GET /sessions/{session_id}', status: 200 },
  },
  {
    sentence: 'another media type of a success',
    plant: (draft) => draft.rename(`${list} > 200 > content`, 'application/json', 'application/xml'),
    code: 'openapi-media-type',
    params: { operation: 'GET /shades', status: 200, got: 'application/json' },
  },
  {
    sentence: 'another media type of an error',
    plant: (draft) =>
      draft.set(`${session} > 429`, { content: { 'application/problem+json': { schema: true } } }),
    code: 'openapi-media-type',
    params: { operation: 'POST /sessions', status: 429, wants: ['application/problem+json'] },
  },
  {
    sentence: 'a required header that no answer has',
    plant: (draft) => draft.set(`${read} > 200 > headers`, { ETag: { required: true, schema: {} } }),
    code: 'openapi-header-missing',
    params: { operation: 'GET /sessions/{id}', status: 200, header: 'etag' },
  },
  {
    sentence: 'a required header of a component that an error lacks',
    plant: (draft) => {
      draft.set('components > headers', { Limit: { required: true, schema: { type: 'integer' } } });
      draft.set(`${session} > 401`, {
        headers: { 'RateLimit-Limit': { $ref: '#/components/headers/Limit' } },
      });
    },
    code: 'openapi-header-missing',
    params: { operation: 'POST /sessions', status: 401, header: 'ratelimit-limit' },
  },
  {
    sentence: 'a header of another type',
    plant: (draft) => draft.set('components > headers > RateLimit-Policy', { schema: { type: 'integer' } }),
    code: 'openapi-header-value',
    params: { operation: 'GET /shades', header: 'ratelimit-policy', mismatch: { keyword: 'type' } },
  },
  {
    sentence: 'a field of another type',
    plant: (draft) => draft.set(`${analytics} > properties > total_sessions`, { type: 'string' }),
    ...inBody('GET /analytics/sessions', 'total_sessions', 'type'),
  },
  {
    sentence: 'a required property that entries of a list lack',
    plant: (draft) => draft.set(shade, { required: ['sku', 'brand'] }),
    ...inBody('GET /shades', 'shades.*', 'required'),
  },
  {
    sentence: 'a property that is not described, where others are excluded',
    plant: (draft) => {
      draft.remove(historyFields, 'created_at');
      draft.replace('components > schemas > SessionHistory', {
        ...draft.at('components > schemas > SessionHistory'),
        required: [],
        additionalProperties: false,
      });
    },
    ...inBody('GET /sessions/{id}', '', 'additionalProperties'),
  },
  {
    sentence: 'a value outside an enumeration',
    plant: (draft) => draft.set(`${shade} > properties > finish`, { enum: ['glossy'] }),
    ...inBody('GET /shades', 'shades.*.finish', 'enum'),
  },
  {
    sentence: 'a number below its minimum',
    plant: (draft) => draft.set(`${historyFields} > shade_count`, { minimum: 10_000 }),
    ...inBody('GET /sessions/{id}', 'shade_count', 'minimum'),
  },
  {
    sentence: 'a reference to the schema of something else',
    plant: (draft) =>
      draft.set('paths > /analytics/sessions > get > responses > 200 > content > application/json', {
        schema: { $ref: '#/components/schemas/ShadeImport' },
      }),
    ...inBody('GET /analytics/sessions', '', 'required'),
  },
  {
    sentence: 'a value that meets two alternatives of which it may meet one',
    plant: (draft) =>
      draft.replace('components > schemas > ShadeList', {
        oneOf: [{ type: 'object' }, { required: ['shades'] }],
      }),
    ...inBody('GET /shades', '', 'oneOf'),
  },
  {
    sentence: 'a value that meets none of its alternatives',
    plant: (draft) =>
      draft.replace('components > schemas > ShadeList', {
        anyOf: [{ type: 'array' }, { type: 'object', required: ['items'] }],
      }),
    ...inBody('GET /shades', '', 'anyOf'),
  },
  {
    sentence: 'an error whose body has another form',
    plant: (draft) => draft.replace('components > schemas > Error', { required: ['title'] }),
    code: 'openapi-body',
    params: { operation: 'POST /sessions', status: 402, mismatch: { keyword: 'required', wants: 'title' } },
  },
];

const requestRow = z.object({ endpoint: z.string(), status: z.number() });

describe('a contradiction between description and service', () => {
  it.each(planted)('is found: $sentence', async ({ code, params, plant }) => {
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

interface Harmless {
  readonly sentence: string;
  readonly change: (draft: Draft) => void;
}

const harmless: readonly Harmless[] = [
  { sentence: 'of the reference service', change: () => undefined },
  {
    sentence: 'with a class of statuses',
    change: (draft) => draft.replace(read, { '2XX': { description: '' }, '4XX': { description: '' } }),
  },
  {
    sentence: 'with a default for all statuses',
    change: (draft) => draft.replace(list, { default: { description: 'anything' } }),
  },
  {
    sentence: 'with a range of media types',
    change: (draft) => draft.rename(`${list} > 200 > content`, 'application/json', 'application/*'),
  },
  {
    sentence: 'with parameters in a media type',
    change: (draft) =>
      draft.rename(`${list} > 200 > content`, 'application/json', 'Application/JSON; charset=utf-8'),
  },
  {
    sentence: 'with an operation that the run never calls',
    change: (draft) => draft.set('paths > /shades', { delete: { responses: { 204: { description: '' } } } }),
  },
  {
    sentence: 'with an optional header',
    change: (draft) => draft.set(`${read} > 200 > headers`, { ETag: { schema: { type: 'string' } } }),
  },
  {
    sentence: 'with the base path in each path',
    change: (draft) => {
      draft.replace('', { ...draft.document, servers: [] });
      for (const path of Object.keys(draft.at('paths'))) draft.rename('paths', path, `/v1${path}`);
    },
  },
  {
    sentence: 'of another host, behind a gateway with another base path',
    change: (draft) =>
      draft.replace('', { ...draft.document, servers: [{ url: 'https://shop.example/try' }] }),
  },
  {
    sentence: 'with a required property that is only written',
    change: (draft) => {
      draft.set(`${shade} > properties`, { secret: { type: 'string', writeOnly: true } });
      draft.set(shade, { required: ['sku', 'secret'] });
    },
  },
  {
    sentence: 'with a format that nobody knows',
    change: (draft) => draft.set(`${shade} > properties > sku`, { format: 'sku-of-the-shop' }),
  },
  {
    sentence: 'of the interface, with the channel',
    change: (draft) => {
      draft.replace('', interfaceDescription());
      draft.set('paths', { '/sessions/{id}/interactions': { post: { responses: { default: {} } } } });
    },
  },
];

describe('a description without a contradiction', () => {
  it.each(harmless)('raises no alarm: $sentence', async ({ change }) => {
    const draft = new Draft(referenceDescription());
    change(draft);
    const { explanation, verdict } = await judged(draft.document);
    expect({ verdict, explanation }).toMatchObject({ verdict: 'pass' });
  });
});

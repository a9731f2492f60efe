import { describe, expect, it } from 'vitest';
import { AdapterTranslation } from '../../../src/target/adapt/adapter-translation.ts';
import { type Checked, checkExamples, checkRequests } from '../../../src/target/adapt/check-translation.ts';
import { type Adapter, type AdapterAnswer, defineAdapter } from '../../../src/target/adapt/define-adapter.ts';
import { mapOf } from '../../../src/target/adapt/map.ts';
import * as calls from '../../../src/target/calls.ts';
import { type ProfileInput, profileSchema, usualChannel } from '../../../src/target/profile.ts';
import { nextPage } from '../../../src/target/shade-list.ts';

const baseUrl = new URL('http://shop.example/v1');
const session = calls.createSession({ product_id: 'p', catalog_id: 'c', locale: 'en-GB' });
const grant = { session_id: 's', token: 't', expires_at: '2026-01-01T00:00:00Z', shade_count: 1 };

function translationOf(adapter: Adapter, input: ProfileInput = {}): AdapterTranslation {
  const profile = profileSchema.parse(input);
  return new AdapterTranslation(defineAdapter(adapter), 'own.ts', profile, mapOf(profile, baseUrl));
}

describe('a request through an adapter', () => {
  const adapter: Adapter = {
    create_session: {
      request: ({ product_id }, { key }) => ({
        path: '/q',
        headers: { 'X-Key': key },
        body: { p: product_id },
      }),
    },
    interact: {
      request: ({ interactions }, { key, token }) => ({
        path: '/e',
        body: { key, token, n: interactions.length },
      }),
    },
    import_shades: {
      request: ({ shades }) => ({
        path: '/i',
        method: 'PUT',
        body: { codes: shades.map(({ sku }) => sku.length) },
      }),
    },
  };

  it('has what the adapter returns, and nothing besides', () => {
    expect(translationOf(adapter).request(session, 'Bearer KEY')).toEqual({
      method: 'POST',
      path: '/q',
      headers: { 'x-key': 'KEY' },
      body: '{"p":"p"}',
    });
  });

  it.each([
    ['of the interface', {}, '/shades?catalog_id=c'],
    ['of the map', { map: { list_shades: { path: '/list/{catalog_id}' } } }, '/list/c'],
  ])('of an endpoint that the adapter leaves out has the form %s', (_, profile, path) => {
    expect(translationOf(adapter, profile).request(calls.listShades('c'), 'Bearer KEY')).toMatchObject({
      path,
      headers: { authorization: 'Bearer KEY' },
    });
  });

  it.each([
    ['the shopper’s token', {}, '{"token":"T","n":0}'],
    ['the API key, if the profile says so', { channel: { auth: 'api-key' } }, '{"key":"T","n":0}'],
  ] as const)('of the channel gets %s', (_, profile, body) => {
    const call = calls.interact(usualChannel, 's', { interactions: [] });
    expect(translationOf(adapter, profile).request(call, 'Bearer T').body).toBe(body);
  });

  it.each([
    ['no key', undefined, {}],
    ['what is no bearer credential', 'Basic KEY', { authorization: 'Basic KEY' }],
  ])('of a probe with %s has no key in it', (_, authorization, headers) => {
    expect(translationOf(adapter).request(session, authorization).headers).toEqual(headers);
  });

  const malformed = (body: string): calls.Call => ({
    endpoint: 'import-shades',
    method: 'POST',
    path: '/shades',
    body,
    about: {},
  });

  it.each([
    ['that is no JSON', '{"catalog_id":"c","shades":['],
    ['that is a list', '[{}]'],
    ['for which the adapter is not made', '{"catalog_id":"c","shades":[{"sku":null}]}'],
    ['without its list', '{"catalog_id":"c"}'],
  ])('of a probe with a body %s goes to the same place as it is', (_, body) => {
    expect(translationOf(adapter).request(malformed(body), 'Bearer KEY')).toMatchObject({
      method: 'PUT',
      path: '/i',
      body,
    });
  });

  it('that the adapter fails to make ends the run with the file, the endpoint and the reason', () => {
    const broken: Adapter = {
      create_session: {
        request: () => {
          throw new Error('no such product');
        },
      },
    };
    expect(() => translationOf(broken).request(session, 'Bearer KEY')).toThrow(
      'adapter own.ts: create_session.request: no such product',
    );
  });
});

describe('an answer through an adapter', () => {
  const answer = { status: 200, headers: {}, body: { code: 'QUOTA', id: 's' } };

  it('has the status that the adapter reads, and is no success then', () => {
    const adapter: Adapter = {
      status: ({ body }: AdapterAnswer<{ code: string }>) => (body.code === 'QUOTA' ? 402 : 200),
      create_session: { answer: () => grant },
    };
    expect(translationOf(adapter).answer(session, answer)).toEqual({ ...answer, status: 402 });
  });

  it('is read by the adapter', () => {
    const adapter: Adapter = {
      create_session: {
        answer: ({ body }: AdapterAnswer<{ id: string }>) => ({ ...grant, session_id: body.id }),
      },
    };
    expect(translationOf(adapter).answer(session, answer).body).toEqual(grant);
  });

  it('shows a history under the names of the profile', () => {
    const adapter: Adapter = {
      read_session: { answer: () => ({ session_id: 's', interactions: [{ type: 'cart_intent' }] }) },
    };
    const names = { session_history: { list: 'log', type: 'kind' } };
    expect(translationOf(adapter, names).answer(calls.readSession('s'), answer).body).toEqual({
      session_id: 's',
      log: [{ kind: 'cart_intent' }],
    });
  });

  it('of a page leads to the next, whose request gets what the adapter said', () => {
    const adapter: Adapter = {
      list_shades: {
        request: ({ catalog_id, page }) => ({ path: '/l', body: { catalog_id, page } }),
        answer: ({ body }: AdapterAnswer<{ id: string }>) => ({ shades: [], next: body.id }),
      },
    };
    const translation = translationOf(adapter);
    const list = calls.listShades('c 1');
    const { body } = translation.answer(list, { ...answer, body: { id: 'a&b' } });
    const next = nextPage({ body, link: undefined, pagedBy: undefined }, list.path, baseUrl);
    if (next.kind !== 'more') throw new Error(next.kind);
    const further = translation.request(calls.nextShades('c 1', next.path), 'Bearer KEY');
    expect(further.body).toBe('{"catalog_id":"c 1","page":"a&b"}');
  });
});

describe('an adapter', () => {
  it('with a field that there is not is rejected', () => {
    expect(() => defineAdapter({ createSession: {} } as Adapter)).toThrow(
      'defineAdapter: createSession: no such field; there are create_session, read_session',
    );
  });
});

describe('the check without a network', () => {
  const faultsOf = (results: readonly Checked[]): string[] =>
    results
      .filter(({ kind }) => kind !== 'right')
      .map(({ endpoint, kind, text }) => `${kind} ${endpoint}: ${text}`);
  const profile = profileSchema.parse({});
  const requestFaults = (adapter: Adapter): string[] =>
    faultsOf(checkRequests(translationOf(adapter), profile));
  const exampleFaults = (adapter: Adapter): string[] =>
    faultsOf(checkExamples(adapter, translationOf(adapter), profile));

  it('finds nothing in an adapter that changes nothing', () => {
    expect(requestFaults({})).toEqual([]);
  });

  it.each([
    [
      'a field that no request says',
      ({ catalog_id }: { catalog_id: string }, { key = '' }) => ({
        path: `/s/${encodeURIComponent(catalog_id)}`,
        headers: { key },
      }),
      [
        'wrong create_session: the request is the same for every value of product_id',
        'note create_session: the request is the same for every value of locale',
      ],
    ],
    [
      'credentials that no request carries',
      (fields: object) => ({ path: '/s', body: fields }),
      ['wrong create_session: the request is the same for every value of the credentials'],
    ],
    [
      'a path that does not begin with a slash',
      (fields: object, { key = '' }) => ({ path: 's', headers: { key }, body: fields }),
      ['wrong create_session: path: expected one that begins with /, got "s"'],
    ],
    [
      'what it throws',
      () => {
        throw new Error('not yet');
      },
      ['wrong create_session: adapter own.ts: create_session.request: not yet'],
    ],
  ])('finds %s', (_, request, faults) => {
    expect(requestFaults({ create_session: { request } })).toEqual(faults);
  });

  it.each([
    [
      'that is read otherwise than it says',
      { answer: {}, body: { ...grant, token: 'u' } },
      /^wrong create_session: an example: expected .*"u".*, got .*"t"/,
    ],
    ['with another status', { answer: { status: 401 } }, /expected status 200, got 401/],
  ])('finds an example %s', (_, example, fault) => {
    const adapter: Adapter = {
      create_session: { answer: () => grant },
      examples: [{ endpoint: 'create_session', ...example }],
    };
    expect(exampleFaults(adapter).join()).toMatch(fault);
  });

  it('finds an answer that is not in the form of the interface', () => {
    const adapter: Adapter = {
      create_session: { answer: () => ({ ...grant, expires_at: 'soon' }) },
      examples: [{ endpoint: 'create_session', answer: {} }],
    };
    expect(exampleFaults(adapter)).toEqual([
      'wrong create_session: an example: expires_at: expected an ISO 8601 instant in UTC, got "soon"',
    ]);
  });

  it('notes an answer without an example', () => {
    expect(exampleFaults({ create_session: { answer: () => grant } })).toEqual([
      'note create_session: no example of its answer',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { mapOf } from '../../../src/target/adapt/map.ts';
import type { Answer, Translation } from '../../../src/target/calls.ts';
import * as calls from '../../../src/target/calls.ts';
import type { WireRequest } from '../../../src/target/endpoint-map.ts';
import { type ProfileInput, profileSchema, usualChannel } from '../../../src/target/profile.ts';
import { nextPage, pageHeadersOf } from '../../../src/target/shade-list.ts';
import { readSession } from '../../../src/target/wire-schemas.ts';

const baseUrl = new URL('http://shop.example/api/v1');
const key = 'Bearer KEY';

function translationOf(profile: ProfileInput): Translation {
  const translation = mapOf(profileSchema.parse(profile), baseUrl);
  if (translation === undefined) throw new Error('no map');
  return translation;
}

function sent(profile: ProfileInput, call: calls.Call, authorization = key): Partial<WireRequest> {
  const { body, ...rest } = translationOf(profile).request(call, authorization);
  return { ...rest, ...(body === undefined ? {} : { body: JSON.parse(body) }) };
}

function read(profile: ProfileInput, call: calls.Call, answer: Partial<Answer>): Answer {
  return translationOf(profile).answer(call, { status: 200, headers: {}, body: undefined, ...answer });
}

const session = calls.createSession({ product_id: 'p 1', catalog_id: 'c', locale: 'en-GB' });
const shade = { sku: 'S-1', name: 'Rosé', hex: '#112233', finish: 'matte' };
const imported = calls.importShades({ catalog_id: 'c/1', shades: [shade] });
const event = { id: 'e1', type: 'shade_selected', sku: 'S-1', at: '2026-01-01T00:00:00Z' } as const;
const acted = calls.interact(usualChannel, 's1', { interactions: [event] });
const dates = { start_date: '2026-01-01', end_date: '2026-01-31' };

describe('a profile without a map', () => {
  it.each([
    ['nothing at all', {}],
    ['a channel of which only the path is told', { channel: { path: '/events' } }],
  ])('that says %s needs no translation', (_, profile) => {
    expect(mapOf(profileSchema.parse(profile), baseUrl)).toBeUndefined();
  });
});

describe('a request', () => {
  it('of an endpoint that the map leaves out goes out as the interface has it', () => {
    const map = { analytics: { path: '/stats' } };
    expect(sent({ map }, session)).toEqual({
      method: 'POST',
      path: '/sessions',
      headers: { authorization: key },
      body: { product_id: 'p 1', catalog_id: 'c', locale: 'en-GB' },
    });
  });

  it('has the path, the method and the body of the map', () => {
    const map = {
      create_session: {
        method: 'PUT',
        path: '/catalogs/{catalog_id}/tryons?v=2&p={product_id}',
        body: { tryon: { product: '{product_id}', note: 'for {locale} in {catalog_id}', kind: 7 } },
      },
    } as const;
    expect(sent({ map }, session)).toEqual({
      method: 'PUT',
      path: '/catalogs/c/tryons?v=2&p=p%201',
      headers: { authorization: key },
      body: { tryon: { product: 'p 1', note: 'for en-GB in c', kind: 7 } },
    });
  });

  it('has each entry of a list in the form of the one entry in the map', () => {
    const map = {
      import_shades: { body: { into: '{catalog_id}', rows: [{ code: '{sku}', rgb: '{hex}' }] } },
    };
    expect(sent({ map }, imported)).toMatchObject({
      body: { into: 'c/1', rows: [{ code: 'S-1', rgb: '#112233' }] },
    });
  });

  it('that the interface has as GET becomes POST with a body', () => {
    const map = {
      read_session: { path: '/graphql', body: { query: 'q($id: ID!) {id}', id: '{session_id}' } },
    };
    expect(sent({ map }, calls.readSession('s/1'))).toMatchObject({
      method: 'POST',
      path: '/graphql',
      body: { query: 'q($id: ID!) {id}', id: 's/1' },
    });
  });

  it('leaves a parameter of the query out that has no value', () => {
    const map = { analytics: { path: '/stats?from={start_date}&to={end_date}&only={product_id}' } };
    expect(sent({ map }, calls.analytics(dates)).path).toBe('/stats?from=2026-01-01&to=2026-01-31');
    expect(sent({ map }, calls.analytics({ ...dates, product_id: 'a&b' })).path).toMatch(/&only=a%26b$/);
  });

  it.each([
    [
      'in a header of all requests',
      { map: { headers: { 'X-Api-Key': '{key}' } } },
      session,
      { 'x-api-key': 'KEY' },
    ],
    [
      'in a header, with the shopper’s token',
      { channel: { headers: { 'X-Session': '{token}' } } },
      acted,
      { 'x-session': 'KEY' },
    ],
    ['in a cookie', { channel: { headers: { Cookie: 'a=1; t={token}' } } }, acted, { cookie: 'a=1; t=KEY' }],
    ['in the body', { channel: { body: { auth: '{token}' } } }, acted, {}],
    [
      'as usual, where only the API key has another place',
      { map: { headers: { 'X-Api-Key': '{key}' } } },
      acted,
      { authorization: key },
    ],
  ] as const)('has the credentials %s', (_, profile, call, headers) => {
    expect(sent(profile as ProfileInput, call).headers).toEqual(headers);
  });

  it('keeps an Authorization header that is no bearer’s, as probes send it', () => {
    const map = { headers: { 'X-Api-Key': '{key}' } };
    expect(sent({ map }, session, 'KEY').headers).toEqual({ authorization: 'KEY' });
  });

  it('of one event has its fields in no list, where the profile says that a request carries one', () => {
    const body = { uid: '{id}', name: '{type}', item: '{sku}' };
    const channel = { most_events: 1, body, types: { shade_selected: 'pick' } };
    expect(sent({ channel }, acted).body).toMatchObject({ name: 'pick', item: expect.any(String) });
  });

  it('of the channel has names, types and ids where the map says', () => {
    const channel = {
      body: {
        session: '{session_id}',
        batch: [{ s: '{session_id}', event: '{type}', item: '{sku}', ts: '{at}' }],
      },
      types: { shade_selected: 'SHADE_PICK' },
    };
    expect(sent({ channel }, acted).body).toEqual({
      session: 's1',
      batch: [{ s: 's1', event: 'SHADE_PICK', item: 'S-1', ts: event.at }],
    });
  });
});

describe('a malformed probe stays malformed', () => {
  const map = {
    create_session: { body: { product: '{product_id}', catalog: '{catalog_id}' } },
    import_shades: { body: { rows: [{ code: '{sku}' }] } },
    read_session: { path: '/tryons/{session_id}' },
    list_shades: { path: '/items?in={catalog_id}' },
  };
  const probe = (endpoint: calls.Call['endpoint'], path: string, body?: string): calls.Call => ({
    endpoint,
    method: body === undefined ? 'GET' : 'POST',
    path,
    about: {},
    ...(body === undefined ? {} : { body }),
  });

  it.each([
    [
      'with a field of another type',
      probe('create-session', '/sessions', '{"product_id":42,"catalog_id":{}}'),
      '{"product":42,"catalog":{}}',
    ],
    ['with null', probe('create-session', '/sessions', '{"product_id":null}'), '{"product":null}'],
    ['without a field', probe('create-session', '/sessions', '{"catalog_id":"c"}'), '{"catalog":"c"}'],
    ['that is no JSON', probe('create-session', '/sessions', '{"product_id":'), '{"product_id":'],
    ['that is a list', probe('create-session', '/sessions', '[{}]'), '[{}]'],
    ['with a text for the list', probe('import-shades', '/shades', '{"shades":"text"}'), '{"rows":"text"}'],
    ['with an entry that is null', probe('import-shades', '/shades', '{"shades":[null]}'), '{"rows":[null]}'],
  ])('%s', (_, call, expected) => {
    expect(translationOf({ map }).request(call, key).body).toBe(expected);
  });

  it.each([
    ['broken percent-encoding', probe('read-session', '/sessions/%zz'), '/tryons/%zz'],
    ['a parameter twice', probe('list-shades', '/shades?catalog_id=a&catalog_id=b'), '/items?in=a&in=b'],
    ['no parameter', probe('list-shades', '/shades'), '/items'],
  ])('with %s', (_, call, path) => {
    expect(translationOf({ map }).request(call, key).path).toBe(path);
  });
});

describe('an answer', () => {
  const grant = { session_id: 's1', token: 'T', expires_at: '2026-01-01T00:00:00Z', shade_count: 3 };

  it('is read from an envelope, under other names', () => {
    const answer = {
      data: { id: 'gid://{session_id}', auth: { jwt: '{token}', until: '{expires_at}' }, n: '{shade_count}' },
    };
    const body = { ok: true, data: { id: 'gid://s1', auth: { jwt: 'T', until: grant.expires_at }, n: 3 } };
    expect(read({ map: { create_session: { answer } } }, session, { body }).body).toEqual(grant);
  });

  it('is read from headers and cookies', () => {
    const map = {
      create_session: {
        answer_headers: {
          Location: '/api/v1/tryons/{session_id}',
          'Set-Cookie': 'tryon={token}',
          'X-Until': '{expires_at}',
        },
      },
    };
    const headers = {
      location: '/api/v1/tryons/s1',
      'set-cookie': ['other=1', 'tryon=T; Path=/; HttpOnly'],
      'x-until': grant.expires_at,
    };
    expect(read({ map }, session, { headers, body: { shade_count: 3 } }).body).toEqual(grant);
  });

  it.each([
    ['lacks a field, has no field', { data: {} }, {}],
    ['has another type, keeps it', { data: { id: 5 } }, { session_id: 5 }],
    ['is no object, has no field', 'text', {}],
  ])('that %s', (_, body, expected) => {
    const map = { create_session: { answer: { data: { id: '{session_id}' } } } };
    expect(read({ map }, session, { body }).body).toEqual(expected);
  });

  it('that is an error stays as it is', () => {
    const map = { create_session: { answer: { data: { id: '{session_id}' } } } };
    expect(read({ map }, session, { status: 402, body: { error: 'quota' } })).toMatchObject({
      status: 402,
      body: { error: 'quota' },
    });
  });

  it('of analytics has its list', () => {
    const map = {
      analytics: {
        answer: { r: { n: '{total_sessions}', best: [{ code: '{sku}', hits: '{selections}' }] } },
      },
    };
    const body = { r: { n: 4, best: [{ code: 'S-1', hits: 2, rank: 1 }] } };
    expect(read({ map }, calls.analytics(dates), { body }).body).toEqual({
      total_sessions: 4,
      top_shades: [{ sku: 'S-1', selections: 2 }],
    });
  });

  it.each([
    ['default names', {}],
    ['names of the profile', { list: 'history.events', type: 'kind' }],
  ])('of a session read back shows its history by %s', (_, names) => {
    const profile = profileSchema.parse({
      map: {
        read_session: { answer: { tryon: { id: '{session_id}', log: [{ ev: '{type}', item: '{sku}' }] } } },
      },
      session_history: names,
      channel: { types: { cart_intent: 'ADD_TO_BAG' } },
    });
    const body = { tryon: { id: 's1', log: [{ ev: 'ADD_TO_BAG', item: 'S-1' }] } };
    const answer = mapOf(profile, baseUrl)?.answer(calls.readSession('s1'), {
      status: 200,
      headers: {},
      body,
    });
    expect(answer?.body).toMatchObject({ session_id: 's1' });
    expect(readSession(answer?.body, profile.session_history, 's1')).toEqual({
      ok: true,
      value: { interactions: [{ type: 'cart_intent', sku: 'S-1' }] },
    });
  });
});

describe('a list in pages', () => {
  const list = calls.listShades('c/1');
  const entry = { code: '{sku}' };

  /** The requests for all pages, until there is none or ten were sent. */
  function pathsOf(
    map: ProfileInput['map'],
    answers: (place: number) => Partial<Answer>,
  ): (string | undefined)[] {
    const paths: (string | undefined)[] = [];
    for (let call = list, place = 0; place < 10; place++) {
      paths.push(sent({ map }, call).path);
      const { body, headers } = read({ map }, call, answers(place));
      const next = nextPage({ body, ...pageHeadersOf(headers) }, call.path, baseUrl);
      if (next.kind !== 'more') return [...paths, next.kind === 'closed' ? next.why : undefined];
      expect(next.guessed).toBeUndefined();
      call = calls.nextShades('c/1', next.path);
    }
    return paths;
  }

  it.each([
    [
      'by a cursor',
      {
        path: '/cat/{catalog_id}/items?after={cursor}',
        answer: { items: [entry], page: { after: '{cursor}' } },
      },
      (n: number) => ({ body: { items: [{ code: n }], page: { after: n < 2 ? `k&${n}` : null } } }),
      ['/cat/c%2F1/items', '/cat/c%2F1/items?after=k%260', '/cat/c%2F1/items?after=k%261', undefined],
    ],
    [
      'by a cursor that stays after the last page, where another field says that there is no more',
      { path: '/items?after={cursor}', answer: { items: [entry], after: '{cursor}', more: '{more}' } },
      (n: number) => ({ body: { items: [{ code: n }], after: n, more: n < 1 } }),
      ['/items', '/items?after=0', undefined],
    ],
    [
      'by a page number and the number of pages',
      { path: '/items?page={page}', answer: { items: [entry], of: '{pages}' } },
      (n: number) => ({ body: { items: [{ code: n }], of: 2 } }),
      ['/items', '/items?page=2', undefined],
    ],
    [
      'by a page number from 0, until a page is empty',
      { path: '/items?page={page}', first_page: 0, answer: [entry] },
      (n: number) => ({ body: n < 2 ? [{ code: n }] : [] }),
      ['/items', '/items?page=1', '/items?page=2', undefined],
    ],
    [
      'by an offset and a total',
      { path: '/items?skip={offset}', answer: { items: [entry], total: '{total}' } },
      () => ({ body: { items: [{ code: 1 }, { code: 2 }], total: 5 } }),
      ['/items', '/items?skip=2', '/items?skip=4', undefined],
    ],
    [
      'by a Link header, relative to the page',
      { path: '/cat/{catalog_id}/items', answer: { items: [entry] } },
      (n: number) => ({ body: { items: [] }, headers: n === 0 ? { link: '<?p=2>; rel="next"' } : {} }),
      ['/cat/c%2F1/items', '/cat/c%2F1/items?p=2', undefined],
    ],
    [
      'by a URL in the body',
      { path: '/items?in={catalog_id}', answer: { items: [entry], links: { next: '{next}' } } },
      (n: number) => ({ body: { items: [], links: { next: n === 0 ? '/api/v1/items?k=2' : '' } } }),
      ['/items?in=c%2F1', '/items?k=2', undefined],
    ],
    [
      'by a URL of another origin, which does not get the key',
      { answer: { items: [entry], next: '{next}' } },
      () => ({ body: { items: [], next: 'https://elsewhere.example/api/v1/items' } }),
      ['/shades?catalog_id=c%2F1', 'its link leads to another origin, where the key must not go'],
    ],
    [
      'whose total is told in a header that the map does not need',
      { path: '/items?after={cursor}', answer: { items: [entry], after: '{cursor}' } },
      () => ({ body: { items: [], after: null }, headers: { 'x-total-count': '900' } }),
      ['/items', undefined],
    ],
  ] as const)('goes on %s', (_, map, answers, paths) => {
    expect(pathsOf({ list_shades: map } as ProfileInput['map'], answers)).toEqual(paths);
  });
});

describe('a map that cannot be used is rejected with its field and what was expected', () => {
  it.each([
    [
      { map: { create_session: { body: { p: '{produkt_id}' } } } },
      'map.create_session.body: no placeholder {produkt_id}; there are {product_id}, {catalog_id}, {locale}',
    ],
    [{ map: { analytics: { path: '/a?x={sku}' } } }, 'map.analytics.path: no placeholder {sku}; there are'],
    [
      { map: { list_shades: { path: 'items' } } },
      'map.list_shades.path: Invalid string: must start with "/"',
    ],
    [
      { map: { list_shades: { answer: { items: { code: '{sku}' } } } } },
      'map.list_shades.answer: {sku} is a field of the entries of a list: put it into [ ]',
    ],
    [
      { map: { create_session: { answer: { a: '{token}.{session_id}' } } } },
      'map.create_session.answer: expected one placeholder in a text of an answer',
    ],
    [{ map: { headers: { 'x y': '{key}' } } }, 'map.headers: expected the name of a header field, got "x y"'],
    [
      { map: { list_shades: { answer: { list: [{ c: '{sku}' }], next: '{cursor}' } } } },
      'map.list_shades.answer: it has {cursor}, which neither path nor body of the request takes',
    ],
    [
      { map: { list_shades: { path: '/i?after={cursor}', answer: [{ c: '{sku}' }] } } },
      'map.list_shades.answer: the request takes {cursor}: expected the answer to have it',
    ],
    [
      { channel: { body: { session: '{session_id}', item: '{sku}' } } },
      'channel.body: {sku} is a field of the entries of a list: put it into [ ]',
    ],
    [{ map: { headers: { 'x-key': '{token}' } } }, 'map.headers: no placeholder {token}; there are {key}'],
    [
      { map: { analytics: { headers: { 'x-key': 'Schlüssel {key}' } } } },
      'map.analytics.headers: x-key: expected printable ASCII',
    ],
    [{ channel: { headers: { 'x-t': '{tokn}' } } }, 'channel.headers: no placeholder {tokn}; there are'],
    [{ channel: { body: { t: '{tokn}' } } }, 'channel.body: no placeholder {tokn}; there are'],
    [
      { map: { create_session: { body: 'x' } } },
      'map.create_session.body: expected JSON: an object or a list',
    ],
  ])('%j', (profile, message) => {
    const { error } = profileSchema.safeParse(profile);
    const texts = error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];
    expect(texts.join('\n')).toContain(message);
  });
});

import { describe, expect, test } from 'vitest';
import type { SessionGrant } from '../../src/wire.ts';
import { type Call, type ServiceUnderTest, selected, serviceUnderTest, shade } from './service-under-test.ts';

/** A request to a shop with a catalog of two shades and a session, whose id and token it may have. */
interface Asked extends Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
}
type Ask = (session: SessionGrant) => Asked;

const request = { product_id: 'lipstick', catalog_id: 'spring', locale: 'en-US' };
const get =
  (path: string): Ask =>
  () => ({ method: 'GET', path });
const post =
  (path: string, call: Call): Ask =>
  () => ({ method: 'POST', path, ...call });
const opening = (change: object): Ask => post('/sessions', { body: { ...request, ...change } });
const importing = (body: unknown): Ask => post('/shades', { body });
const batch = (count: number): Ask =>
  importing({ catalog_id: 'spring', shades: Array.from({ length: count }, (_, n) => shade(`S${n}`)) });
/** An import of a shade that is there, and of one with a fault. */
const shadeWith = (fault: object): Ask =>
  importing({ catalog_id: 'spring', shades: [shade('A', { name: 'New' }), shade('C', { ...fault })] });
const sending = (body: unknown, bearer?: (session: SessionGrant) => string | null): Ask => {
  return (session) => ({
    ...{ method: 'POST', path: `/sessions/${session.session_id}/interactions`, body },
    bearer: bearer === undefined ? session.token : bearer(session),
  });
};
const eventWith = (fault: object): Ask =>
  sending({ interactions: [selected('A'), { ...selected('B'), ...fault }] });
const eventBy = (bearer: (session: SessionGrant) => string | null): Ask =>
  sending({ interactions: [selected('A')] }, bearer);
const analytics = (query: string): Ask => get(`/analytics/sessions?${query}`);

const statuses: Readonly<Record<number, Readonly<Record<string, Ask>>>> = {
  200: {
    'a session with a field that nobody knows': opening({ campaign: 'may' }),
    'a batch of one shade': batch(1),
    'a batch of 500 shades': batch(500),
    'analytics of a leap day': analytics('start_date=2024-02-29&end_date=2024-02-29'),
    'analytics of all days': analytics('start_date=0001-01-01&end_date=9999-12-31'),
  },
  400: {
    'JSON that breaks off': post('/shades', { rawBody: '{"catalog_id":' }),
    'an empty body': post('/shades', { rawBody: '' }),
  },
  401: {
    'events without credentials': eventBy(() => null),
    'events with the API key of the session': eventBy(() => 'key-alice'),
    'events with a made-up token': eventBy(() => 'made-up'),
    'events with a made-up token of the session': eventBy(({ session_id }) => `${session_id}.made-up`),
    'events with a cut-off token': eventBy(({ token }) => token.slice(0, -1)),
    'malformed events without credentials': (session) => ({
      ...{ method: 'POST', path: `/sessions/${session.session_id}/interactions` },
      ...{ bearer: null, rawBody: '{' },
    }),
  },
  404: {
    'a session of an unknown catalog': opening({ catalog_id: 'autumn' }),
    'a session with an unknown id': get('/sessions/ts_none'),
    'a session with an overlong id': get(`/sessions/${'x'.repeat(500)}`),
    'a session with an id that is a path': get('/sessions/%2e%2e%2f'),
    'a session with an id that is a lipstick': get('/sessions/%F0%9F%92%84'),
    'a session by the number of its row': get('/sessions/1'),
    'events of an unknown session': ({ token }) => ({
      ...{ method: 'POST', path: '/sessions/ts_none/interactions', bearer: token },
      body: { interactions: [selected('A')] },
    }),
    'a catalog that does not exist': get('/shades?catalog_id=none'),
    'a known path with another method': () => ({ method: 'DELETE', path: '/shades' }),
  },
  413: { 'a body over 4 MiB': post('/shades', { rawBody: `"${'x'.repeat(4 * 1024 * 1024)}"` }) },
  415: {
    text: post('/shades', { rawBody: 'hello', headers: { 'content-type': 'text/plain' } }),
    'a form': post('/shades', {
      ...{ rawBody: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    }),
  },
  422: {
    'a session of no product': opening({ product_id: undefined }),
    'a session of an empty product': opening({ product_id: '' }),
    'a session of a numeric product': opening({ product_id: 5 }),
    'a session of no catalog': opening({ catalog_id: undefined }),
    'a session without a locale': opening({ locale: undefined }),
    'a session in en': opening({ locale: 'en' }),
    'a session in en_US': opening({ locale: 'en_US' }),
    'a session in EN-us': opening({ locale: 'EN-us' }),
    'a session in en-US-x': opening({ locale: 'en-US-x' }),
    'shades of no catalog': get('/shades'),
    'shades of a catalog with an empty name': get('/shades?catalog_id='),
    'shades of two catalogs': get('/shades?catalog_id=a&catalog_id=b'),
    'an import without a body': post('/shades', {}),
    'an import of a list': importing([]),
    'an import of null': importing(null),
    'an import into no catalog': importing({ shades: [shade('A')] }),
    'an import into an empty catalog': importing({ catalog_id: '', shades: [shade('A')] }),
    'an import into catalog 7': importing({ catalog_id: 7, shades: [shade('A')] }),
    'an import of nothing': importing({ catalog_id: 'spring' }),
    'an import of one shade in no list': importing({ catalog_id: 'spring', shades: shade('A') }),
    'an import of a SKU in place of a shade': importing({ catalog_id: 'spring', shades: ['A'] }),
    'a batch without shades': batch(0),
    'a batch of 501 shades': batch(501),
    'a batch with a shade without a sku': shadeWith({ sku: undefined }),
    'a batch with an empty sku': shadeWith({ sku: '' }),
    'a batch with a numeric sku': shadeWith({ sku: 12 }),
    'a batch with a lone surrogate in a sku': shadeWith({ sku: 'A\ud800' }),
    'a batch with a shade without a name': shadeWith({ name: undefined }),
    'a batch with a shade without a finish': shadeWith({ finish: undefined }),
    'a batch with an empty finish': shadeWith({ finish: '' }),
    'a batch with a colour without #': shadeWith({ hex: 'C0FFEE' }),
    'a batch with a colour of three digits': shadeWith({ hex: '#CFE' }),
    'a batch with a colour that is a word': shadeWith({ hex: 'red' }),
    'a batch with a colour of eight digits': shadeWith({ hex: '#C0FFEE00' }),
    'events of a SKU that the catalog does not have': eventWith({ sku: 'Z' }),
    'events of a SKU of another catalog': eventWith({ sku: 'OTHER' }),
    'events with a selection of no SKU': eventWith({ sku: undefined }),
    'events of an unknown type': eventWith({ type: 'shade_deselected' }),
    'events of no type': eventWith({ type: undefined }),
    'events without an id': eventWith({ id: undefined }),
    'events with an id that is no UUID': eventWith({ id: '1' }),
    'events without an instant': eventWith({ at: undefined }),
    'events with an instant that is none': eventWith({ at: 'yesterday' }),
    'events on a day that is not in the calendar': eventWith({ at: '2026-02-30T00:00:00Z' }),
    'events with a date without a time': eventWith({ at: '2026-03-10' }),
    'events with an instant as a number': eventWith({ at: 1_700_000_000 }),
    'events in an empty body': sending({}),
    'events in an object': sending({ interactions: {} }),
    'events that are null': sending({ interactions: null }),
    'events in a bare list': sending([]),
    'analytics without an end': analytics('start_date=2026-03-10'),
    'analytics without a start': analytics('end_date=2026-03-10'),
    'analytics without dates': analytics(''),
    'analytics that end before they start': analytics('start_date=2026-03-11&end_date=2026-03-10'),
    'analytics of the 30th of February': analytics('start_date=2026-02-30&end_date=2026-03-10'),
    'analytics of a 13th month': analytics('start_date=2026-13-01&end_date=2026-13-02'),
    'analytics of a short date': analytics('start_date=2026-3-1&end_date=2026-03-10'),
    'analytics of dates without dashes': analytics('start_date=20260301&end_date=20260310'),
    'analytics from an instant': analytics('start_date=2026-03-01T00:00:00Z&end_date=2026-03-10'),
    'analytics of empty dates': analytics('start_date=&end_date='),
    'analytics of two starts': analytics('start_date=2026-03-01&start_date=2026-03-02&end_date=2026-03-10'),
  },
};

/** What the shop shows: its shades, what was done in its session, and how many there are. */
async function shown({ call }: ServiceUnderTest, { session_id }: SessionGrant): Promise<string> {
  const today = 'start_date=2026-03-10&end_date=2026-03-10';
  const paths = ['/shades?catalog_id=spring', `/sessions/${session_id}`, `/analytics/sessions?${today}`];
  return (await Promise.all(paths.map((path) => call('GET', path)))).map(({ text }) => text).join();
}

describe.each(Object.entries(statuses))(
  '%s is what is answered, and nothing is stored unless that is 200, to',
  (code, rows) => {
    test.each(Object.entries(rows))('%s', async (_, ask) => {
      const service = serviceUnderTest();
      await service.importShades('spring', [shade('A'), shade('B')]);
      await service.importShades('other', [shade('OTHER')]);
      const session = await service.openSession();
      const before = await shown(service, session);
      const { method, path, ...call } = ask(session);
      const answer = await service.call(method, path, call);
      expect(answer.status, answer.text).toBe(Number(code));
      if (answer.status === 200) return;
      expect(answer.json()).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
      expect(await shown(service, session)).toBe(before);
    });
  },
);

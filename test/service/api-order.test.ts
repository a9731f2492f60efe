import { describe, expect, test } from 'vitest';
import { cartIntent, selected, serviceUnderTest, shade } from './service-under-test.ts';

const routes = [
  ['POST', '/sessions'],
  ['GET', '/sessions/ts_anything'],
  ['GET', '/shades?catalog_id=spring'],
  ['POST', '/shades'],
  ['GET', '/analytics/sessions?start_date=2026-03-10&end_date=2026-03-10'],
  ['GET', '/no/such/route'],
  ['GET', ''],
  ['GET', '/sessions/%zz'],
] as const;

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string };
}

describe.each(routes)('%s %s', (method, path) => {
  test.each([
    ['no key', null],
    ['a key that nobody has', 'key-nobody'],
    ['a key with something after it', 'key-alice x'],
    ['an empty key', ''],
  ])('answers 401 to %s, and spends nothing', async (_, bearer) => {
    const { call } = serviceUnderTest();
    const answer = await call(method, path, { bearer });
    expect(answer.status).toBe(401);
    expect(answer.json<ErrorBody>().error.code).toBe('unauthorized');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.headers['ratelimit-remaining']).toBeUndefined();
  });

  test('answers 401 to the token of a session', async () => {
    const service = serviceUnderTest();
    await service.importShades('spring', [shade('S1')]);
    const session = await service.openSession();
    expect((await service.call(method, path, { bearer: session.token })).status).toBe(401);
  });

  test('spends the rate limit whatever comes of it, and then answers 429', async () => {
    const service = serviceUnderTest({ rateLimit: { requests: 2, windowMs: 60_000 } });
    const first = await service.call(method, path);
    const second = await service.call(method, path);
    const third = await service.call(method, path);
    expect(first.headers['ratelimit-remaining']).toBe('1');
    expect(second.headers['ratelimit-remaining']).toBe('0');
    expect([first.status, second.status]).not.toContain(429);
    expect(third.status).toBe(429);
    expect(third.json<ErrorBody>().error.code).toBe('rate_limited');
  });

  test('answers 401, not 429, to a wrong key while the right one is used up', async () => {
    const service = serviceUnderTest({ rateLimit: { requests: 1, windowMs: 60_000 } });
    await service.call(method, path);
    expect((await service.call(method, path)).status).toBe(429);
    expect((await service.call(method, path, { bearer: 'key-nobody' })).status).toBe(401);
  });
});

describe('the scheme of the Authorization header', () => {
  test.each([
    ['Bearer key-alice', 404],
    ['bearer key-alice', 404],
    ['BEARER   key-alice', 404],
    ['Basic key-alice', 401],
    ['key-alice', 401],
    ['Bearer', 401],
  ])('%j leads to %i', async (authorization, status) => {
    const { call } = serviceUnderTest();
    const answer = await call('GET', '/sessions/none', { bearer: null, headers: { authorization } });
    expect(answer.status).toBe(status);
  });
});

describe('checks come in the order 401, 429, 404 and 422, 402', () => {
  const request = { product_id: 'p', catalog_id: 'spring', locale: 'en-US' };

  test.each([
    ['an unknown catalog', { ...request, catalog_id: 'autumn' }, 404],
    ['a malformed locale', { ...request, locale: 'english' }, 422],
    ['nothing wrong with it', request, 402],
  ])('over quota, a session request with %s gets what is first in the order', async (_, body, status) => {
    const service = serviceUnderTest();
    await service.importShades('spring', [shade('S1')], 'key-small');
    for (let i = 0; i < 3; i++) await service.openSession({}, 'key-small');
    expect((await service.call('POST', '/sessions', { bearer: 'key-small', body })).status).toBe(status);
  });

  test('over quota and over the rate, a session request gets 429', async () => {
    const service = serviceUnderTest({ rateLimit: { requests: 4, windowMs: 60_000 } });
    await service.importShades('spring', [shade('S1')], 'key-small');
    for (let i = 0; i < 3; i++) await service.openSession({}, 'key-small');
    const answer = await service.call('POST', '/sessions', { bearer: 'key-small', body: request });
    expect(answer.status).toBe(429);
  });

  test('a rejected request with an unread body leaves the service able to answer the next', async () => {
    const { call } = serviceUnderTest();
    const refused = await call('POST', '/shades', { bearer: null, rawBody: 'x'.repeat(1_000_000) });
    expect(refused.status).toBe(401);
    expect((await call('GET', '/shades?catalog_id=none')).status).toBe(404);
  });
});

describe('the channel of shoppers stands outside the rate limit', () => {
  test('a session can be acted upon while its key is used up, and that spends nothing', async () => {
    const service = serviceUnderTest({ rateLimit: { requests: 3, windowMs: 60_000 } });
    await service.importShades('spring', [shade('S1')]);
    const session = await service.openSession();
    for (let i = 0; i < 10; i++) expect((await service.interact(session, [selected('S1')])).status).toBe(202);
    const last = await service.call('GET', `/sessions/${session.session_id}`);
    expect(last.headers['ratelimit-remaining']).toBe('0');
    expect((await service.call('GET', '/shades?catalog_id=spring')).status).toBe(429);
    const act = await service.interact(session, [cartIntent()]);
    expect(act.status).toBe(202);
    expect(act.headers['ratelimit-remaining']).toBeUndefined();
  });
});

test('a fault inside gets 500 and tells nothing of itself', async () => {
  const { call } = serviceUnderTest(
    {},
    {
      parts: (parts) => ({
        ...parts,
        catalogs: {
          ...parts.catalogs,
          list: () => {
            throw new Error('disk image is malformed at /secret/place');
          },
        },
      }),
    },
  );
  const answer = await call('GET', '/shades?catalog_id=spring');
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain('secret');
  expect(answer.headers['ratelimit-remaining']).toBe('999');
});

import { describe, expect, test } from 'vitest';
import { type KeyOptions, ServiceConfigurationError } from '../../src/service/options.ts';
import { buildService } from '../../src/service/server.ts';
import { cartIntent, selected, serviceUnderTest, shade } from './service-under-test.ts';

const request = { product_id: 'lipstick', catalog_id: 'spring', locale: 'en-US' };
const today = 'start_date=2026-03-10&end_date=2026-03-10';

describe('data belongs to an account', () => {
  test('a key of another account sees no catalog, no session and no analytics of it', async () => {
    const service = serviceUnderTest();
    await service.importShades('spring', [shade('A')]);
    const session = await service.openSession();
    await service.interact(session, [selected('A'), cartIntent()]);

    const asBob = { bearer: 'key-bob' };
    expect((await service.call('GET', '/shades?catalog_id=spring', asBob)).status).toBe(404);
    expect((await service.call('POST', '/sessions', { ...asBob, body: request })).status).toBe(404);
    expect((await service.call('GET', `/sessions/${session.session_id}`, asBob)).status).toBe(404);
    const analytics = await service.call('GET', `/analytics/sessions?${today}`, asBob);
    expect(analytics.json()).toMatchObject({ total_sessions: 0, top_shades: [] });
  });

  test('another key of the same account sees it all', async () => {
    const service = serviceUnderTest();
    await service.importShades('spring', [shade('A')]);
    const session = await service.openSession();
    const asTheOther = { bearer: 'key-alice-too' };
    expect((await service.call('GET', '/shades?catalog_id=spring', asTheOther)).status).toBe(200);
    expect((await service.call('GET', `/sessions/${session.session_id}`, asTheOther)).status).toBe(200);
    const analytics = await service.call('GET', `/analytics/sessions?${today}`, asTheOther);
    expect(analytics.json()).toMatchObject({ total_sessions: 1 });
  });
});

describe('the session quota, here of 3', () => {
  const asSmall = { bearer: 'key-small' };

  test('lasts for good, and blocks nothing but new sessions', async () => {
    const service = serviceUnderTest();
    await service.importShades('spring', [shade('A')], 'key-small');
    const session = await service.openSession({}, 'key-small');
    for (let i = 0; i < 2; i++) await service.openSession({}, 'key-small');
    expect((await service.interact(session, [selected('A')])).status).toBe(202);
    service.clock.pass(400 * 86_400_000);
    const refused = await service.call('POST', '/sessions', { ...asSmall, body: request });
    expect(refused.status).toBe(402);
    expect(refused.json()).toMatchObject({ error: { code: 'quota_exceeded' } });
    expect((await service.importShades('summer', [shade('A')], 'key-small')).status).toBe(200);
    expect((await service.call('GET', '/shades?catalog_id=spring', asSmall)).status).toBe(200);
    expect((await service.call('GET', `/sessions/${session.session_id}`, asSmall)).status).toBe(200);
    expect((await service.call('GET', `/analytics/sessions?${today}`, asSmall)).status).toBe(200);
  });

  test('is one for all keys of an account, and another for another account', async () => {
    const key = (label: string, account: string): KeyOptions => ({
      label,
      secret: `key-${label}`,
      account,
      plan: 'small',
    });
    const service = serviceUnderTest({ keys: [key('one', 'x'), key('two', 'x'), key('three', 'y')] });
    for (const secret of ['key-one', 'key-three']) await service.importShades('spring', [shade('A')], secret);
    const open = async (bearer: string): Promise<number> =>
      (await service.call('POST', '/sessions', { bearer, body: request })).status;
    expect([await open('key-one'), await open('key-two'), await open('key-one')]).toEqual([200, 200, 200]);
    expect([await open('key-one'), await open('key-two'), await open('key-three')]).toEqual([402, 402, 200]);
  });
});

describe('a service is not started with', () => {
  const key = { label: 'a', secret: 'sa', account: 'a', plan: 'p' };
  test.each([
    ['a key on an unknown plan', [{ ...key, plan: 'constructor' }], /names pricing plan constructor/],
    [
      'two plans for one account',
      [key, { ...key, label: 'b', secret: 'sb', plan: 'q' }],
      /two pricing plans, p and q/,
    ],
    ['two keys of one label', [key, { ...key, secret: 'sb' }], /two keys are called a/],
    ['two keys of one secret', [key, { ...key, label: 'b' }], /key b has the same secret/],
  ])('%s', (_, keys, message) => {
    const start = () => buildService({ databaseFile: ':memory:', plans: { p: 1, q: 2 }, keys });
    expect(start).toThrow(ServiceConfigurationError);
    expect(start).toThrow(message);
  });
});

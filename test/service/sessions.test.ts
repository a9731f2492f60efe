import { describe, expect, test } from 'vitest';
import type { SessionGrant } from '../../src/wire.ts';
import { cartIntent, selected, serviceUnderTest, shade } from './service-under-test.ts';

const request = { product_id: 'lipstick', catalog_id: 'spring', locale: 'en-US' };

describe('POST /sessions', () => {
  test('never gives an identifier or a token twice', async () => {
    const service = serviceUnderTest({ rateLimit: { requests: 10_000, windowMs: 1 } });
    await service.importShades('spring', [shade('A')]);
    const grants: SessionGrant[] = [];
    for (let i = 0; i < 200; i++) grants.push(await service.openSession());
    expect(new Set(grants.map(({ session_id }) => session_id)).size).toBe(200);
    expect(new Set(grants.map(({ token }) => token)).size).toBe(200);
  });
});

describe('GET /sessions/{id}', () => {
  test('gives the session and all that was done in it, in order of arrival, but not the token', async () => {
    const service = serviceUnderTest();
    await service.importShades('spring', [shade('A'), shade('B')]);
    const session = await service.openSession();
    const acts = [selected('B'), selected('A'), selected('B'), cartIntent('A'), cartIntent()];
    await service.interact(session, acts.slice(3));
    await service.interact(session, acts.slice(0, 3));
    const answer = await service.call('GET', `/sessions/${session.session_id}`);
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      session_id: session.session_id,
      ...request,
      created_at: '2026-03-10T12:00:00.000Z',
      expires_at: '2026-03-10T12:30:00.000Z',
      shade_count: 2,
      interactions: [...acts.slice(3), ...acts.slice(0, 3)],
    });
    expect(answer.text).not.toContain(session.token);
  });

  test('still gives a session that has expired, with the shade_count of its creation', async () => {
    const service = serviceUnderTest();
    await service.importShades('spring', [shade('A')]);
    const session = await service.openSession();
    await service.importShades('spring', [shade('B')]);
    service.clock.pass(86_400_000);
    const answer = await service.call('GET', `/sessions/${session.session_id}`);
    expect(answer.json()).toMatchObject({ session_id: session.session_id, shade_count: 1 });
  });

  test('keeps products, catalogs and SKUs of any characters', async () => {
    const service = serviceUnderTest();
    await service.importShades('a/b?c#d%', [shade('💄 "1"')]);
    const session = await service.openSession({ product_id: "Rouge d'été/№5", catalog_id: 'a/b?c#d%' });
    await service.interact(session, [selected('💄 "1"')]);
    const answer = await service.call('GET', `/sessions/${encodeURIComponent(session.session_id)}`);
    expect(answer.json()).toMatchObject({
      product_id: "Rouge d'été/№5",
      catalog_id: 'a/b?c#d%',
      interactions: [{ sku: '💄 "1"' }],
    });
  });
});

import { describe, expect, test } from 'vitest';
import { variants } from '../../src/service/variants.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { readAnalytics, readGrant, readSession, readShades } from '../../src/target/wire-schemas.ts';
import type { SessionAnalytics, SessionGrant } from '../../src/wire.ts';
import {
  cartIntent,
  type ServiceUnderTest,
  selected,
  serviceUnderTest,
  shade,
} from './service-under-test.ts';
import { testScripts } from './transcripts.ts';

const today = '/analytics/sessions?start_date=2026-03-10&end_date=2026-03-10';

/** Three sessions, in which seven shades are selected once and A once more. */
async function visited(service: ServiceUnderTest): Promise<SessionGrant> {
  const skus = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
  await service.importShades(
    'spring',
    skus.map((sku) => shade(sku)),
  );
  const session = await service.openSession();
  await service.interact(session, [...skus.map((sku) => selected(sku)), selected('A'), cartIntent('A')]);
  await service.openSession();
  await service.openSession();
  return session;
}

const list = (service: ServiceUnderTest, catalog: string) =>
  service.call('GET', `/shades?catalog_id=${catalog}`);

describe('a variant', () => {
  testScripts(
    // How `slow` shows is looked at beside the defects of latency.
    variants.filter(({ name }) => name !== 'slow'),
    (altered) => serviceUnderTest({ rateLimit: { requests: 10, windowMs: 1_500 } }, altered),
    {
      'the analytics of three sessions': async (service) => {
        const { session_id } = await visited(service);
        await service.call('GET', today);
        await service.call('GET', `/sessions/${session_id}`);
        return [
          (await service.call('GET', today))
            .json<SessionAnalytics>()
            .top_shades.map(({ sku }) => sku)
            .join(''),
        ];
      },
      'top_shades where four shades differ': async (service) => {
        await service.importShades(
          'spring',
          [...'ABCD'].map((sku) => shade(sku)),
        );
        await service.interact(
          await service.openSession(),
          [...'AAABBCCD'].map((sku) => selected(sku)),
        );
        return [(await service.call('GET', today)).json<SessionAnalytics>().top_shades.length];
      },
      'analytics before a session, at once after it, and 700 ms later': async (service) => {
        await service.importShades('spring', [shade('A')]);
        await service.call('GET', today);
        await service.openSession();
        await service.call('GET', today);
        service.clock.pass(700);
        await service.call('GET', today);
      },
      'an import, an empty one, and a list': async (service) => {
        await service.importShades('spring', [shade('A')]);
        await service.importShades('spring', []);
        await list(service, 'spring');
      },
      'an unknown catalog': (service) => list(service, 'none'),
      'ten requests, and ten more half a window later': async (service) => {
        for (let n = 0; n < 20; n++) {
          if (n === 10) service.clock.pass(750);
          await list(service, 'none');
        }
        return service.answers.map(({ status }) => status === 404).join();
      },
    },
    [
      ['ties-descending', 'the analytics of three sessions', 'AGFEDCB'],
      ['short-top-shades', 'the analytics of three sessions', '["ABCDE"]'],
      ['ties-listed', 'top_shades where four shades differ', '[3]'],
      [
        'unrounded',
        'the analytics of three sessions',
        '"avg_shades_per_session":2.333333333333333,"cart_intent_rate":0.33333333333333326',
      ],
      [
        'cached-analytics',
        'analytics before a session, at once after it, and 700 ms later',
        '"total_sessions":0',
      ],
      ['shades-bare', 'an import, an empty one, and a list', '200 [{"sku":"A"'],
      ['shades-wrapped', 'an import, an empty one, and a list', '200 {"shades":[{"sku":"A"'],
      ['import-201', 'an import, an empty one, and a list', '201 '],
      ['import-202', 'an import, an empty one, and a list', '202 '],
      ['extra-fields', 'the analytics of three sessions', '"revision"'],
      ['draft-10-headers', 'an unknown catalog', '"ratelimit":"\\"key\\";r=9;t=2"'],
      ['x-headers', 'an unknown catalog', '"x-ratelimit-reset":"1773144002"'],
      ['problem-details', 'an unknown catalog', '"status":404,"detail":"there is no catalog none"}'],
      ['empty-errors', 'an unknown catalog', '404  {'],
      ['token-bucket', 'ten requests, and ten more half a window later', 'true,true,true,true,true,false'],
      ['clock-ahead', 'the analytics of three sessions', '"created_at":"2026-03-10T12:00:00.400Z"'],
      ['clock-behind', 'the analytics of three sessions', '"created_at":"2026-03-10T11:59:59.600Z"'],
    ],
  );
});

describe.each([...variants])('$name honours the interface', ({ alterations }) => {
  const fields = profileSchema.parse({}).session_history;

  test('in every success', async () => {
    const service = serviceUnderTest({}, alterations);
    const imported = await service.importShades('spring', [shade('A'), shade('B')]);
    expect(imported.status).toBeOneOf([200, 201, 202]);
    const listed = await service.call('GET', '/shades?catalog_id=spring');
    expect([listed.status, readShades(listed.json())]).toMatchObject([
      200,
      { ok: true, value: [shade('A'), shade('B')] },
    ]);

    const body = { product_id: 'lipstick', catalog_id: 'spring', locale: 'en-US' };
    const opened = await service.call('POST', '/sessions', { body });
    expect([opened.status, readGrant(opened.json())]).toMatchObject([
      200,
      { ok: true, value: { shade_count: 2 } },
    ]);
    const session = opened.json<SessionGrant>();
    const acts = [selected('A'), selected('B'), selected('A'), cartIntent('A')];
    expect(await service.interact(session, acts)).toMatchObject({ status: 202 });

    const read = await service.call('GET', `/sessions/${session.session_id}`);
    const view = readSession(read.json(), fields, session.session_id);
    expect([read.status, view]).toMatchObject([200, { ok: true, value: { interactions: acts } }]);
    const reported = await service.call('GET', today);
    expect([reported.status, readAnalytics(reported.json())]).toMatchObject([
      200,
      {
        ok: true,
        value: {
          period: '2026-03-10 / 2026-03-10',
          total_sessions: 1,
          avg_shades_per_session: expect.closeTo(2, 12),
          cart_intent_rate: expect.closeTo(1, 12),
          top_shades: [
            { sku: 'A', selections: 2 },
            { sku: 'B', selections: 1 },
          ],
        },
      },
    ]);
  });

  test('in every error', async () => {
    const service = serviceUnderTest({ rateLimit: { requests: 8, windowMs: 60_000 } }, alterations);
    const small = 'key-small';
    await service.importShades('spring', [shade('A')], small);
    for (let n = 0; n < 3; n++) await service.openSession({}, small);
    const body = { product_id: 'lipstick', catalog_id: 'spring', locale: 'en-US' };
    const many = Array.from({ length: 501 }, (_, n) => shade(`S${n}`));
    const answers = [
      await service.call('GET', '/shades?catalog_id=spring', { bearer: null }),
      await service.call('GET', '/shades?catalog_id=spring', { bearer: 'key-nobody' }),
      await service.call('GET', '/shades?catalog_id=none', { bearer: small }),
      await service.call('GET', '/sessions/ts_none', { bearer: small }),
      await service.importShades('spring', many, small),
      await service.call('POST', '/sessions', { bearer: small, body }),
      await service.call('GET', '/shades?catalog_id=spring', { bearer: small }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 404, 404, 422, 402, 429]);
    expect(Number(answers.at(-1)?.headers['retry-after'])).toBeGreaterThan(0);
  });
});

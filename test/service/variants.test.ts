import { describe, expect, test } from 'vitest';
import { variants } from '../../src/service/variants.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { readAnalytics, readGrant, readSession, readShades } from '../../src/target/wire-schemas.ts';
import type { SessionAnalytics, SessionGrant } from '../../src/wire.ts';
import { type Looks, testLooks } from './defects/looks.ts';
import {
  cartIntent,
  type ServiceUnderTest,
  selected,
  serviceUnderTest,
  shade,
} from './service-under-test.ts';

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

async function analytics(service: ServiceUnderTest): Promise<SessionAnalytics> {
  return (await service.call('GET', today)).json<SessionAnalytics>();
}

/** Whether objects, outer and inner, of successes and errors have a field "revision". */
async function revisions(service: ServiceUnderTest): Promise<boolean[]> {
  const { session_id } = await visited(service);
  const list = (await service.call('GET', '/shades?catalog_id=spring')).json<{ shades: object[] }>();
  const history = (await service.call('GET', `/sessions/${session_id}`)).json<{ interactions: object[] }>();
  const none = (await service.call('GET', '/shades?catalog_id=none')).json<{ error: object }>();
  const all = [list, ...list.shades, history, ...history.interactions, none, none.error];
  return [...new Set(all.map((each) => 'revision' in each))];
}

const looks = {
  'the order of top_shades': [
    async (service) => {
      await visited(service);
      return (await analytics(service)).top_shades.map(({ sku }) => sku).join('');
    },
    'ABCDEFG',
  ],
  'the length of top_shades where four shades differ': [
    async (service) => {
      await service.importShades('spring', [shade('A'), shade('B'), shade('C'), shade('D')]);
      await service.interact(
        await service.openSession(),
        [...'AAABBCCD'].map((sku) => selected(sku)),
      );
      return (await analytics(service)).top_shades.length;
    },
    4,
  ],
  'the averages of three sessions': [
    async (service) => {
      await visited(service);
      const { avg_shades_per_session, cart_intent_rate } = await analytics(service);
      return [avg_shades_per_session, cart_intent_rate];
    },
    [2.3333, 0.3333],
  ],
  'rates that are whole': [
    async (service) => {
      await service.importShades('spring', [shade('A')]);
      const none = await analytics(service);
      await service.interact(await service.openSession(), [selected('A'), cartIntent('A')]);
      return [none.cart_intent_rate, (await analytics(service)).cart_intent_rate];
    },
    [0, 1],
  ],
  'total_sessions before another session, at once after it, and 700 ms later': [
    async (service) => {
      await service.importShades('spring', [shade('A')]);
      const before = await analytics(service);
      await service.openSession();
      const atOnce = await analytics(service);
      service.clock.pass(700);
      return [before, atOnce, await analytics(service)].map(({ total_sessions }) => total_sessions);
    },
    [0, 1, 1],
  ],
  'a list of shades': [
    async (service) => {
      await service.importShades('spring', [shade('A')]);
      return (await service.call('GET', '/shades?catalog_id=spring')).json();
    },
    { catalog_id: 'spring', shades: [shade('A')] },
  ],
  'the statuses of an import and of one that is refused': [
    async (service) => [
      (await service.importShades('spring', [shade('A')])).status,
      (await service.importShades('spring', [])).status,
    ],
    [200, 422],
  ],
  'a field "revision" in objects': [revisions, [false]],
  'the headers of the rate limit': [
    async (service) => {
      const { headers } = await service.call('GET', '/shades?catalog_id=none');
      return Object.fromEntries(Object.entries(headers).filter(([name]) => name.includes('ratelimit')));
    },
    {
      'ratelimit-limit': '10',
      'ratelimit-remaining': '9',
      'ratelimit-reset': '2',
      'ratelimit-policy': '10;w=2',
    },
  ],
  'an error': [
    async (service) => {
      const { headers, text } = await service.call('GET', '/shades?catalog_id=none');
      return [headers['content-type'], text];
    },
    [
      'application/json; charset=utf-8',
      '{"error":{"code":"catalog_not_found","message":"there is no catalog none"}}',
    ],
  ],
  'how many of ten requests pass, half a window after the limit was used up': [
    async (service) => {
      const admitted = async (): Promise<number> => {
        let count = 0;
        for (let n = 0; n < 10; n++)
          if ((await service.call('GET', '/sessions/ts_none')).status !== 429) count++;
        return count;
      };
      const first = await admitted();
      service.clock.pass(750);
      return [first, await admitted()];
    },
    [10, 0],
  ],
  'created_at, at twelve': [
    async (service) => {
      await service.importShades('spring', [shade('A')]);
      const { session_id } = await service.openSession();
      return (await service.call('GET', `/sessions/${session_id}`)).json<{ created_at: string }>().created_at;
    },
    '2026-03-10T12:00:00.000Z',
  ],
} satisfies Looks<string>;

describe('a variant differs from the reference service', () => {
  testLooks(
    // How `slow` shows is looked at beside the defects of latency.
    variants.filter(({ name }) => name !== 'slow'),
    looks,
    {
      'ties-descending': { 'the order of top_shades': 'AGFEDCB' },
      'short-top-shades': { 'the order of top_shades': 'ABCDE' },
      'ties-listed': { 'the length of top_shades where four shades differ': 3 },
      unrounded: {
        'the averages of three sessions': [2.333333333333333, 0.33333333333333326],
        'rates that are whole': [0, 0.9999999999999999],
      },
      'cached-analytics': {
        'total_sessions before another session, at once after it, and 700 ms later': [0, 0, 1],
      },
      'shades-bare': { 'a list of shades': [shade('A')] },
      'shades-wrapped': { 'a list of shades': { shades: [shade('A')] } },
      'import-201': { 'the statuses of an import and of one that is refused': [201, 422] },
      'import-202': { 'the statuses of an import and of one that is refused': [202, 422] },
      'extra-fields': { 'a field "revision" in objects': [true] },
      'draft-10-headers': {
        'the headers of the rate limit': { 'ratelimit-policy': '"key";q=10;w=2', ratelimit: '"key";r=9;t=2' },
      },
      'x-headers': {
        'the headers of the rate limit': {
          'x-ratelimit-limit': '10',
          'x-ratelimit-remaining': '9',
          'x-ratelimit-reset': String(Date.parse('2026-03-10T12:00:02Z') / 1_000),
        },
      },
      'problem-details': {
        'an error': [
          'application/problem+json; charset=utf-8',
          '{"type":"urn:problem:catalog_not_found","title":"catalog not found","status":404,"detail":"there is no catalog none"}',
        ],
      },
      'empty-errors': { 'an error': [undefined, ''] },
      'token-bucket': {
        'how many of ten requests pass, half a window after the limit was used up': [10, 5],
      },
      'clock-ahead': { 'created_at, at twelve': '2026-03-10T12:00:00.400Z' },
      'clock-behind': { 'created_at, at twelve': '2026-03-10T11:59:59.600Z' },
    },
    { start: (altered) => serviceUnderTest({ rateLimit: { requests: 10, windowMs: 1_500 } }, altered) },
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

import { describe, expect, test } from 'vitest';
import type { Variant } from '../../src/service/alterations.ts';
import type { ServiceInput } from '../../src/service/server.ts';
import { variants } from '../../src/service/variants.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { readAnalytics, readGrant, readSession, readShades } from '../../src/target/wire-schemas.ts';
import type { SessionAnalytics, SessionGrant } from '../../src/wire.ts';
import { varied } from './defects/property.ts';
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

/** A difference from the reference service that can be seen. */
interface Difference {
  readonly variant: Variant;
  readonly of: string;
  readonly options?: Partial<ServiceInput>;
  look(service: ServiceUnderTest): Promise<unknown>;
  readonly reference: unknown;
  readonly varied: unknown;
}

/** The headers of a first request, as the reference service has them. */
const draft06 = {
  'ratelimit-limit': '10',
  'ratelimit-remaining': '9',
  'ratelimit-reset': '2',
  'ratelimit-policy': '10;w=2',
};

const differences: readonly Difference[] = [
  {
    variant: varied('ties-descending'),
    of: 'the order of top_shades',
    async look(service) {
      await visited(service);
      return (await analytics(service)).top_shades.map(({ sku }) => sku).join('');
    },
    reference: 'ABCDEFG',
    varied: 'AGFEDCB',
  },
  {
    variant: varied('short-top-shades'),
    of: 'the order of top_shades',
    async look(service) {
      await visited(service);
      return (await analytics(service)).top_shades.map(({ sku }) => sku).join('');
    },
    reference: 'ABCDEFG',
    varied: 'ABCDE',
  },
  {
    variant: varied('ties-listed'),
    of: 'the length of top_shades where four shades differ',
    async look(service) {
      await service.importShades('spring', [shade('A'), shade('B'), shade('C'), shade('D')]);
      const session = await service.openSession();
      await service.interact(
        session,
        [...'AAABBCCD'].map((sku) => selected(sku)),
      );
      return (await analytics(service)).top_shades.length;
    },
    reference: 4,
    varied: 3,
  },
  {
    variant: varied('unrounded'),
    of: 'the averages of three sessions',
    async look(service) {
      await visited(service);
      const { avg_shades_per_session, cart_intent_rate } = await analytics(service);
      return [avg_shades_per_session, cart_intent_rate];
    },
    reference: [2.3333, 0.3333],
    varied: [2.333333333333333, 0.33333333333333326],
  },
  {
    variant: varied('unrounded'),
    of: 'averages that are whole',
    async look(service) {
      await service.importShades('spring', [shade('A')]);
      const none = await analytics(service);
      await service.interact(await service.openSession(), [selected('A'), cartIntent('A')]);
      return [none.cart_intent_rate, (await analytics(service)).cart_intent_rate];
    },
    reference: [0, 1],
    varied: [0, 0.9999999999999999],
  },
  {
    variant: varied('cached-analytics'),
    of: 'total_sessions before another session, at once after it, and 700 ms later',
    async look(service) {
      await service.importShades('spring', [shade('A')]);
      const before = await analytics(service);
      await service.openSession();
      const atOnce = await analytics(service);
      service.clock.pass(700);
      return [before, atOnce, await analytics(service)].map(({ total_sessions }) => total_sessions);
    },
    reference: [0, 1, 1],
    varied: [0, 0, 1],
  },
  {
    variant: varied('shades-bare'),
    of: 'a list of shades',
    async look(service) {
      await service.importShades('spring', [shade('A')]);
      return (await service.call('GET', '/shades?catalog_id=spring')).json();
    },
    reference: { catalog_id: 'spring', shades: [shade('A')] },
    varied: [shade('A')],
  },
  {
    variant: varied('shades-wrapped'),
    of: 'a list of shades',
    async look(service) {
      await service.importShades('spring', [shade('A')]);
      return (await service.call('GET', '/shades?catalog_id=spring')).json();
    },
    reference: { catalog_id: 'spring', shades: [shade('A')] },
    varied: { shades: [shade('A')] },
  },
  {
    variant: varied('import-201'),
    of: 'the statuses of an import and of one that is refused',
    look: importStatuses,
    reference: [200, 422],
    varied: [201, 422],
  },
  {
    variant: varied('import-202'),
    of: 'the statuses of an import and of one that is refused',
    look: importStatuses,
    reference: [200, 422],
    varied: [202, 422],
  },
  {
    variant: varied('extra-fields'),
    of: 'whether objects, outer and inner, of successes and errors have a field "revision"',
    async look(service) {
      const { session_id } = await visited(service);
      const list = (await service.call('GET', '/shades?catalog_id=spring')).json<{ shades: object[] }>();
      const read = await service.call('GET', `/sessions/${session_id}`);
      const history = read.json<{ interactions: object[] }>();
      const none = (await service.call('GET', '/shades?catalog_id=none')).json<{ error: object }>();
      const all = [list, ...list.shades, history, ...history.interactions, none, none.error];
      return new Set(all.map((each) => 'revision' in each));
    },
    reference: new Set([false]),
    varied: new Set([true]),
  },
  {
    variant: varied('draft-10-headers'),
    of: 'the headers of the rate limit',
    options: { rateLimit: { requests: 10, windowMs: 1_500 } },
    look: limitHeaders,
    reference: draft06,
    varied: { 'ratelimit-policy': '"key";q=10;w=2', ratelimit: '"key";r=9;t=2' },
  },
  {
    variant: varied('x-headers'),
    of: 'the headers of the rate limit',
    options: { rateLimit: { requests: 10, windowMs: 1_500 } },
    look: limitHeaders,
    reference: draft06,
    varied: {
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '9',
      'x-ratelimit-reset': String(Date.parse('2026-03-10T12:00:02Z') / 1_000),
    },
  },
  {
    variant: varied('problem-details'),
    of: 'an error',
    look: errorAnswer,
    reference: [
      'application/json; charset=utf-8',
      '{"error":{"code":"catalog_not_found","message":"there is no catalog none"}}',
    ],
    varied: [
      'application/problem+json; charset=utf-8',
      '{"type":"urn:problem:catalog_not_found","title":"catalog not found","status":404,"detail":"there is no catalog none"}',
    ],
  },
  {
    variant: varied('empty-errors'),
    of: 'an error',
    look: errorAnswer,
    reference: [
      'application/json; charset=utf-8',
      '{"error":{"code":"catalog_not_found","message":"there is no catalog none"}}',
    ],
    varied: [undefined, ''],
  },
  {
    variant: varied('token-bucket'),
    of: 'how many of ten requests pass, half a window after the limit was used up',
    options: { rateLimit: { requests: 10, windowMs: 60_000 } },
    async look(service) {
      const admitted = async (): Promise<number> => {
        let count = 0;
        for (let n = 0; n < 10; n++) {
          if ((await service.call('GET', '/sessions/ts_none')).status !== 429) count++;
        }
        return count;
      };
      const first = await admitted();
      service.clock.pass(30_000);
      return [first, await admitted()];
    },
    reference: [10, 0],
    varied: [10, 5],
  },
  {
    variant: varied('clock-ahead'),
    of: 'created_at, at twelve',
    look: createdAt,
    reference: '2026-03-10T12:00:00.000Z',
    varied: '2026-03-10T12:00:00.400Z',
  },
  {
    variant: varied('clock-behind'),
    of: 'created_at, at twelve',
    look: createdAt,
    reference: '2026-03-10T12:00:00.000Z',
    varied: '2026-03-10T11:59:59.600Z',
  },
];

async function importStatuses(service: ServiceUnderTest): Promise<number[]> {
  const good = await service.importShades('spring', [shade('A')]);
  const bad = await service.importShades('spring', []);
  return [good.status, bad.status];
}

async function limitHeaders(service: ServiceUnderTest): Promise<object> {
  const { headers } = await service.call('GET', '/shades?catalog_id=none');
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.includes('ratelimit')));
}

async function errorAnswer(service: ServiceUnderTest): Promise<unknown[]> {
  const { headers, text } = await service.call('GET', '/shades?catalog_id=none');
  return [headers['content-type'], text];
}

async function createdAt(service: ServiceUnderTest): Promise<string> {
  await service.importShades('spring', [shade('A')]);
  const { session_id } = await service.openSession();
  return (await service.call('GET', `/sessions/${session_id}`)).json<{ created_at: string }>().created_at;
}

describe.each(differences)(
  '$variant.name, $variant.title: $of',
  ({ variant, options, look, reference, varied }) => {
    test('is as the reference service has it without the variant', async () => {
      expect(await look(serviceUnderTest(options))).toEqual(reference);
    });

    test('is different with it', async () => {
      expect(await look(serviceUnderTest(options, variant.alterations))).toEqual(varied);
    });
  },
);

test(`slow, ${varied('slow').title}: every request of the API waits, and nothing else`, async () => {
  const service = serviceUnderTest({}, varied('slow').alterations);
  await visited(service);
  await service.call('GET', today, { bearer: null });
  expect(service.clock.pausesMs).toEqual([150, 150, 150, 150]);
});

test('every variant is shown to be different', () => {
  const shown = new Set(['slow', ...differences.map(({ variant }) => variant.name)]);
  expect(variants.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
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

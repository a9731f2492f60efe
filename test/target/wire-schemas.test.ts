import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../src/target/calls.ts';
import { profileSchema } from '../../src/target/profile.ts';
import {
  arePlainShades,
  grantSchema,
  isPlainGrant,
  parseUtcInstantMs,
  readAccepted,
  readAnalytics,
  readGrant,
  readSession,
  readShades,
  shadesSchema,
} from '../../src/target/wire-schemas.ts';

const grant = {
  session_id: 's/1 é',
  token: 'secret',
  expires_at: '2026-05-01T12:30:00.000Z',
  shade_count: 40,
};
const shade = { sku: 'VEL-01', name: 'Rosé', hex: '#A1b2C3', finish: 'matte' };
const analytics = {
  period: '2026-05-01 / 2026-05-01',
  total_sessions: 3,
  avg_shades_per_session: 1.5,
  cart_intent_rate: 0.3333,
  top_shades: [{ sku: 'VEL-01', selections: 4 }],
};
const fields = profileSchema.parse({}).session_history;

describe('a session grant', () => {
  it.each([
    ['with all four fields', {}],
    ['with extra fields', { region: 'eu', limits: { a: 1 } }],
    ['of no shades at all', { shade_count: 0 }],
    ['whose id is as long as a path can be', { session_id: 's'.repeat(4_096) }],
    ['whose id is beyond the basic plane', { session_id: '😀/👩‍🎤' }],
    ['that expires at +00:00', { expires_at: '2026-05-01T12:30:00+00:00' }],
    ['that expires at an instant in microseconds', { expires_at: '2026-05-01T12:30:00.123456Z' }],
  ])('%s is taken', (_, change) => {
    expect(readGrant({ ...grant, ...change })).toEqual({ ok: true, value: { ...grant, ...change } });
  });

  it.each([
    [{ token: 7 }, 'token: expected string, got number'],
    [{ token: '' }, 'token: expected text, got an empty string'],
    [{ session_id: undefined }, 'session_id: expected string, got nothing'],
    [{ session_id: null }, 'session_id: expected string, got null'],
    [{ shade_count: '40' }, 'shade_count: expected integer, got string'],
    [{ shade_count: 2.5 }, 'shade_count: expected integer, got 2.5'],
    [{ shade_count: -1 }, 'shade_count: expected at least 0, got -1'],
    [{ expires_at: 1_777_636_800 }, 'expires_at: expected string, got number'],
    [{ session_id: `${'s'.repeat(4_096)}x` }, 'session_id: expected at most 4096 characters, got 4097'],
    [{ session_id: 'a\uD800b' }, 'session_id: expected well-formed Unicode, got a lone surrogate'],
    [{ session_id: '\uDE00\uD83D' }, 'session_id: expected well-formed Unicode, got a lone surrogate'],
    [
      { expires_at: `2026-05-01T12:30:00.${'0'.repeat(44)}Z` },
      'expires_at: expected at most 64 characters, got 65',
    ],
    [
      { expires_at: '😀'.repeat(32) },
      `expires_at: expected an ISO 8601 instant in UTC, got "${'😀'.repeat(31)}\uFFFD…`,
    ],
    [
      { expires_at: '2026-05-01T12:30:00' },
      'expires_at: expected an ISO 8601 instant in UTC, got "2026-05-01T12:30:00"',
    ],
  ])('%j is a problem', (change, problem) => {
    expect(readGrant({ ...grant, ...change })).toEqual({ ok: false, problem });
  });

  it('with several problems names the first three', () => {
    expect(readGrant({})).toEqual({
      ok: false,
      problem:
        'session_id: expected string, got nothing; token: expected string, got nothing; expires_at: expected string, got nothing; and 1 more',
    });
  });

  it.each([
    ['a page of HTML', '<html>', 'body: expected object, got string'],
    ['nothing', undefined, 'body: expected object, got nothing'],
    ['a list', [grant], 'body: expected object, got array'],
  ])('is not %s', (_, body, problem) => {
    expect(readGrant(body)).toEqual({ ok: false, problem });
  });

  it('never shows the token in a problem', () => {
    for (const token of ['', 'hush', 12_345.5, ['hush'], { hush: 1 }]) {
      const read = readGrant({ ...grant, token, shade_count: 'x' });
      expect(JSON.stringify(read)).not.toMatch(/hush|12345/);
    }
  });
});

describe('a list of shades', () => {
  it.each([
    ['bare', [shade], 1],
    ['under shades', { shades: [shade, shade] }, 2],
    ['under another name', { catalog_id: 'c', data: [shade] }, 1],
    ['beside another list', { items: [shade], links: ['next'] }, 1],
    ['under data.items', { data: { items: [shade, shade] }, meta: { warnings: [] } }, 2],
    ['under result.shades, beside other lists', { result: { shades: [shade] }, links: [{ rel: 'next' }] }, 1],
    ['empty under data.items', { data: { items: [] } }, 0],
    ['empty beside other empty lists', { items: [], errors: [] }, 0],
    ['empty beside a list of links', { items: [], links: [{ rel: 'self' }] }, 0],
    ['empty beside a list of words', { items: [], links: ['self'] }, 0],
    ['empty', [], 0],
    ['empty under another name', { results: [], total: 0 }, 0],
    ['with metadata', [{ ...shade, undertone: 'cool' }], 1],
  ])('%s is taken', (_, body, count) => {
    const read = readShades(body);
    expect(read.ok ? read.value.length : read.problem).toBe(count);
  });

  it.each([
    ['is missing', { catalog_id: 'c' }, 'body: expected a list of shades, or an object with one, got object'],
    [
      'lies three objects in',
      { a: { b: { items: [shade] } } },
      'body: expected a list of shades, or an object with one, got object',
    ],
    [
      'is one of two',
      { data: { items: [shade], more: [shade] } },
      'body: expected a list of shades, or an object with one, got object',
    ],
    [
      'may be either an empty one or one of shades without a SKU',
      { items: [], colours: [{ hex: '#A1B2C3' }] },
      'body: expected a list of shades, or an object with one, got object',
    ],
    [
      'lacks a finish under data.items',
      { data: { items: [{ ...shade, finish: 1 }] } },
      'data.items.0.finish: expected string, got number',
    ],
    ['is null', null, 'body: expected a list of shades, or an object with one, got null'],
    ['lacks a finish', [shade, { ...shade, finish: undefined }], '1.finish: expected string, got nothing'],
    [
      'has a number for a name',
      { shades: [{ ...shade, name: 4 }] },
      'shades.0.name: expected string, got number',
    ],
    [
      'has a hex without #',
      { shades: [{ ...shade, hex: 'A1B2C3' }] },
      'shades.0.hex: expected a colour such as #A1B2C3, got "A1B2C3"',
    ],
  ])('that %s is a problem', (_, body, problem) => {
    expect(readShades(body)).toEqual({ ok: false, problem });
  });
});

describe('session analytics', () => {
  it('of the promised types are taken, with extra fields', () => {
    const body = { ...analytics, currency: 'EUR' };
    expect(readAnalytics(body)).toEqual({ ok: true, value: body });
  });

  it.each([
    [{ total_sessions: 2.5 }, 'total_sessions: expected integer, got 2.5'],
    [{ total_sessions: -1 }, 'total_sessions: expected at least 0, got -1'],
    [{ avg_shades_per_session: '1.5' }, 'avg_shades_per_session: expected number, got string'],
    [
      { avg_shades_per_session: Number.POSITIVE_INFINITY },
      'avg_shades_per_session: expected number, got an infinite number',
    ],
    [{ cart_intent_rate: 33.3 }, 'cart_intent_rate: expected a fraction between 0 and 1, got 33.3'],
    [{ period: null }, 'period: expected string, got null'],
    [{ top_shades: { 'VEL-01': 4 } }, 'top_shades: expected array, got object'],
    [{ top_shades: [{ sku: 'VEL-01' }] }, 'top_shades.0.selections: expected integer, got nothing'],
  ])('%j is a problem', (change, problem) => {
    expect(readAnalytics({ ...analytics, ...change })).toEqual({ ok: false, problem });
  });
});

describe('a session read back', () => {
  const entry = { id: 'i', type: 'shade_selected', sku: 'VEL-01', at: '2026-05-01T12:00:00Z' };

  it.each([
    [
      'in full',
      { session_id: 'a', product_id: 'p', catalog_id: 'c', locale: 'de-DE', interactions: [entry] },
      { productId: 'p', catalogId: 'c', locale: 'de-DE', interactions: [entry] },
    ],
    ['with its id as id', { id: 'a', interactions: [] }, { interactions: [] }],
    ['with another id, which is no session_id', { id: 'row 7', interactions: [] }, { interactions: [] }],
    ['with another id beside its session_id', { id: 'b', session_id: 'a' }, {}],
    ['with a numeric row id', { id: 7 }, {}],
    ['under session', { session: { session_id: 'a' }, interactions: [entry] }, { interactions: [entry] }],
    ['without an id', { history: [] }, {}],
    ['with another kind of history', { session_id: 'a', interactions: ['VEL-01'] }, {}],
    [
      'with a cart intent that names no SKU',
      { interactions: [{ type: 'cart_intent', sku: null }] },
      { interactions: [{ type: 'cart_intent' }] },
    ],
  ])('%s is taken', (_, body, value) => {
    expect(readSession(body, fields, 'a')).toEqual({ ok: true, value });
  });

  it('is read by the names of the profile', () => {
    const named = { list: 'history.events', id: 'uid', type: 'kind', sku: 'shade.sku', at: 'time' };
    const body = {
      session_id: 'a',
      history: { events: [{ uid: '1', kind: 'cart_intent', shade: { sku: 'X' }, time: 't' }] },
    };
    expect(readSession(body, named, 'a')).toEqual({
      ok: true,
      value: { interactions: [{ id: '1', type: 'cart_intent', sku: 'X', at: 't' }] },
    });
  });

  it.each([
    ['another session_id', { session_id: 'b' }, 'session_id: expected "a", got "b"'],
    [
      'a very long session_id',
      { session_id: 'b'.repeat(100) },
      `session_id: expected "a", got "${'b'.repeat(63)}…`,
    ],
    ['a session_id of another type', { session_id: 4 }, 'session_id: expected string, got number'],
    ['a list', [], 'body: expected object, got array'],
  ])('%s is a problem', (_, body, problem) => {
    expect(readSession(body, fields, 'a')).toEqual({ ok: false, problem });
  });
});

describe('the interaction channel', () => {
  it.each([
    ['a count', { accepted: 3 }, { ok: true, value: { accepted: 3 } }],
    ['an empty body', undefined, { ok: true, value: {} }],
    ['another shape', { accepted: true }, { ok: true, value: {} }],
    ['a negative count', { accepted: -3 }, { ok: false, problem: 'accepted: expected at least 0, got -3' }],
  ])('may answer %s', (_, body, read) => {
    expect(readAccepted(body)).toEqual(read);
  });
});

it('any answer of an import is taken, since none is shown', () => {
  const names = profileSchema.parse({}).session_history;
  expect(readAnswer('import-shades', undefined, names, '')).toEqual({ ok: true, value: {} });
});

describe('an instant in UTC', () => {
  const noon = Date.UTC(2026, 4, 1, 12);
  it.each([
    ['2026-05-01T12:00:00Z', noon],
    ['2026-05-01T12:00:00.5Z', noon + 500],
    ['2026-05-01T12:00:00.123456+00:00', noon + 123],
    ['2026-05-01T12:00Z', noon],
    ['20260501T120000Z', noon],
    ['2026-05-01T12:00:00', undefined],
    ['2026-05-01T12:00:00+02:00', undefined],
    ['2026-05-01 12:00:00Z', undefined],
    ['2026-02-30T12:00:00Z', undefined],
    ['2026-13-01T12:00:00Z', undefined],
    ['Fri, 01 May 2026 12:00:00 GMT', undefined],
    ['', undefined],
  ])('%s is %s', (text, ms) => {
    expect(parseUtcInstantMs(text)).toBe(ms);
  });
});

/** A body like a good one, with any of its fields changed, missing or added. */
function spoiled(good: Readonly<Record<string, unknown>>): fc.Arbitrary<unknown> {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.double(),
    fc.constantFrom(
      null,
      true,
      '',
      'x'.repeat(5_000),
      '#ABC',
      '2026-02-30T00:00:00Z',
      '2026-05-01T25:00:00Z',
      [],
      {},
    ),
  );
  const name = fc.oneof(fc.constantFrom(...Object.keys(good)), fc.string());
  const change = fc.tuple(name, fc.option(value, { nil: undefined }));
  return fc.array(change, { maxLength: 2 }).map((changes) => {
    const body: Record<string, unknown> = { ...good };
    for (const [field, to] of changes) {
      if (to === undefined) delete body[field];
      else
        Object.defineProperty(body, field, {
          value: to,
          enumerable: true,
          configurable: true,
          writable: true,
        });
    }
    return JSON.parse(JSON.stringify(body));
  });
}

describe('the quick test of a body', () => {
  it('lets nothing pass that a schema would not', () => {
    let passed = 0;
    fc.assert(
      fc.property(spoiled(grant), (body) => {
        if (!isPlainGrant(body)) return;
        passed++;
        expect(grantSchema.safeParse(body).success).toBe(true);
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.array(spoiled(shade), { maxLength: 3 }), (list) => {
        if (!arePlainShades(list)) return;
        passed++;
        expect(shadesSchema.safeParse(list).success).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(passed).toBeGreaterThan(50);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arePlainShades, grantSchema, isPlainGrant, shadesSchema } from '../../src/target/wire-schemas.ts';

const grant = {
  session_id: 'ts_1',
  token: 'secret',
  expires_at: '2026-05-01T12:30:00.000Z',
  shade_count: 3,
};
const shade = { sku: 'S', name: 'Rosewood', hex: '#A1B2C3', finish: 'matte' };

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
  it('lets the usual answers pass', () => {
    expect(isPlainGrant(grant)).toBe(true);
    expect(isPlainGrant({ ...grant, expires_at: '2026-05-01T12:30:00Z', more: 1 })).toBe(true);
    expect(arePlainShades([shade, { ...shade, more: 1 }])).toBe(true);
    expect(arePlainShades([])).toBe(true);
  });
  it.each([
    [{ shade_count: -1 }],
    [{ shade_count: 1.5 }],
    [{ token: '' }],
    [{ session_id: '\ud800' }],
    [{ expires_at: '2026-02-29T00:00:00Z' }],
    [{ expires_at: '2026-05-01T12:60:00Z' }],
    [{ expires_at: '2026-05-01 12:30:00Z' }],
  ])('leaves a session with %j to the schema', (change) => {
    expect(isPlainGrant({ ...grant, ...change })).toBe(false);
  });

  it('lets nothing pass that a schema would not', () => {
    let passed = 0;
    fc.assert(
      fc.property(spoiled(grant), (body) => {
        if (!isPlainGrant(body)) return;
        passed++;
        expect(grantSchema.safeParse(body).success).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.array(spoiled(shade), { maxLength: 3 }), (list) => {
        if (!arePlainShades(list)) return;
        passed++;
        expect(shadesSchema.safeParse(list).success).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(passed).toBeGreaterThan(200);
  });
});

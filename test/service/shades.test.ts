import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Shade } from '../../src/wire.ts';
import { serviceUnderTest, shade } from './service-under-test.ts';

interface ShadeList {
  readonly catalog_id: string;
  readonly shades: readonly Shade[];
}

describe('POST /shades', () => {
  test('makes the catalog, says what was stored, and GET /shades lists it in order', async () => {
    const service = serviceUnderTest();
    const answer = await service.importShades('spring', [shade('B'), shade('A')]);
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      catalog_id: 'spring',
      imported: 2,
      created: 2,
      updated: 0,
      shade_count: 2,
    });
    const list = await service.call('GET', '/shades?catalog_id=spring');
    expect(list.status).toBe(200);
    expect(list.headers['content-type']).toMatch(/^application\/json/);
    expect(list.json()).toEqual({ catalog_id: 'spring', shades: [shade('B'), shade('A')] });
  });

  test('replaces a SKU that is there, metadata and all, in its old place', async () => {
    const service = serviceUnderTest();
    await service.importShades('spring', [shade('A', { season: 'spring' }), shade('B')]);
    const answer = await service.importShades('spring', [
      shade('C'),
      shade('A', { name: 'New', year: 2026 }),
    ]);
    expect(answer.json()).toMatchObject({ imported: 2, created: 1, updated: 1, shade_count: 3 });
    const list = await service.call('GET', '/shades?catalog_id=spring');
    expect(list.json<ShadeList>().shades).toEqual([
      shade('A', { name: 'New', year: 2026 }),
      shade('B'),
      shade('C'),
    ]);
  });

  test('keeps the last of several entries of a SKU, and counts it once', async () => {
    const service = serviceUnderTest();
    const answer = await service.importShades('spring', [
      shade('A', { name: 'first' }),
      shade('B'),
      shade('A', { name: 'last' }),
    ]);
    expect(answer.json()).toMatchObject({ imported: 2, created: 2, shade_count: 2 });
    const list = await service.call('GET', '/shades?catalog_id=spring');
    expect(list.json<ShadeList>().shades).toEqual([shade('A', { name: 'last' }), shade('B')]);
  });

  test.each(['{"__proto__":1}', '{"constructor":{"prototype":1}}'])(
    'gives back metadata that others take for an attack: %s',
    async (text) => {
      const service = serviceUnderTest();
      const one = shade('S', { metadata: JSON.parse(text) });
      expect((await service.importShades('spring', [one])).status).toBe(200);
      const list = await service.call('GET', '/shades?catalog_id=spring');
      expect(JSON.stringify(list.json())).toBe(JSON.stringify({ catalog_id: 'spring', shades: [one] }));
    },
  );

  test('gives back any text, any finish and any metadata as it came', async () => {
    const service = serviceUnderTest();
    let catalogs = 0;
    const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });
    const anyShade = fc
      .tuple(id, id, id, fc.jsonValue())
      .map(([sku, name, finish, metadata]) => shade(sku, { name, finish, metadata }));
    await fc.assert(
      fc.asyncProperty(id, anyShade, async (suffix, one) => {
        const catalogId = `${++catalogs} ${suffix}`;
        const answer = await service.importShades(catalogId, [one]);
        expect(answer.status).toBe(200);
        const list = await service.call('GET', `/shades?catalog_id=${encodeURIComponent(catalogId)}`);
        expect(list.json()).toEqual({ catalog_id: catalogId, shades: [JSON.parse(JSON.stringify(one))] });
      }),
    );
  });
});

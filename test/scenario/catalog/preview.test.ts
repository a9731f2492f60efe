import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../../src/scenario/catalog/catalog.ts';
import { generateCatalog } from '../../../src/scenario/catalog/generate.ts';
import { previewCatalog } from '../../../src/scenario/catalog/preview.ts';

const shade = (number: number, hex: string) => ({
  sku: `S${number}`,
  name: `Rosé ${number}`,
  hex,
  finish: 'matte',
});
const small: Catalog = {
  id: 'catalog-t',
  locale: 'en-GB',
  products: [
    {
      id: 'soft-hour-t',
      kind: 'lipstick',
      brand: 'Wren',
      name: 'Soft Hour Lipstick',
      shades: [shade(1, '#FF8001'), shade(2, '#102030'), shade(3, '#000000')],
    },
  ],
};

describe('the preview', () => {
  it('lists each line with its shades, column by column', () => {
    expect(previewCatalog(small, { swatches: false, columns: 40 })).toBe(
      [
        'Wren · Soft Hour Lipstick',
        '  3 shades, matte · soft-hour-t',
        '  #FF8001 Rosé 1  #000000 Rosé 3',
        '  #102030 Rosé 2',
        '',
        'catalog-t: 1 product, 3 shades',
        '',
      ].join('\n'),
    );
  });

  it('shows the colour itself where swatches are wanted', () => {
    expect(previewCatalog(small, { swatches: true, columns: 80 })).toContain(
      '\u001b[48;2;255;128;1m  \u001b[0m #FF8001',
    );
  });

  it('fits its columns, and differs with swatches by these alone', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 40, max: 100 }), fc.boolean(), (seed, columns, swatches) => {
        const catalog = generateCatalog({ seed, tag: 'r7k2f9', products: 3 });
        const text = previewCatalog(catalog, { swatches, columns });
        expect(text.includes('\u001b')).toBe(swatches);
        const lines = stripVTControlCharacters(text).split('\n');
        expect(lines.filter((line) => line.length > columns)).toEqual([]);
        for (const { hex } of catalog.products.flatMap((product) => product.shades))
          expect(text).toContain(hex);
      }),
      { numRuns: 20, seed: 1 },
    );
  });
});

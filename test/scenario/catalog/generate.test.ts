import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Catalog, productKinds } from '../../../src/scenario/catalog/catalog.ts';
import { colourDifference, labOf } from '../../../src/scenario/catalog/colour.ts';
import { shadesPerEffect, visibleDifference } from '../../../src/scenario/catalog/figures.ts';
import { generateCatalog, generateShades } from '../../../src/scenario/catalog/generate.ts';
import { plainColours } from '../../../src/scenario/catalog/unusual-shades.ts';

const effects = new Set(plainColours);
const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
const shadesOf = (catalog: Catalog) => catalog.products.flatMap((product) => product.shades);
const seeds = fc.integer({ min: 0, max: 2 ** 40 });

describe('a catalog', () => {
  it('is the same, byte for byte, for the same seed and tag', () => {
    const options = { seed: 42, tag: 'r7k2f9', products: 12 };
    expect(hash(generateCatalog(options))).toBe(hash(generateCatalog(options)));
  });

  it('is another one for another seed, even one that differs only above 32 bits', () => {
    const [one, next, far] = [42, 43, 42 + 2 ** 32].map((seed) =>
      hash(generateCatalog({ seed, tag: 'r7k2f9', products: 3 })),
    );
    expect(new Set([one, next, far]).size).toBe(3);
  });

  it('begins like a longer one of the same seed', () => {
    const short = generateCatalog({ seed: 5, tag: 't', products: 4 });
    const long = generateCatalog({ seed: 5, tag: 't', products: 12 });
    expect(long.products.slice(0, 4)).toEqual(short.products);
  });

  it('has valid shades, unique SKUs and ids that carry the tag, and unique names in each line', () => {
    fc.assert(
      fc.property(seeds, fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/), (seed, tag) => {
        const catalog = generateCatalog({ seed, tag, products: 8 });
        const skus = shadesOf(catalog).map(({ sku }) => sku);
        expect(new Set(skus).size).toBe(skus.length);
        expect(new Set(catalog.products.map(({ id }) => id)).size).toBe(8);
        expect(new Set(catalog.products.map(({ name }) => name)).size).toBe(8);
        for (const id of [catalog.id, ...catalog.products.map((product) => product.id), ...skus]) {
          expect(id.endsWith(`-${tag}`)).toBe(true);
          expect(id).toMatch(/^[\w-]{1,100}$/);
        }
        for (const { shades } of catalog.products) {
          expect(shades.length).toBeGreaterThan(0);
          expect(new Set(shades.map(({ name }) => name)).size).toBe(shades.length);
          for (const shade of shades) {
            expect(Object.keys(shade)).toEqual(['sku', 'name', 'hex', 'finish']);
            expect(shade.name).toMatch(/^\S(.*\S)?$/);
            expect(shade.hex).toMatch(/^#[0-9A-F]{6}$/);
            expect(shade.finish).toBe('matte');
          }
        }
      }),
      { numRuns: 15, seed: 1 },
    );
  });

  it('has no two shades of a line that look the same', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        for (const { shades } of generateCatalog({ seed, tag: 't', products: 8 }).products) {
          const labs = shades.map(({ hex }) => labOf(hex));
          const nearest = labs.map((one, index) =>
            Math.min(
              ...labs.filter((_, other) => other !== index).map((other) => colourDifference(one, other)),
            ),
          );
          expect(Math.min(...nearest)).toBeGreaterThanOrEqual(visibleDifference);
        }
      }),
      { numRuns: 15, seed: 1 },
    );
  });

  it('shows complexion from light to deep', () => {
    const catalog = generateCatalog({ seed: 8, tag: 't', products: 4, kinds: ['foundation', 'concealer'] });
    for (const { shades } of catalog.products) {
      const depths = shades.map(({ hex }) => labOf(hex).l);
      expect(depths).toEqual(depths.toSorted((one, other) => other - one));
      expect(depths.length).toBeGreaterThan(1);
    }
  });

  it('has every kind once there is room, and only kinds that were asked for', () => {
    const all = generateCatalog({ seed: 3, tag: 't', products: 20 });
    expect(new Set(all.products.map(({ kind }) => kind))).toEqual(new Set(productKinds));
    const lips = generateCatalog({ seed: 3, tag: 't', products: 6, kinds: ['lipstick', 'lip-gloss'] });
    expect(new Set(lips.products.map(({ kind }) => kind))).toEqual(new Set(['lipstick', 'lip-gloss']));
  });

  it('chooses among the finishes that are allowed, whatever they are called', () => {
    const known = generateCatalog({
      seed: 3,
      tag: 't',
      products: 20,
      finishes: ['matte', 'gloss', 'shimmer'],
    });
    expect(new Set(shadesOf(known).map(({ finish }) => finish))).toEqual(
      new Set(['matte', 'gloss', 'shimmer']),
    );
    const unknown = generateCatalog({ seed: 3, tag: 't', products: 5, finishes: ['holographic'] });
    expect(new Set(shadesOf(unknown).map(({ finish }) => finish))).toEqual(new Set(['holographic']));
    const unsuited = generateCatalog({
      seed: 3,
      tag: 't',
      products: 2,
      kinds: ['foundation'],
      finishes: ['glitter'],
    });
    expect(new Set(shadesOf(unsuited).map(({ finish }) => finish))).toEqual(new Set(['glitter']));
  });

  it('has colours in the wider ranges with values at which software breaks', () => {
    const kinds = ['lipstick', 'eyeshadow', 'nail-polish'] as const;
    const { products } = generateCatalog({ seed: 4, tag: 't', products: 60, kinds });
    const colours = products.flatMap(({ shades }) => shades.map(({ hex }) => hex));
    // Of those that look alike, a line has one.
    for (const hex of plainColours) expect(colours).toContain(hex);
    const share = products.map(
      ({ shades }) => shades.filter(({ hex }) => effects.has(hex)).length / shades.length,
    );
    expect(Math.max(...share)).toBeLessThanOrEqual(1 / shadesPerEffect);
  });

  it('has names with letters beyond ASCII, as real shops do', () => {
    const names = shadesOf(generateCatalog({ seed: 1, tag: 't', products: 12 })).map(({ name }) => name);
    expect(names.filter((name) => /[éèêïûâ]/i.test(name)).length).toBeGreaterThan(2);
  });

  it.each([
    { flaw: 'no products', options: { seed: 1, tag: 't', products: 0 } },
    { flaw: 'half a product', options: { seed: 1, tag: 't', products: 1.5 } },
    { flaw: 'an empty tag', options: { seed: 1, tag: '', products: 1 } },
    { flaw: 'a tag with a slash', options: { seed: 1, tag: 'a/b', products: 1 } },
    { flaw: 'no kinds', options: { seed: 1, tag: 't', products: 1, kinds: [] } },
    { flaw: 'no finishes', options: { seed: 1, tag: 't', products: 1, finishes: [] } },
    { flaw: 'a finish without a name', options: { seed: 1, tag: 't', products: 1, finishes: [''] } },
  ])('is refused with $flaw', ({ options }) => expect(() => generateCatalog(options)).toThrow(RangeError));
});

describe('a batch of shades', () => {
  it.each([0, 1, 500, 501])('of %d has exactly that number, valid and unique', (count) => {
    const shades = generateShades({ seed: 9, tag: 'r7', count });
    expect(shades).toHaveLength(count);
    for (const field of ['sku', 'name', 'hex'] as const) {
      expect(new Set(shades.map((shade) => shade[field])).size).toBe(count);
    }
    for (const { sku, name, hex } of shades) {
      expect(sku).toMatch(/^batch-\d{3}-r7$/);
      expect(name.length).toBeGreaterThan(0);
      expect(hex).toMatch(/^#[0-9A-F]{6}$/);
    }
  });

  it('is the same for the same seed', () => {
    const batch = () => generateShades({ seed: 9, tag: 'r7', count: 50 });
    expect(hash(batch())).toBe(hash(batch()));
  });

  it('cannot have a negative count', () => {
    expect(() => generateShades({ seed: 9, tag: 'r7', count: -1 })).toThrow(RangeError);
  });
});

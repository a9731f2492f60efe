import type { Catalog } from '../catalog/catalog.ts';
import { randomStream } from '../random.ts';
import { createPicker, type Picker, zipfWeights } from './popularity.ts';
import type { ShopperSettings } from './settings.ts';

/** The products as shoppers find them: how popular each is, and each of its shades. */
export interface Shelf {
  /** Draws a product's index by popularity. */
  readonly products: Picker;
  readonly lines: readonly Line[];
}

/** One product's shades. */
export interface Line {
  readonly skus: readonly string[];
  /** Popularity of each shade, relative to the others of the line. */
  readonly weights: Float64Array;
}

/** Throws a `RangeError` for a catalog without products or with a product without shades. */
export function stockShelf(seed: number, catalog: Catalog, settings: ShopperSettings): Shelf {
  if (catalog.products.length === 0) throw new RangeError(`catalog ${catalog.id} has no products`);
  const lines = catalog.products.map(({ id, shades }, product): Line => {
    if (shades.length === 0) throw new RangeError(`product ${id} has no shades`);
    const random = randomStream(seed, 'popular-shades', product);
    return {
      skus: shades.map(({ sku }) => sku),
      weights: Float64Array.from(zipfWeights(shades.length, settings.shadeZipf, random)),
    };
  });
  const popularity = zipfWeights(lines.length, settings.productZipf, randomStream(seed, 'popular-products'));
  return { products: createPicker(popularity), lines };
}

/** Number of shades in a line → share of visits that go to lines of that size. */
export function visitsByLineSize(shelf: Shelf): Map<number, number> {
  const visits = new Map<number, number>();
  shelf.lines.forEach(({ skus }, product) => {
    visits.set(skus.length, (visits.get(skus.length) ?? 0) + shelf.products.share(product));
  });
  return visits;
}

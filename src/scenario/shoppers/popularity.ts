import { type Random, randomStream } from '../../random.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ShopperSettings } from './settings.ts';

/**
 * Weights by Zipf's law: rank r (from 1) gets r to the power −`exponent`. They are dealt to the `count` items in a
 * random order, so the stream chooses the popular item.
 */
export function zipfWeights(count: number, exponent: number, random: Random): number[] {
  const weights = Array.from({ length: count }, (_, rank) => (rank + 1) ** -exponent);
  // Fisher–Yates.
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const moved = weights[last] ?? 0;
    weights[last] = weights[other] ?? 0;
    weights[other] = moved;
  }
  return weights;
}

/** Draws indices in proportion to fixed weights, in O(log n). */
export interface Picker {
  /** The index for a uniform number in [0, 1). */
  pick(u: number): number;
  /** The share of draws that an index gets. */
  share(index: number): number;
}

/** Throws a `RangeError` unless the weights have a positive sum. */
export function createPicker(weights: readonly number[]): Picker {
  const cumulative = new Float64Array(weights.length);
  let total = 0;
  weights.forEach((weight, index) => {
    total += weight;
    cumulative[index] = total;
  });
  if (!(total > 0)) throw new RangeError('expected weights with a positive sum');
  return {
    pick(u) {
      const point = u * total;
      let low = 0;
      let high = cumulative.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (point < (cumulative[middle] ?? 0)) high = middle;
        else low = middle + 1;
      }
      return low;
    },
    share: (index) => (weights[index] ?? 0) / total,
  };
}

/**
 * Draws without replacement in proportion to the remaining weights (successive sampling), by scanning them: a line
 * has some dozens of shades, so this beats tables rebuilt after every draw.
 */
export interface Urn {
  /** Puts everything back. */
  refill(weights: Float64Array): void;
  /** Takes out the index for a uniform number in [0, 1). The urn must not be empty. */
  take(u: number): number;
}

export function createUrn(capacity: number): Urn {
  const left = new Float64Array(capacity);
  let size = 0;
  let total = 0;
  return {
    refill(weights) {
      left.set(weights);
      size = weights.length;
      total = 0;
      for (let index = 0; index < size; index++) total += weights[index] ?? 0;
    },
    take(u) {
      let point = u * total;
      let taken = -1;
      for (let index = 0; index < size; index++) {
        const weight = left[index] ?? 0;
        if (weight === 0) continue;
        // Rounding may leave `point` a hair beyond the last item; that item is then the one.
        taken = index;
        point -= weight;
        if (point < 0) break;
      }
      total -= left[taken] ?? 0;
      left[taken] = 0;
      return taken;
    },
  };
}

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

/** The element at an index that the caller knows to be in range; a `RangeError` if it is not. */
export function elementAt<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`index ${index} is outside a list of ${list.length}`);
  return element;
}

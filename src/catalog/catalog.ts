import type { Shade } from '../wire.ts';

/** The product of a product page: one line of shades. */
export interface Product {
  /** The product_id sent to the service; carries the run's tag, so it is unique to the run. */
  readonly id: string;
  readonly kind: ProductKind;
  readonly brand: string;
  /** `Velvet Hour Lipstick`. */
  readonly name: string;
  readonly shades: readonly Shade[];
}

export const productKinds = [
  'foundation',
  'concealer',
  'lipstick',
  'lip-gloss',
  'blush',
  'eyeshadow',
  'nail-polish',
] as const;
export type ProductKind = (typeof productKinds)[number];

/** A catalog as one account imports it: several product lines under one catalog_id. */
export interface Catalog {
  readonly id: string;
  readonly products: readonly Product[];
  /** A locale that sessions of it can have: language tag ll-CC. */
  readonly locale: string;
}

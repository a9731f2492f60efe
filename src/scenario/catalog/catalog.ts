import type { Shade } from '../../wire.ts';
import type { Quantiles } from './figures.ts';

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

/** A family of colours: ranges in HSL. A hue range may pass through 0°: [330, 380] is 330° to 20°. */
export interface ColourFamily {
  readonly weight: number;
  readonly hue: readonly [from: number, to: number];
  readonly saturation: readonly [from: number, to: number];
  readonly lightness: readonly [from: number, to: number];
}

/** All that a kind of product is generated from. What has no published source is ours. */
interface KindRow {
  /** What the product is called on its page. */
  readonly name: string;
  /** Two letters, for SKUs. */
  readonly code: string;
  /** How often it is drawn once every kind is present: complexion and lips lead a make-up shelf. */
  readonly weight: number;
  /**
   * Shades in one product line: the fewest, the median, the 90th percentile and the most. Foundation has a median of 17, 41
   * at the 90th percentile and 63 at most (The Pudding, see figures.ts); the narrower a product's use, the shorter its line.
   */
  readonly sizes: readonly [least: number, median: number, p90: number, most: number];
  /** Second parts of the names of product lines, by where the product goes. */
  readonly nouns: readonly string[];
  /** How a finish suits it, relative to 1 for a finish not named here; only chosen among the finishes allowed. */
  readonly finishes: Readonly<Record<string, number>>;
  /** Sold with several finishes in one line. */
  readonly hasMixedFinishes?: boolean;
  /** With shades for effect, such as black or navy. */
  readonly hasEffects?: boolean;
  /**
   * Its colours; undefined for complexion. Lips and cheeks are around hue 330–20°, wider in saturation than skin; eyes mostly
   * earth tones; polish mostly reds and pinks, then everything.
   */
  readonly palette?: readonly ColourFamily[];
}

export const kindRows: Readonly<Record<ProductKind, KindRow>> = {
  foundation: {
    name: 'Foundation',
    code: 'FD',
    weight: 4,
    sizes: [4, 17, 41, 63],
    nouns: ['Skin', 'Veil', 'Canvas', 'Light', 'Finish', 'Hour', 'Silk', 'Focus'],
    finishes: { matte: 4, satin: 3, sheer: 2, cream: 1, gloss: 0, shimmer: 0.2, metallic: 0, glitter: 0 },
  },
  concealer: {
    name: 'Concealer',
    code: 'CN',
    weight: 2,
    sizes: [4, 12, 30, 50],
    nouns: ['Veil', 'Cover', 'Focus', 'Touch', 'Eraser', 'Light', 'Rest'],
    finishes: { matte: 4, cream: 3, satin: 2, sheer: 0.5, gloss: 0, shimmer: 0, metallic: 0, glitter: 0 },
  },
  lipstick: {
    name: 'Lipstick',
    code: 'LS',
    weight: 5,
    sizes: [5, 15, 32, 50],
    nouns: ['Hour', 'Rouge', 'Kiss', 'Statement', 'Colour', 'Crush', 'Affair', 'Muse'],
    finishes: { matte: 5, satin: 4, cream: 4, sheer: 2, gloss: 1, shimmer: 0.5, metallic: 0.5, glitter: 0.1 },
    hasEffects: true,
    palette: [
      { weight: 3, hue: [345, 365], saturation: [0.6, 0.9], lightness: [0.3, 0.48] },
      { weight: 3, hue: [330, 358], saturation: [0.35, 0.8], lightness: [0.48, 0.68] },
      { weight: 3, hue: [358, 380], saturation: [0.25, 0.5], lightness: [0.48, 0.7] },
      { weight: 2, hue: [330, 355], saturation: [0.4, 0.7], lightness: [0.2, 0.34] },
      { weight: 1, hue: [365, 380], saturation: [0.65, 0.9], lightness: [0.45, 0.62] },
      { weight: 1, hue: [360, 380], saturation: [0.3, 0.55], lightness: [0.24, 0.4] },
    ],
  },
  'lip-gloss': {
    name: 'Lip Gloss',
    code: 'LG',
    weight: 2,
    sizes: [4, 10, 20, 30],
    nouns: ['Glass', 'Shine', 'Nectar', 'Kiss', 'Dew', 'Drip', 'Mirror'],
    finishes: {
      gloss: 6,
      shimmer: 2,
      sheer: 2,
      glitter: 1,
      cream: 0.5,
      matte: 0.1,
      satin: 0.3,
      metallic: 0.5,
    },
    palette: [
      { weight: 4, hue: [335, 360], saturation: [0.4, 0.85], lightness: [0.62, 0.82] },
      { weight: 3, hue: [360, 380], saturation: [0.4, 0.75], lightness: [0.62, 0.8] },
      { weight: 2, hue: [335, 362], saturation: [0.5, 0.85], lightness: [0.42, 0.6] },
      { weight: 1, hue: [345, 375], saturation: [0.35, 0.6], lightness: [0.3, 0.45] },
    ],
  },
  blush: {
    name: 'Blush',
    code: 'BL',
    weight: 2,
    sizes: [3, 8, 14, 20],
    nouns: ['Flush', 'Bloom', 'Cheek', 'Dawn', 'Petal', 'Glow'],
    finishes: { matte: 4, satin: 3, shimmer: 2, cream: 2, sheer: 1, gloss: 0.1, metallic: 0.1, glitter: 0.1 },
    palette: [
      { weight: 4, hue: [338, 362], saturation: [0.4, 0.75], lightness: [0.6, 0.78] },
      { weight: 3, hue: [362, 382], saturation: [0.45, 0.75], lightness: [0.58, 0.75] },
      { weight: 1, hue: [335, 360], saturation: [0.35, 0.6], lightness: [0.42, 0.58] },
    ],
  },
  eyeshadow: {
    name: 'Eyeshadow',
    code: 'ES',
    weight: 3,
    sizes: [4, 12, 24, 40],
    nouns: ['Gaze', 'Lid', 'Dusk', 'Story', 'Haze', 'Pigment'],
    finishes: { matte: 4, shimmer: 4, metallic: 2, satin: 2, glitter: 1, cream: 0.5, sheer: 0.3, gloss: 0.1 },
    hasMixedFinishes: true,
    hasEffects: true,
    palette: [
      { weight: 4, hue: [14, 38], saturation: [0.2, 0.5], lightness: [0.25, 0.6] },
      { weight: 3, hue: [18, 42], saturation: [0.25, 0.6], lightness: [0.62, 0.88] },
      { weight: 2, hue: [335, 375], saturation: [0.2, 0.5], lightness: [0.3, 0.7] },
      { weight: 1, hue: [0, 360], saturation: [0.02, 0.1], lightness: [0.12, 0.45] },
      { weight: 1, hue: [255, 320], saturation: [0.2, 0.5], lightness: [0.25, 0.6] },
      { weight: 1, hue: [80, 230], saturation: [0.25, 0.65], lightness: [0.22, 0.5] },
    ],
  },
  'nail-polish': {
    name: 'Nail Polish',
    code: 'NP',
    weight: 3,
    sizes: [6, 20, 44, 63],
    nouns: ['Lacquer', 'Coat', 'Colour', 'Shine', 'Gel', 'Varnish'],
    finishes: { cream: 5, gloss: 4, shimmer: 2, metallic: 1, glitter: 1, matte: 1, sheer: 1, satin: 0.5 },
    hasMixedFinishes: true,
    hasEffects: true,
    palette: [
      { weight: 4, hue: [340, 368], saturation: [0.65, 0.95], lightness: [0.28, 0.52] },
      { weight: 3, hue: [328, 375], saturation: [0.4, 0.85], lightness: [0.6, 0.86] },
      { weight: 2, hue: [12, 36], saturation: [0.25, 0.55], lightness: [0.55, 0.85] },
      { weight: 2, hue: [320, 360], saturation: [0.4, 0.7], lightness: [0.14, 0.3] },
      { weight: 2, hue: [160, 285], saturation: [0.3, 0.8], lightness: [0.22, 0.75] },
      { weight: 1, hue: [75, 160], saturation: [0.2, 0.5], lightness: [0.3, 0.75] },
      { weight: 1, hue: [15, 50], saturation: [0.75, 0.95], lightness: [0.5, 0.65] },
      { weight: 1, hue: [0, 360], saturation: [0, 0.1], lightness: [0.08, 0.75] },
    ],
  },
};

/** The quantiles of the number of shades in a line. */
export function sizeQuantiles({ sizes: [least, median, p90, most] }: KindRow): Quantiles {
  return [
    [0, least],
    [0.5, median],
    [0.9, p90],
    [1, most],
  ];
}

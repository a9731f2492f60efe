import type { ProductKind } from './catalog.ts';

/**
 * Every figure that shapes a generated catalog, with its source. "Ours" marks a figure without a published source.
 * The complexion figures are computed from the data of Ofunne Amaka and Amber Thomas, "The Naked Truth: How the names
 * of 6,816 complexion products can reveal bias in beauty", The Pudding, March 2021
 * (https://pudding.cool/2021/03/foundation-names/): 6,816 foundation shades in 328 product lines.
 */

/** Points of a quantile function: [share of the population, value], both increasing. */
export type Quantiles = readonly (readonly [share: number, value: number])[];

/**
 * Shades in one product line. Foundation: median 17, 90th percentile 41, largest 63 (The Pudding). Its smallest line
 * of 4 and all other kinds are ours: the narrower a product's use, the shorter its line.
 */
export const shadesPerLine: Readonly<Record<ProductKind, Quantiles>> = {
  foundation: [
    [0, 4],
    [0.5, 17],
    [0.9, 41],
    [1, 63],
  ],
  concealer: [
    [0, 4],
    [0.5, 12],
    [0.9, 30],
    [1, 50],
  ],
  lipstick: [
    [0, 5],
    [0.5, 15],
    [0.9, 32],
    [1, 50],
  ],
  'lip-gloss': [
    [0, 4],
    [0.5, 10],
    [0.9, 20],
    [1, 30],
  ],
  blush: [
    [0, 3],
    [0.5, 8],
    [0.9, 14],
    [1, 20],
  ],
  eyeshadow: [
    [0, 4],
    [0.5, 12],
    [0.9, 24],
    [1, 40],
  ],
  'nail-polish': [
    [0, 6],
    [0.5, 20],
    [0.9, 44],
    [1, 63],
  ],
};

/** The 5th, 50th and 95th percentile of one coordinate of a colour. */
export interface FigureSpread {
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
}

/** HSL of foundation shades (The Pudding): hue in degrees, saturation and lightness as fractions. */
export const complexion: {
  readonly hue: FigureSpread;
  readonly saturation: FigureSpread;
  readonly lightness: FigureSpread;
} = {
  hue: { p5: 15, p50: 25, p95: 33 },
  saturation: { p5: 0.28, p50: 0.5, p95: 0.82 },
  lightness: { p5: 0.33, p50: 0.66, p95: 0.87 },
};

/**
 * Correlations of complexion coordinates. Ours, chosen by eye: deep tones are redder and less saturated in HSL, and
 * golden tones more saturated than pink ones of the same lightness. Without this a line holds brick reds and salmon
 * pinks.
 */
export const complexionCorrelation = {
  hueWithLightness: 0.45,
  saturationWithLightness: 0.6,
  /** Of what lightness leaves open in each. */
  saturationWithHue: 0.5,
} as const;

/**
 * The least CIEDE2000 difference between two shades of one line. About 1 is the usual just-noticeable difference;
 * side by side, half of all observers see 0.8 (R. D. Paravina et al., "Color difference thresholds in dentistry", J.
 * Esthet. Restor. Dent. 27 (2015) S1–S9; ISO/TR 28642 adopted it).
 */
export const visibleDifference = 1.0;

/** Kinds with shades for effect, such as black or navy, and how many of a line's shades there are for each of these. Ours. */
export const effectKinds: readonly ProductKind[] = ['lipstick', 'eyeshadow', 'nail-polish'];
export const shadesPerEffect = 8;

/**
 * How lines name their shades (The Pudding): about 40 % of brands number them, nearly always the lightest first; 82 %
 * of products use words, with or without a number. So 18 % are numbers alone and 22 % are both.
 */
export const namingShares = { words: 0.6, numberAndWords: 0.22, number: 0.18 } as const;

/** Share of lipstick, gloss, blush and polish lines whose shades bear given names ("Anaïs"). Ours. */
export const givenNameShare = 0.15;

/** Chance that a product comes from a brand already in the catalog. Ours: a shop carries a few lines of each brand. */
export const sameBrandShare = 0.5;

/** How often each kind is drawn once every kind is present. Ours: complexion and lips lead a make-up shelf. */
export const kindWeights: Readonly<Record<ProductKind, number>> = {
  foundation: 4,
  concealer: 2,
  lipstick: 5,
  'lip-gloss': 2,
  blush: 2,
  eyeshadow: 3,
  'nail-polish': 3,
};

/** How a finish suits a kind, relative to 1 for a finish not named here. Ours; only chosen among the finishes allowed. */
export const finishWeights: Readonly<Record<ProductKind, Readonly<Record<string, number>>>> = {
  foundation: { matte: 4, satin: 3, sheer: 2, cream: 1, gloss: 0, shimmer: 0.2, metallic: 0, glitter: 0 },
  concealer: { matte: 4, cream: 3, satin: 2, sheer: 0.5, gloss: 0, shimmer: 0, metallic: 0, glitter: 0 },
  lipstick: { matte: 5, satin: 4, cream: 4, sheer: 2, gloss: 1, shimmer: 0.5, metallic: 0.5, glitter: 0.1 },
  'lip-gloss': {
    gloss: 6,
    shimmer: 2,
    sheer: 2,
    glitter: 1,
    cream: 0.5,
    matte: 0.1,
    satin: 0.3,
    metallic: 0.5,
  },
  blush: { matte: 4, satin: 3, shimmer: 2, cream: 2, sheer: 1, gloss: 0.1, metallic: 0.1, glitter: 0.1 },
  eyeshadow: { matte: 4, shimmer: 4, metallic: 2, satin: 2, glitter: 1, cream: 0.5, sheer: 0.3, gloss: 0.1 },
  'nail-polish': { cream: 5, gloss: 4, shimmer: 2, metallic: 1, glitter: 1, matte: 1, sheer: 1, satin: 0.5 },
};

/** Kinds sold with several finishes in one line. */
export const mixedFinishKinds: readonly ProductKind[] = ['eyeshadow', 'nail-polish'];

/**
 * Every figure that shapes a generated catalog, with its source. "Ours" marks a figure without a published source.
 * The complexion figures are computed from the data of Ofunne Amaka and Amber Thomas, "The Naked Truth: How the names
 * of 6,816 complexion products can reveal bias in beauty", The Pudding, March 2021
 * (https://pudding.cool/2021/03/foundation-names/): 6,816 foundation shades in 328 product lines.
 */

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

/**
 * How lines name their shades (The Pudding): about 40 % of brands number them, nearly always the lightest first; 82 %
 * of products use words, with or without a number. So 18 % are numbers alone and 22 % are both.
 */
export const namingShares = { words: 0.6, numberAndWords: 0.22, number: 0.18 } as const;

/** Share of lipstick, gloss, blush and polish lines whose shades bear given names ("Anaïs"). Ours. */
export const givenNameShare = 0.15;

/** Chance that a product comes from a brand already in the catalog. Ours: a shop carries a few lines of each brand. */
export const sameBrandShare = 0.5;

/** How many of a line's shades there are for each that is for effect, such as black or navy. Ours. */
export const shadesPerEffect = 8;

/** Points of a quantile function: [share of the population, value], both increasing. */
export type Quantiles = readonly (readonly [share: number, value: number])[];

/**
 * The value at share `u` of a population known by a few quantiles. Interpolation is geometric, since counts of shades
 * are skewed; published quantiles are met exactly.
 */
export function quantile(points: Quantiles, u: number): number {
  let below = points[0];
  if (below === undefined) throw new RangeError('a quantile function needs at least one point');
  for (const above of points) {
    if (u <= above[0]) {
      const width = above[0] - below[0];
      return width === 0 ? above[1] : below[1] * (above[1] / below[1]) ** ((u - below[0]) / width);
    }
    below = above;
  }
  return below[1];
}

const z95 = 1.6448536269514722;

/** The value `z` standard deviations from the median of a two-piece normal distribution with these percentiles. */
export function atDeviation(spread: FigureSpread, z: number): number {
  const side = z < 0 ? spread.p50 - spread.p5 : spread.p95 - spread.p50;
  return spread.p50 + (z / z95) * side;
}

const centralNumerator = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
] as const;
const centralDenominator = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1,
  1,
] as const;
const tailNumerator = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
] as const;
const tailDenominator = [
  7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1,
] as const;

/**
 * Inverse of the standard normal distribution function, by Peter J. Acklam's rational approximation (relative error
 * below 1.2e-9). One uniform number makes one normal number, so seeded streams stay aligned. `u` outside [2⁻⁵³, 1 −
 * 2⁻⁵³] is moved to the nearer end.
 */
export function normalQuantile(u: number): number {
  const p = Math.min(Math.max(u, 2 ** -53), 1 - 2 ** -53);
  if (p < 0.02425) return tail(p);
  if (p > 1 - 0.02425) return -tail(1 - p);
  const q = p - 0.5;
  const r = q * q;
  return (polynomial(centralNumerator, r) * q) / polynomial(centralDenominator, r);
}

function tail(p: number): number {
  const q = Math.sqrt(-2 * Math.log(p));
  return polynomial(tailNumerator, q) / polynomial(tailDenominator, q);
}

/** By Horner's rule, the coefficient of the highest power first. */
function polynomial(coefficients: readonly number[], x: number): number {
  let value = 0;
  for (let at = 0; at < coefficients.length; at++) value = value * x + (coefficients[at] ?? 0);
  return value;
}

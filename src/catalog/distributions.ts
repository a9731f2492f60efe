import type { FigureSpread, Quantiles } from './figures.ts';

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

/** A part of a population: its share of all, and the factor on its members' odds. */
interface OddsGroup {
  readonly share: number;
  readonly factor: number;
}

/** The probability that goes with odds of p : 1 − p; odds may be infinite. */
export function probabilityOf(odds: number): number {
  return 1 - 1 / (1 + odds);
}

/**
 * The common odds with which `target` of the population does something, if each group has these odds times its
 * factor. It is the root of Σ share · p(odds · factor) = target, by bisection of the logarithm. So factors change who
 * does it, not the total. 0 for a target of 0; infinite for a target that only the whole population reaches.
 */
export function commonOdds(groups: readonly OddsGroup[], target: number): number {
  const expected = (odds: number): number =>
    groups.reduce((sum, { share, factor }) => sum + share * probabilityOf(odds * factor), 0);
  if (target <= 0) return 0;
  if (target >= expected(Number.POSITIVE_INFINITY) - 1e-9) return Number.POSITIVE_INFINITY;
  let low = -40;
  let high = 40;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (expected(Math.exp(middle)) < target) low = middle;
    else high = middle;
  }
  return Math.exp((low + high) / 2);
}

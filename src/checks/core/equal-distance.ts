/** Fewer show no distance. */
const leastAtDistance = 3;
/** How far off its place one may be: requests arrive in another order than they were sent in. */
const offPlace = 2;

/** The distance at which places in an order lie that are all equally far from each other, which a few may be by accident. */
export function equalDistance(places: readonly number[]): number | undefined {
  const gaps = places.slice(1).map((place, n) => place - (places[n] ?? 0));
  const [gap = 0] = gaps.toSorted((a, b) => a - b).slice(Math.floor(gaps.length / 2));
  const areEqual = gaps.every((each) => Math.abs(each - gap) <= offPlace);
  return places.length >= leastAtDistance && gap > 4 * offPlace && areEqual ? gap : undefined;
}

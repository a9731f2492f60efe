/** The loads that a search may try, ascending: neighbours are as close as the search tells apart. */

/** Loads to one climb by `factor`: what the search tells apart is that factor's eighth root, 9 % for a factor of 2. */
const perClimb = 8;

/** Rates per second from `from` to `most`, in equal ratios. */
export function rateLattice(from: number, most: number, factor: number): number[] {
  const rates: number[] = [];
  for (let step = 0; ; step++) {
    const rate = from * factor ** (step / perClimb);
    if (rate > most * (1 + 1e-9)) return rates;
    // Three digits are enough for a reader; neighbours are further apart than that.
    rates.push(Number(rate.toPrecision(4)));
  }
}

/** Whole numbers from 1 to `most`, in about such ratios. */
export function connectionLattice(most: number, factor: number): number[] {
  return [...new Set(rateLattice(1, most, factor).map(Math.round))];
}

/** The place of the load that the climb tries next: `factor` times this one, or the highest. */
export function climbFrom(lattice: readonly number[], place: number, factor: number): number {
  const wanted = (lattice[place] ?? 0) * factor * (1 - 1e-3);
  const next = lattice.findIndex((load) => load >= wanted);
  return next === -1 ? lattice.length - 1 : next;
}

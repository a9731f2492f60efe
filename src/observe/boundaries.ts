/**
 * Upper bounds of the buckets that durations are counted in, seconds. Twelve to a factor of ten, so that a quantile read
 * from them is within a few percent; every bound that a metric shows is one of them.
 */
const perDecade = [1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 7.5];
const decades = [1e-4, 1e-3, 1e-2, 1e-1, 1];

export const boundaries: readonly number[] = [
  ...decades.flatMap((decade) => perDecade.map((bound) => Number((bound * decade).toPrecision(3)))),
  10,
];

const boundsNs = Float64Array.from(boundaries, (seconds) => Math.round(seconds * 1e9));

/** Buckets of a duration: one for each bound, and one for what is longer than all. */
export const bucketCount = boundsNs.length + 1;

/** The bucket of a duration: the first whose bound is not below it. */
export function bucketOf(ns: number): number {
  let low = 0;
  let high = boundsNs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((boundsNs[middle] as number) < ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The bounds that the semantic conventions of OpenTelemetry prescribe for HTTP durations, seconds. */
export const conventionBounds: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** Finer below 5 ms, where a service close by answers. */
export const responseBounds: readonly number[] = [0.0005, 0.001, 0.0025, ...conventionBounds];

/** A generator that keeps its pace is late by less than a millisecond. */
export const lagBounds: readonly number[] = [0.0001, 0.00025, ...responseBounds];

/** The counts of the fine buckets, added up between coarser bounds. `bounds` are among `boundaries`. */
export function coarsened(counts: ArrayLike<number>, bounds: readonly number[]): number[] {
  const coarse = new Array<number>(bounds.length + 1).fill(0);
  let at = 0;
  for (let fine = 0; fine < counts.length; fine++) {
    while (at < bounds.length && (boundaries[fine] ?? Number.POSITIVE_INFINITY) > (bounds[at] as number))
      at++;
    coarse[at] = (coarse[at] as number) + (counts[fine] as number);
  }
  return coarse;
}

/** A quantile, seconds, by linear interpolation within its bucket; `least` and `most`: the extremes of the values. */
export function quantileOf(
  counts: ArrayLike<number>,
  share: number,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  let all = 0;
  for (let at = 0; at < counts.length; at++) all += counts[at] as number;
  const rank = share * all;
  let below = 0;
  for (let at = 0; at < counts.length; at++) {
    const inside = counts[at] as number;
    if (inside > 0 && below + inside >= rank) {
      const from = Math.max(least, at === 0 ? 0 : (boundaries[at - 1] as number));
      const to = Math.min(most, boundaries[at] ?? most);
      return Math.max(least, from + (to - from) * Math.max(0, (rank - below) / inside));
    }
    below += inside;
  }
  return most;
}

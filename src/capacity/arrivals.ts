import type { Random } from '../random.ts';

/**
 * Random arrivals: a Poisson process, as of many independent shoppers. Evenly spaced requests would never coincide,
 * so a target would look fine up to its saturation. @returns nanoseconds from the start, ascending, all under
 * `durationMs`.
 */
export function poissonArrivals(ratePerSecond: number, durationMs: number, random: Random): Float64Array {
  const endNs = durationMs * 1e6;
  const meanNs = 1e9 / ratePerSecond;
  const expected = endNs / meanNs;
  const instants = new Float64Array(Math.ceil(expected + 10 * Math.sqrt(expected) + 10));
  let count = 0;
  for (
    let atNs = gapNs(meanNs, random);
    atNs < endNs && count < instants.length;
    atNs += gapNs(meanNs, random)
  )
    instants[count++] = Math.round(atNs);
  return instants.subarray(0, count);
}

function gapNs(meanNs: number, random: Random): number {
  return -Math.log(1 - random()) * meanNs;
}

import { fixedWindow, fixedWindowFirstRequest } from '../kinds/fixed-window.ts';
import { keyOf, type Settled } from '../kinds/kind.ts';
import { slidingLog } from '../kinds/sliding-log.ts';
import { tokenBucket } from '../kinds/token-bucket.ts';

/** Arrivals in order, and 1 for each that is counted. */
interface KnownArrivals {
  readonly atNs: Float64Array;
  readonly counted: Uint8Array;
}

/** Writes what a limit has counted when each request arrives. */
type LoadMeasure = (settled: Settled, known: KnownArrivals, loads: Float64Array) => void;

/**
 * As `decide` of the kinds that can be one of two limits tells it, but without a call for each request: a search for pairs
 * goes over all requests more than a thousand times.
 */
export const measures: Readonly<Record<string, LoadMeasure>> = {
  [keyOf(fixedWindow)]: ({ boundaryNs, scaleNs }, { atNs, counted }, loads) => {
    let window = Number.NaN;
    let count = 0;
    for (let k = 0; k < atNs.length; k++) {
      const current = Math.floor(((atNs[k] as number) - boundaryNs) / scaleNs);
      if (current !== window) count = 0;
      window = current;
      loads[k] = count;
      count += counted[k] as number;
    }
  },
  [keyOf(fixedWindowFirstRequest)]: ({ scaleNs }, { atNs, counted }, loads) => {
    let endsNs = Number.NEGATIVE_INFINITY;
    let count = 0;
    for (let k = 0; k < atNs.length; k++) {
      if ((atNs[k] as number) >= endsNs) {
        endsNs = (atNs[k] as number) + scaleNs;
        count = 0;
      }
      loads[k] = count;
      count += counted[k] as number;
    }
  },
  [keyOf(slidingLog)]: ({ scaleNs }, { atNs, counted }, loads) => {
    let oldest = 0;
    let count = 0;
    for (let k = 0; k < atNs.length; k++) {
      const leavesNs = (atNs[k] as number) - scaleNs;
      for (; (atNs[oldest] as number) <= leavesNs; oldest++) count -= counted[oldest] as number;
      loads[k] = count;
      count += counted[k] as number;
    }
  },
  [keyOf(tokenBucket)]: ({ scaleNs }, { atNs, counted }, loads) => {
    let level = 0;
    let lastNs = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < atNs.length; k++) {
      level = Math.max(0, level - ((atNs[k] as number) - lastNs) / scaleNs);
      lastNs = atNs[k] as number;
      loads[k] = level;
      level += counted[k] as number;
    }
  },
};

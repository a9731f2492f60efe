/** The response times of one kind of request in one run, as the comparison needs them: figures of the run and of its blocks. */
export interface Sample {
  /** `*` for all endpoints together. */
  readonly endpoint: string;
  readonly requests: number;
  readonly figures: SampleFigure[];
}

interface SampleFigure {
  readonly percentile: Percentile;
  /** Milliseconds; undefined where the run has too few requests for the percentile. */
  readonly value?: number | undefined;
  /** The same of parts of the run, in order of time. Each is as long as the autocorrelation at least. */
  readonly blocks: number[];
  /** How many requests in a row tell as much as one independent request. */
  readonly autocorrelation: number;
}

export const percentiles = [50, 90, 99] as const;
export type Percentile = (typeof percentiles)[number];

/** The fewest independent values for a two-sided 95 % interval of a percentile: 6, 36 and 368. */
export function leastRequests(percentile: number): number {
  return Math.ceil(Math.log(0.025) / Math.log(percentile / 100));
}

/** Two halves of a run then have five blocks each, the fewest that can separate at 1 %. */
const mostBlocks = 10;

/** `timesMs`: in the order in which the requests were due. */
export function sampleOf(endpoint: string, timesMs: Float64Array): Sample {
  const sorted = timesMs.toSorted();
  return {
    endpoint,
    requests: timesMs.length,
    figures: percentiles.map((percentile): SampleFigure => {
      const least = leastRequests(percentile);
      if (timesMs.length < least) return { percentile, blocks: [], autocorrelation: timesMs.length };
      const value = quantile(sorted, percentile / 100);
      const autocorrelation = autocorrelationOf(timesMs, value);
      return {
        percentile,
        value,
        blocks: blocksOf(timesMs, percentile, Math.max(least, Math.ceil(autocorrelation))),
        autocorrelation,
      };
    }),
  };
}

/** By nearest rank. */
export function quantile(sorted: Float64Array, share: number): number {
  const place = Math.min(sorted.length, Math.max(1, Math.ceil(share * sorted.length)));
  return sorted[place - 1] ?? Number.NaN;
}

function blocksOf(timesMs: Float64Array, percentile: Percentile, length: number): number[] {
  const count = Math.min(mostBlocks, Math.floor(timesMs.length / length));
  return Array.from({ length: count }, (_, k) => {
    const from = Math.floor((k * timesMs.length) / count);
    const to = Math.floor(((k + 1) * timesMs.length) / count);
    return quantile(timesMs.subarray(from, to).toSorted(), percentile / 100);
  });
}

/** A longer series is summed up in groups first: its cost grows with length times lag. */
const mostPoints = 20_000;

/**
 * The integrated autocorrelation time of “slower than the percentile”, in requests: the noise of a percentile depends
 * on this series alone. The window is Sokal's: lags up to five times the result.
 */
function autocorrelationOf(timesMs: Float64Array, threshold: number): number {
  const group = Math.ceil(timesMs.length / mostPoints);
  const points = new Float64Array(Math.floor(timesMs.length / group));
  points.forEach((_, k) => {
    for (let i = k * group; i < (k + 1) * group; i++)
      if ((timesMs[i] ?? 0) > threshold) points[k] = (points[k] ?? 0) + 1;
  });
  const mean = points.reduce((sum, each) => sum + each, 0) / points.length;
  const centred = points.map((each) => each - mean);
  const covariance = (lag: number): number => {
    let sum = 0;
    for (let i = lag; i < centred.length; i++) sum += (centred[i] ?? 0) * (centred[i - lag] ?? 0);
    return sum / centred.length;
  };
  const variance = covariance(0);
  if (variance === 0) return 1;
  let inGroups = 1;
  for (let lag = 1; lag < Math.min(5 * inGroups, points.length / 2); lag++)
    inGroups += (2 * covariance(lag)) / variance;
  // Inside a group nothing is known of the order: its variance says how alike its requests are.
  const within = group === 1 ? 1 : variance / (group * (mean / group) * (1 - mean / group));
  return Math.max(1, inGroups * within);
}

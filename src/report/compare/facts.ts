import { z } from 'zod';
import type { Verdict } from '../../checks/core/verdict.ts';
import type { RunInfo } from '../../history/run.ts';
import type { Interval } from '../../vocabulary/bounds.ts';

export const percentiles = [50, 90, 99] as const;
export type Percentile = (typeof percentiles)[number];

/** What the comparison knows of a run. */
export interface RunFacts {
  /** Its folder. */
  readonly name: string;
  readonly run: RunInfo;
  readonly isGeneratorBound: boolean;
  readonly verdicts: readonly CheckVerdict[];
  readonly parameters: readonly Parameter[];
  readonly figures: FiguresFile;
}

export interface CheckVerdict {
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
}

/** What a run found out about limiter or quota. */
export interface Parameter {
  readonly name: string;
  /** An interval is compared by whether it overlaps, a text by equality. */
  readonly value: ParameterValue;
}
export type ParameterValue = Interval | string;

/** One side of the comparison: a run, or repetitions of it. */
export interface Side {
  readonly name: string;
  readonly runs: readonly RunFacts[];
}

/** The version of `figures.json`. */
export const figuresVersion = 1;

/** Ranks that a summary keeps: a band of quantiles is then as fine as one of all requests. */
const mostQuantiles = 2_001;

/**
 * `figures.json`: what a comparison needs of a run's response times and capacity, in a few kilobytes, so that runs are
 * compared after their histories are gone. `docs/figures.schema.json` describes it for its readers.
 */
export const figuresFileSchema = z.strictObject({
  schema_version: z.literal(figuresVersion),
  samples: z
    .array(
      z.strictObject({
        endpoint: z.string().describe('`*` for all endpoints together'),
        requests: z.int().positive(),
        figures: z.array(
          z.strictObject({
            percentile: z.literal(percentiles),
            value: z.number().optional().describe('milliseconds; absent where there are too few requests'),
            blocks: z
              .array(z.number())
              .describe(
                'the same of parts of the run, in order of time; each as long as the autocorrelation at least',
              ),
            autocorrelation: z
              .number()
              .describe('how many requests in a row tell as much as one independent request'),
          }),
        ),
      }),
    )
    .describe('response times of the 2xx answers of the planned load, from the planned instant'),
  quantiles_ms: z
    .array(z.number())
    .describe('of all of them, ascending, at even ranks; all of them where there are few'),
  capacity: z
    .number()
    .optional()
    .describe('requests per second: the highest rate that kept the promise of a capacity study'),
});

export type FiguresFile = z.infer<typeof figuresFileSchema>;
/** The response times of one kind of request in one run, as the comparison needs them: figures of the run and of its blocks. */
export type Sample = FiguresFile['samples'][number];

/** `timesMs`: of all endpoints, in the order in which the requests were due; `endpointAt` names the endpoint of each. */
export function figuresOf(
  timesMs: Float64Array,
  endpoints: readonly string[],
  endpointAt: (place: number) => number,
  capacity: number | undefined,
): FiguresFile {
  const ofEndpoint = (endpoint: string, at: number): Sample =>
    sampleOf(
      endpoint,
      timesMs.filter((_, place) => endpointAt(place) === at),
    );
  return {
    schema_version: figuresVersion,
    samples: timesMs.length === 0 ? [] : [sampleOf('*', timesMs), ...endpoints.map(ofEndpoint)],
    quantiles_ms: quantilesOf(timesMs),
    ...(capacity !== undefined && { capacity }),
  };
}

/** At even ranks, ascending. */
function quantilesOf(timesMs: Float64Array): number[] {
  const sorted = timesMs.toSorted();
  if (sorted.length <= mostQuantiles) return [...sorted];
  return Array.from({ length: mostQuantiles }, (_, k) => quantile(sorted, (k + 0.5) / mostQuantiles));
}

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
    figures: percentiles.map((percentile): Sample['figures'][number] => {
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

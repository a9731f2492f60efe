import { z } from 'zod';
import type { Verdict } from '../../checks/core/verdict.ts';
import type { RunInfo } from '../../history/run.ts';
import type { Interval } from '../../vocabulary/bounds.ts';
import { percentiles, quantile, type Sample, sampleOf } from './sample.ts';

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
            blocks: z.array(z.number()).describe('the same of parts of the run, in order of time'),
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
export function quantilesOf(timesMs: Float64Array): number[] {
  const sorted = timesMs.toSorted();
  if (sorted.length <= mostQuantiles) return [...sorted];
  return Array.from({ length: mostQuantiles }, (_, k) => quantile(sorted, (k + 0.5) / mostQuantiles));
}

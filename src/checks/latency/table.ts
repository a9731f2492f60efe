import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/tables.ts';
import type { Shown } from '../core/verdict.ts';

/** Percentiles of one kind of latency, in milliseconds, by nearest rank: each is the latency of one real request. */
export interface Percentiles {
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

/** The latencies of all ordinary answers of an endpoint with one status. */
export interface LatencyRow {
  readonly endpoint: string;
  readonly status: number;
  readonly answers: number;
  /** From the actual send. */
  readonly service: Percentiles;
  /** From the intended instant. */
  readonly response: Percentiles;
}

const percentilesColumn = z
  .array(z.coerce.number())
  .length(5)
  .transform(([p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0]) => ({
    p50Ms: p50 / 1e6,
    p90Ms: p90 / 1e6,
    p99Ms: p99 / 1e6,
    p999Ms: p999 / 1e6,
    maxMs: max / 1e6,
  }));

const percentilesRow = z.object({
  endpoint: z.string(),
  status: z.number(),
  answers: z.number(),
  percentiles: percentilesColumn,
});

/** Latencies per endpoint and exact status over the whole run, without contract probes. */
export const latencyTable = oncePerHistory(async (history: History): Promise<LatencyRow[]> => {
  // One after the other: a percentile holds all its values in memory.
  const service = await percentilesFrom(history, 'sent_ns');
  const response = await percentilesFrom(history, 'intended_ns');
  return service.flatMap(({ endpoint, status, answers, percentiles }) => {
    const same = response.find((each) => each.endpoint === endpoint && each.status === status);
    return same === undefined
      ? []
      : [{ endpoint, status, answers, service: percentiles, response: same.percentiles }];
  });
});

function percentilesFrom(
  history: History,
  since: 'sent_ns' | 'intended_ns',
): Promise<z.output<typeof percentilesRow>[]> {
  return history.rows(
    percentilesRow,
    `SELECT endpoint, status, count(*) AS answers,
            quantile_disc(answered_ns - ${since}, [0.5, 0.9, 0.99, 0.999, 1.0]) AS percentiles
     FROM requests
     WHERE probe IS NULL AND status IS NOT NULL AND sent_ns IS NOT NULL AND answered_ns IS NOT NULL
     GROUP BY endpoint, status ORDER BY endpoint, status`,
  );
}

/** The table as a check shows it: endpoint → status → numbers, milliseconds to the microsecond. */
export function shownTable(table: readonly LatencyRow[]): Shown {
  const shown: Record<string, Record<string, Shown>> = {};
  for (const row of table) {
    shown[row.endpoint] = {
      ...shown[row.endpoint],
      [String(row.status)]: {
        answers: row.answers,
        'service time, ms': shownPercentiles(row.service),
        'response time, ms': shownPercentiles(row.response),
      },
    };
  }
  return shown;
}

function shownPercentiles(percentiles: Percentiles): Shown {
  return {
    p50: toMicroseconds(percentiles.p50Ms),
    p90: toMicroseconds(percentiles.p90Ms),
    p99: toMicroseconds(percentiles.p99Ms),
    'p99.9': toMicroseconds(percentiles.p999Ms),
    max: toMicroseconds(percentiles.maxMs),
  };
}

/** Milliseconds cut to whole microseconds. */
export function toMicroseconds(ms: number): number {
  return Math.round(ms * 1e3) / 1e3;
}

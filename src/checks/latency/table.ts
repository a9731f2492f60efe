import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/tables.ts';
import type { Shown } from '../core/verdict.ts';

const quantiles = { p50: 0.5, p90: 0.9, p99: 0.99, 'p99.9': 0.999, max: 1 } as const;
type LatencyPercentile = keyof typeof quantiles;
export const percentiles = Object.keys(quantiles) as readonly LatencyPercentile[];

/** Percentiles of one kind of latency, in milliseconds, by nearest rank: each is the latency of one real request. */
type Percentiles = Readonly<Record<LatencyPercentile, number>>;

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

const percentilesRow = z.object({
  endpoint: z.string(),
  status: z.number(),
  answers: z.number(),
  found: z
    .array(z.coerce.number())
    .transform(
      (ns) => Object.fromEntries(percentiles.map((name, at) => [name, (ns[at] ?? 0) / 1e6])) as Percentiles,
    ),
});

/** Latencies per endpoint and exact status over the whole run, without contract probes. */
export const latencyTable = oncePerHistory(async (history: History): Promise<LatencyRow[]> => {
  const since = (instant: string): Promise<z.output<typeof percentilesRow>[]> =>
    history.rows(
      percentilesRow,
      `SELECT endpoint, status, count(*) AS answers,
         quantile_disc(answered_ns - ${instant}, [${Object.values(quantiles).join(', ')}]) AS found
       FROM requests WHERE probe IS NULL AND status IS NOT NULL AND sent_ns IS NOT NULL AND answered_ns IS NOT NULL
       GROUP BY endpoint, status ORDER BY endpoint, status`,
    );
  // One after the other: a percentile holds all its values in memory.
  const service = await since('sent_ns');
  const response = await since('intended_ns');
  return service.flatMap(({ found, ...row }, at) => {
    const same = response[at];
    return same === undefined ? [] : [{ ...row, service: found, response: same.found }];
  });
});

/** The table as a check shows it: endpoint → status → numbers, milliseconds to the microsecond. */
export function shownTable(table: readonly LatencyRow[]): Shown {
  const shown = (found: Percentiles): Shown =>
    Object.fromEntries(percentiles.map((name) => [name, toMicroseconds(found[name])]));
  return Object.fromEntries(
    [...Map.groupBy(table, ({ endpoint }) => endpoint)].map(([endpoint, rows]) => [
      endpoint,
      Object.fromEntries(
        rows.map(({ answers, response, service, status }) => [
          String(status),
          { answers, 'service time, ms': shown(service), 'response time, ms': shown(response) },
        ]),
      ),
    ]),
  );
}

/** Milliseconds cut to whole microseconds. */
export const toMicroseconds = (ms: number): number => Math.round(ms * 1e3) / 1e3;

import { z } from 'zod';
import type { History } from '../history/history.ts';
import type { Buckets } from './series.ts';

/**
 * Counts of both latencies by endpoint, exact status and part of the run, for a reader who chooses the part and the
 * percentiles. A bin is 1/16 of a doubling, so its middle is within 2.2 % of every latency in it.
 */
export const binsPerDoubling = 16;

export interface LatencyBins {
  readonly endpoint: string;
  readonly status: number;
  readonly answers: number;
  readonly service: readonly string[];
  readonly response: readonly string[];
}

const row = z.object({
  endpoint: z.string(),
  status: z.number(),
  latency: z.enum(['service', 'response']),
  part: z.number(),
  answers: z.number(),
  bins: z.string(),
});

/** The same answers as in the table of latencies: all stages, without probes. */
export async function latencyBins(history: History, { count, widthMs }: Buckets): Promise<LatencyBins[]> {
  const rows = await history.rows(
    row,
    `WITH one AS (
       SELECT endpoint, status, CAST(least(greatest(intended_ns, 0) // ${widthMs * 1e6}, ${count - 1}) AS BIGINT) AS part,
         unnest(['service', 'response']) AS latency, unnest([answered_ns - sent_ns, answered_ns - intended_ns]) AS ns
       FROM requests WHERE probe IS NULL AND status IS NOT NULL AND sent_ns IS NOT NULL AND answered_ns IS NOT NULL
     ), bin AS (
       SELECT endpoint, status, latency, part, CAST(floor(log2(greatest(ns, 1)) * ${binsPerDoubling}) AS INTEGER) AS bin,
         count(*) AS n
       FROM one GROUP BY ALL
     ), step AS (
       SELECT *, bin - coalesce(lag(bin) OVER (PARTITION BY endpoint, status, latency, part ORDER BY bin), 0) AS step FROM bin
     )
     SELECT endpoint, status, latency, part, CAST(sum(n) AS BIGINT) AS answers,
       string_agg(CASE WHEN step = 1 THEN '' ELSE step || ':' END || n, ' ' ORDER BY bin) AS bins
     FROM step GROUP BY ALL ORDER BY endpoint, status, part`,
  );
  return [...Map.groupBy(rows, ({ endpoint, status }) => `${endpoint} ${status}`).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { endpoint, status } = first;
    const of = (latency: 'service' | 'response'): string[] => {
      const parts = new Array<string>(count).fill('');
      for (const each of own) if (each.latency === latency) parts[each.part] = each.bins;
      return parts;
    };
    const answers = own.reduce((sum, each) => sum + (each.latency === 'service' ? each.answers : 0), 0);
    return [{ endpoint, status, answers, service: of('service'), response: of('response') }];
  });
}

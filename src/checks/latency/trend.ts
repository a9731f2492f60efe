import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { caused, fits } from '../diagnosis/cause.ts';
import { admitted, firstSeqs, seqsColumn } from '../found.ts';
import { reason } from '../reasons/reason.ts';
import { type CheckFinding, evidence } from '../verdict.ts';
import { loadBlocks } from './load-blocks.ts';
import { type Trend, trendOf } from './monotone-trend.ts';

/** Fewer answers have no median. */
const fewestAnswers = 3;
/**
 * What counts as growth: `docs/fault-grid.md` has how often a target without any is accused. A machine that has become
 * busier doubles a service time of a millisecond, so the growth has to be one that matters as well.
 */
const certainZ = 4;
const growth = { factor: 1.5, ms: 5 } as const;

const blockRow = z.object({
  endpoint: z.string(),
  block: z.number(),
  load: z.number(),
  median_ms: z.number(),
  seqs: seqsColumn,
});

interface EndpointTrend extends Trend {
  readonly endpoint: string;
  readonly seqs: readonly number[];
}

/** Service times of an endpoint do not grow while the load stays the same. No finding for loads below a minute. */
export async function checkTrend(history: History): Promise<CheckFinding[]> {
  const rows = await history.rows(
    blockRow,
    `WITH ${loadBlocks}
     SELECT endpoint, block, any_value(busy.load) AS load, quantile_disc(answered_ns - sent_ns, 0.5) / 1e6 AS median_ms,
       ${firstSeqs} AS seqs
     FROM blocked JOIN busy USING (block) WHERE ${admitted} AND probe IS NULL AND answered_ns IS NOT NULL
     GROUP BY endpoint, block HAVING count(*) >= ${fewestAnswers} ORDER BY endpoint, block`,
  );
  if (rows.length === 0) return [];
  const trends = [...Map.groupBy(rows, ({ endpoint }) => endpoint)].flatMap(
    ([endpoint, own]): EndpointTrend[] => {
      const trend = trendOf(own.map(({ load, median_ms: value }) => ({ load, value })));
      const seqs = [own[0], own.at(-1)].flatMap((row) => row?.seqs.slice(0, 2) ?? []);
      return trend === undefined ? [] : [{ endpoint, seqs, ...trend }];
    },
  );
  const growing = trends.filter(doesGrow).toSorted((a, b) => b.after - b.before - (a.after - a.before));
  const [worst] = growing;
  return [
    {
      id: 'latency.trend',
      verdict: worst !== undefined ? 'fail' : trends.length === 0 ? 'inconclusive' : 'pass',
      expected: { 'endpoints that get slower': 0 },
      observed: Object.fromEntries(
        trends.map(({ after, before, endpoint, z: score }) => [
          endpoint,
          { 'first quarter, ms': round(before), 'last quarter, ms': round(after), z: round(score) },
        ]),
      ),
      reasons:
        worst !== undefined
          ? growing.map(({ after, before, endpoint, z: score }) =>
              reason('latency-grows', { endpoint, beforeMs: before, afterMs: after, z: round(score) }),
            )
          : trends.length === 0
            ? [reason('latency-trend-too-few', {})]
            : [reason('latency-grows-not', { endpoints: trends.map(({ endpoint }) => endpoint) })],
      evidence: growing.map(({ endpoint, seqs }) => evidence(`first and last answers of ${endpoint}`, seqs)),
      ...(worst !== undefined &&
        caused([
          fits(
            'slower-with-time',
            {
              endpoints: growing.map(({ endpoint }) => endpoint),
              beforeMs: worst.before,
              afterMs: worst.after,
            },
            worst.seqs,
          ),
        ])),
    },
  ];
}

function doesGrow({ after, before, z: score }: Trend): boolean {
  return score > certainZ && after > growth.factor * before && after - before > growth.ms;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

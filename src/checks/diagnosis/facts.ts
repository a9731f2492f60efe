import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { admitted } from '../core/found.ts';
import { type Outages, readOutages } from '../core/outages.ts';

/** What the answers of a run show whatever the cause: causes are held against it. */
export interface AnswerFacts extends Outages {
  /** The shortest time from a rejection to an admission with the same key at the same endpoint. */
  readonly admittedAfterMs: number;
  /** A query whose total fell. */
  readonly fall: TotalFall | undefined;
}

interface TotalFall {
  readonly params: {
    readonly before: number;
    readonly beforeMs: number;
    readonly after: number;
    readonly afterMs: number;
  };
  readonly seqs: readonly number[];
}

/** Facts of a run in which nothing refutes anything. */
export const noFacts: AnswerFacts = {
  outages: [],
  isAllOutages: false,
  admittedAfterMs: Number.POSITIVE_INFINITY,
  fall: undefined,
};

export async function readFacts(history: History): Promise<AnswerFacts> {
  return {
    ...(await readOutages(history)),
    ...(await readAdmittedAfter(history)),
    fall: await readFall(history),
  };
}

/** An interaction carries a token, and a probe may name another address or node. */
async function readAdmittedAfter(history: History): Promise<Pick<AnswerFacts, 'admittedAfterMs'>> {
  const [row] = await history.rows(
    z.object({ ms: z.number().nullable() }),
    `WITH asked AS (
       SELECT credential, endpoint, status, sent_ns, answered_ns FROM requests
       WHERE probe IS NULL AND credential <> 'session' AND (status = 429 OR ${admitted}))
     SELECT min(a.answered_ns - r.sent_ns) / 1e6 AS ms
     FROM (FROM asked WHERE status <> 429) a ASOF JOIN (FROM asked WHERE status = 429) r
       ON r.credential = a.credential AND r.endpoint = a.endpoint AND r.answered_ns < a.sent_ns`,
  );
  return { admittedAfterMs: row?.ms ?? Number.POSITIVE_INFINITY };
}

const fallRow = z.object({
  seq: z.coerce.number(),
  first: z.coerce.number(),
  before: z.coerce.number(),
  before_ms: z.number(),
  after: z.coerce.number(),
  after_ms: z.number(),
});

/**
 * The deepest fall of `total_sessions` from one answer to a later request with the same query. None where some
 * total recovers: so do answers of replicas if one is behind.
 */
async function readFall(history: History): Promise<TotalFall | undefined> {
  const [row] = await history.rows(
    fallRow,
    `WITH asked AS (
       SELECT r.seq, r.credential, r.sent_ns, r.answered_ns, a.query::VARCHAR AS query,
         TRY_CAST(json_extract_string(a.body, '$.total_sessions') AS BIGINT) AS total
       FROM answers a JOIN requests r USING (seq) WHERE a.endpoint = 'analytics' AND r.${admitted}),
     around AS (
       SELECT credential, query, total, max(total) OVER before AS most_before, max(total) OVER after AS most_after FROM asked
       WINDOW before AS (PARTITION BY credential, query ORDER BY sent_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
         after AS (PARTITION BY credential, query ORDER BY sent_ns ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)),
     recovered AS (SELECT DISTINCT credential, query FROM around WHERE total < most_before AND most_after >= most_before)
     SELECT l.seq, arg_max(e.seq, e.total) AS first, max(e.total) AS before, arg_max(e.answered_ns, e.total) / 1e6 AS before_ms,
       any_value(l.total) AS after, any_value(l.sent_ns) / 1e6 AS after_ms
     FROM asked l JOIN asked e ON e.credential = l.credential AND e.query = l.query AND e.answered_ns < l.sent_ns AND e.total > l.total
     WHERE NOT EXISTS (FROM recovered) GROUP BY l.seq ORDER BY before - after DESC, l.seq LIMIT 1`,
  );
  if (row === undefined) return undefined;
  const { after, after_ms: afterMs, before, before_ms: beforeMs, first, seq } = row;
  return { params: { before, beforeMs, after, afterMs }, seqs: [first, seq] };
}

import { z } from 'zod';
import type { History } from '../history/history.ts';

/** Small tables that several reports show. Questions to the history; nothing is judged. */

const count = z.number();
const bookRow = z.object({
  stage: z.string(),
  phase: z.string(),
  from_ns: count,
  to_ns: count,
  due: count,
  not_sent: count,
  sent: count,
  admitted: count,
  limited: count,
  over_quota: count,
  client_error: count,
  server_error: count,
  other_status: count,
  lost: count,
});
/** What became of the requests of one phase: due = sent + not sent, and sent = the sum of what follows it. */
export type BookRow = z.output<typeof bookRow>;

/** Accounting by phase, in the order in which the phases began. */
export function books(history: History): Promise<BookRow[]> {
  return history.rows(
    bookRow,
    `SELECT stage, phase, min(coalesce(sent_ns, intended_ns)) AS from_ns, max(coalesce(sent_ns, intended_ns)) AS to_ns,
       count(*) AS due, count(not_sent) AS not_sent, count(*) FILTER (not_sent IS NULL) AS sent,
       count(*) FILTER (status BETWEEN 200 AND 299) AS admitted, count(*) FILTER (status = 429) AS limited,
       count(*) FILTER (status = 402) AS over_quota,
       count(*) FILTER (status BETWEEN 400 AND 499 AND status NOT IN (402, 429)) AS client_error,
       count(*) FILTER (status BETWEEN 500 AND 599) AS server_error,
       count(*) FILTER (status < 200 OR status BETWEEN 300 AND 399 OR status > 599) AS other_status,
       count(*) FILTER (not_sent IS NULL AND status IS NULL) AS lost
     FROM requests GROUP BY stage, phase ORDER BY min(intended_ns), min(seq)`,
  );
}

/** How many requests were sent a second time. */
export async function sentAgain(history: History): Promise<number> {
  const [row] = await history.rows(z.object({ n: count }), 'SELECT count(first_sent_ns) AS n FROM requests');
  return row?.n ?? 0;
}

const failureRow = z.object({
  kind: z.enum(['answer', 'lost', 'not sent']),
  what: z.string(),
  endpoint: z.string(),
  n: count,
  first_ns: count,
  last_ns: count,
});

/** Each kind of failure with its first and last request: answers other than 2xx, but for probes; lost; not sent. */
export function failures(history: History): Promise<z.output<typeof failureRow>[]> {
  return history.rows(
    failureRow,
    `SELECT CASE WHEN not_sent IS NOT NULL THEN 'not sent' WHEN status IS NULL THEN 'lost' ELSE 'answer' END AS kind,
       coalesce(not_sent, CAST(status AS VARCHAR), lost, 'no outcome recorded') AS what, endpoint, count(*) AS n,
       min(coalesce(sent_ns, intended_ns)) AS first_ns, max(coalesce(sent_ns, intended_ns)) AS last_ns
     FROM requests WHERE status IS NULL OR (probe IS NULL AND status NOT BETWEEN 200 AND 299)
     GROUP BY ALL ORDER BY first_ns, what, endpoint LIMIT 200`,
  );
}

const discoveredRow = z.object({ what: z.string(), value: z.string(), seq: z.number().nullable() });

/** What the run learnt about the target. */
export function discovered(history: History): Promise<z.output<typeof discoveredRow>[]> {
  return history.rows(
    discoveredRow,
    `SELECT json_extract_string(event, '$.what') AS what, json_extract_string(event, '$.value') AS value,
       TRY_CAST(json_extract_string(event, '$.seq') AS BIGINT) AS seq
     FROM events WHERE kind = 'discovered' ORDER BY what, seq LIMIT 200`,
  );
}

const stoppedRow = z.object({ at_ns: z.number(), reason: z.string(), detail: z.string() });

/** Why the run ended early, if it did. */
export function stops(history: History): Promise<z.output<typeof stoppedRow>[]> {
  return history.rows(
    stoppedRow,
    `SELECT CAST(json_extract(event, '$.atNs') AS BIGINT) AS at_ns, json_extract_string(event, '$.reason') AS reason,
       json_extract_string(event, '$.detail') AS detail
     FROM events WHERE kind = 'stopped' ORDER BY at_ns LIMIT 10`,
  );
}

const saturationRow = z.object({
  phase: z.string(),
  connections: z.number(),
  requests_per_second: z.number(),
  p50: z.number(),
  p90: z.number(),
  p99: z.number(),
  max: z.number(),
  statuses: z.string(),
  errors: z.number(),
  timeouts: z.number(),
});

/** The steps of a closed-loop saturation, in order. */
export function saturationSteps(history: History): Promise<z.output<typeof saturationRow>[]> {
  const figure = (path: string): string => `CAST(json_extract(event, '$.${path}') AS DOUBLE)`;
  return history.rows(
    saturationRow,
    `SELECT json_extract_string(event, '$.phase') AS phase, ${figure('connections')} AS connections,
       ${figure('requestsPerSecond')} AS requests_per_second, ${figure('latencyMs.p50')} AS p50,
       ${figure('latencyMs.p90')} AS p90, ${figure('latencyMs.p99')} AS p99, ${figure('latencyMs.max')} AS max,
       CAST(json_extract(event, '$.statuses') AS VARCHAR) AS statuses, ${figure('errors')} AS errors, ${figure('timeouts')} AS timeouts
     FROM events WHERE kind = 'saturation' ORDER BY CAST(json_extract(event, '$.startNs') AS BIGINT) LIMIT 200`,
  );
}

import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { slower } from '../../vocabulary/crossed.ts';
import { caused, fits } from '../causes/cause.ts';
import { admitted, firstSeqs, seqsColumn } from '../core/found.ts';
import { type CheckFinding, evidence } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';

/** Requests that a connection has to carry to be compared. */
const fewestRequests = 20;
/** Of the requests on a slow connection, at least this part is slow; on a quick one, at most the other. */
const shares = { slow: 0.8, quick: 0.2 } as const;
/** The quickest part of the requests to an endpoint, which says what it takes where nothing holds it up. */
const quickest = 0.1;

const connectionRow = z.object({
  local_port: z.number(),
  requests: z.number(),
  slow: z.number(),
  median_ms: z.number(),
  first_ns: z.number(),
  last_ns: z.number(),
  seqs: seqsColumn,
});
type ConnectionRow = z.output<typeof connectionRow>;

/**
 * No connection of the load is slow nearly each time while another is quick. A request is slow that takes twice as long as
 * the quickest tenth of its endpoint, and 50 ms longer. No finding unless two connections carried enough requests.
 */
export async function checkEachConnection(history: History): Promise<CheckFinding[]> {
  const carried = await history.rows(
    connectionRow,
    `WITH timed AS (
       SELECT seq, local_port, endpoint, sent_ns, (answered_ns - sent_ns) / 1e6 AS ms FROM requests
       WHERE stage = 'load' AND probe IS NULL AND (${admitted} OR lost = 'timeout') AND local_port IS NOT NULL),
     usual AS (SELECT endpoint, quantile_disc(ms, ${quickest}) AS usual_ms FROM timed GROUP BY endpoint),
     compared AS (
       SELECT timed.*, ms > greatest(${slower.factor} * usual_ms, usual_ms + ${slower.ms}) AS slow
       FROM timed JOIN usual USING (endpoint))
     SELECT local_port, count(*) AS requests, count(*) FILTER (slow) AS slow, median(ms) AS median_ms,
       min(sent_ns) AS first_ns, max(sent_ns) AS last_ns, coalesce(${firstSeqs} FILTER (slow), []) AS seqs
     FROM compared GROUP BY local_port HAVING count(*) >= ${fewestRequests} ORDER BY local_port`,
  );
  if (carried.length < 2) return [];
  const quick = carried.filter((each) => each.slow <= shares.quick * each.requests);
  const slow = carried.filter(
    (each) => each.slow >= shares.slow * each.requests && quick.some((other) => overlaps(each, other)),
  );
  const fewest = Math.min(...carried.map(({ requests }) => requests));
  const figures = {
    slow: slow.length,
    of: carried.length,
    slowMs: Math.min(...slow.map(({ median_ms }) => median_ms)),
    quickMs: Math.max(...quick.map(({ median_ms }) => median_ms)),
  };
  const seqs = slow.flatMap((each) => each.seqs);
  return [
    {
      id: 'latency.each-connection',
      verdict: slow.length > 0 ? 'fail' : 'pass',
      expected: { 'connections that are slow while others are quick': 0 },
      observed: { connections: carried.length, 'slow connections': slow.length },
      reasons: [
        slow.length > 0
          ? reason('connections-some-slow', figures)
          : reason('connections-none-slow', { connections: carried.length, fewest }),
      ],
      ...(slow.length > 0 && {
        evidence: [evidence('slow requests on slow connections', seqs)],
        ...caused([fits('some-connections-slow', figures, seqs)]),
      }),
    },
  ];
}

/** Whether both were in use for most of the time of the first: a connection of a slow minute alone is not slower than others. */
function overlaps(each: ConnectionRow, other: ConnectionRow): boolean {
  const bothNs = Math.min(each.last_ns, other.last_ns) - Math.max(each.first_ns, other.first_ns);
  return 2 * bothNs >= each.last_ns - each.first_ns;
}

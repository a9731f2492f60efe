import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { slower } from '../../vocabulary/crossed.ts';
import { caused, fits } from '../causes/cause.ts';
import { admitted, evidenceOf, firstSeqs, seqsColumn } from '../core/found.ts';
import { type CheckFinding, evidence, type Verdict } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { toMicroseconds } from './table.ts';

/** The network loses a packet now and then, and the connection opens a second later: up to this part may be that. */
const mayBeLost = 0.01;

const openedRow = z.object({
  connections: z.number(),
  longest_ms: z.number().nullable(),
  over: z.number(),
  seqs: seqsColumn,
});

/**
 * Connections open within the bound that the profile promises: until the target has taken them and TLS is agreed. A name server
 * is not the target, so the time to resolve a name is not counted. No finding where nothing is promised.
 */
export async function checkOpening(history: History): Promise<CheckFinding[]> {
  const { opening_bound: boundMs } = history.profile;
  if (boundMs === undefined) return [];
  const isOver = `opened_ms > ${boundMs}`;
  const [row] = await history.rows(
    openedRow,
    `SELECT count(*) AS connections, max(opened_ms) AS longest_ms, count(*) FILTER (${isOver}) AS over, ${firstSeqs} FILTER (${isOver}) AS seqs
     FROM (SELECT seq, (connect_ns + coalesce(handshake_ns, 0)) / 1e6 AS opened_ms FROM requests WHERE connect_ns IS NOT NULL)`,
  );
  if (row === undefined) throw new Error('an aggregate without a row');
  const { connections, over, seqs } = row;
  const longestMs = toMicroseconds(row.longest_ms ?? 0);
  const figures = { boundMs, connections, over, longestMs };
  const isBroken = over > 1 && over > mayBeLost * connections;
  const [verdict, why]: [Verdict, Reason] =
    connections === 0
      ? ['inconclusive', reason('opening-none')]
      : isBroken
        ? ['fail', reason('opening-slow', figures)]
        : over > 0
          ? ['inconclusive', reason('opening-rare', figures)]
          : ['pass', reason('opening-kept', figures)];
  return [
    {
      id: 'latency.opening',
      verdict,
      expected: { 'to open a connection, ms': { max: boundMs } },
      observed: { connections, 'longest, ms': connections === 0 ? null : longestMs, 'over the bound': over },
      reasons: [why],
      evidence: evidenceOf('over the bound', { total: over, seqs }),
      ...(isBroken && caused([fits('connections-open-slowly', figures, seqs)])),
    },
  ];
}

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

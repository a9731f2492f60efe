import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { allSlower, newConnections } from '../../vocabulary/crossed.ts';
import { caused, fits } from '../causes/cause.ts';
import { admitted, evidenceOf, firstSeqs, seqsColumn } from '../core/found.ts';
import { isProbe } from '../core/probe-names.ts';
import { type CheckFinding, evidence } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';
import { toMicroseconds } from './table.ts';

/** Of the connections that a run opens for this, one may be lost to the network. */
const fewest = newConnections - 1;

const readRow = z.object({ seq: z.number(), probe: z.string(), took_ms: z.number() });

/**
 * The first request of a new connection is not slow each time. A service time begins when the request is sent, so opening the
 * connection is not a part of it. No finding where no connection was opened for this.
 */
export async function checkConnections(history: History): Promise<CheckFinding[]> {
  const reads = await history.rows(
    readRow,
    `SELECT seq, probe, (answered_ns - sent_ns) / 1e6 AS took_ms FROM requests
     WHERE ${isProbe('connection:first', 'connection:next')} AND (${admitted} OR lost = 'timeout') AND sent_ns IS NOT NULL ORDER BY seq`,
  );
  if (reads.length === 0) return [];
  const firsts = reads.filter(({ probe }) => probe === 'connection:first');
  const first = firsts.map(({ took_ms }) => toMicroseconds(took_ms));
  const next = reads
    .filter(({ probe }) => probe === 'connection:next')
    .map(({ took_ms }) => toMicroseconds(took_ms));
  const connections = Math.min(first.length, next.length);
  const isSlower = allSlower(first, next);
  const verdict = connections < fewest ? 'inconclusive' : isSlower ? 'fail' : 'pass';
  const figures = {
    connections,
    fastestFirstMs: Math.min(...first),
    slowestFirstMs: Math.max(...first),
    slowestNextMs: Math.max(...next),
  };
  return [
    {
      id: 'latency.connections',
      verdict,
      expected: { 'first requests slower than all others': false },
      observed: { 'first request, ms': first, 'request after it, ms': next },
      reasons: [
        verdict === 'inconclusive'
          ? reason('connections-too-few', { connections, fewest })
          : reason(verdict === 'fail' ? 'connections-slow-at-first' : 'connections-alike', figures),
      ],
      evidence: [
        evidence(
          'first requests of new connections',
          firsts.map(({ seq }) => seq),
        ),
      ],
      ...(verdict === 'fail' &&
        caused([
          fits(
            'new-connections-slow',
            { connections, firstMs: figures.fastestFirstMs, nextMs: figures.slowestNextMs },
            reads.map(({ seq }) => seq),
          ),
        ])),
    },
  ];
}

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
  const isBroken = over > 1 && over > mayBeLost * connections;
  const verdict = connections === 0 || (over > 0 && !isBroken) ? 'inconclusive' : isBroken ? 'fail' : 'pass';
  const figures = { boundMs, connections, over, longestMs };
  return [
    {
      id: 'latency.opening',
      verdict,
      expected: { 'to open a connection, ms': { max: boundMs } },
      observed: { connections, 'longest, ms': connections === 0 ? null : longestMs, 'over the bound': over },
      reasons: [
        connections === 0
          ? reason('opening-none')
          : reason(
              verdict === 'fail' ? 'opening-slow' : verdict === 'pass' ? 'opening-kept' : 'opening-rare',
              figures,
            ),
      ],
      evidence: evidenceOf('over the bound', { total: over, seqs }),
      ...(verdict === 'fail' && caused([fits('connections-open-slowly', figures, seqs)])),
    },
  ];
}

import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { allSlower, newConnections } from '../../vocabulary/crossed.ts';
import { caused, fits } from '../causes/cause.ts';
import { admitted } from '../core/found.ts';
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

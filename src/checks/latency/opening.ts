import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { caused, fits } from '../causes/cause.ts';
import { evidenceOf, firstSeqs, seqsColumn } from '../core/found.ts';
import type { CheckFinding } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';
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

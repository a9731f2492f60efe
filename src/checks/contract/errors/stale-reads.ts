import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { caused, shown } from '../../causes/cause.ts';
import { admitted, seqsColumn } from '../../core/found.ts';
import { type CheckFinding, evidence } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';

const staleRow = z.object({ sessions: z.number(), seqs: seqsColumn });

/**
 * Reads of the load and of probes that show, over one connection, word for word what they showed there before, although a read
 * between them showed more, and as long ago as analytics may take. Nothing where there is none: the explorer's calls judge all else.
 */
export async function checkStaleReads(history: History): Promise<CheckFinding[]> {
  const freshNs = Math.round(history.profile.analytics.freshness * 1e6);
  const [row] = await history.rows(
    staleRow,
    `WITH reads AS (
       SELECT r.seq, r.session_id, local_port, sent_ns, answered_ns, CAST(body AS VARCHAR) AS body
       FROM requests r JOIN answers a ON a.seq = r.seq
       WHERE r.endpoint = 'read-session' AND ${admitted} AND body IS NOT NULL AND local_port IS NOT NULL)
     SELECT count(DISTINCT first.session_id) AS sessions, list_distinct(list(later.seq)) AS seqs
     FROM reads first JOIN reads later ON later.session_id = first.session_id AND later.local_port = first.local_port
       AND later.body = first.body AND later.sent_ns > first.answered_ns
     JOIN reads fuller ON fuller.session_id = first.session_id AND length(fuller.body) > length(first.body)
       AND fuller.sent_ns > first.answered_ns AND fuller.answered_ns + ${freshNs} <= later.sent_ns`,
  );
  const { seqs = [], sessions = 0 } = row ?? {};
  if (sessions === 0) return [];
  return [
    {
      id: 'contract.reads-agree',
      verdict: 'fail',
      observed: { sessions, 'reads that lack events': seqs.length },
      reasons: [reason('reads-stale', { reads: seqs.length, sessions })],
      evidence: [evidence('reads that lack events', seqs)],
      ...caused([shown('session-read-stale', { interactions: seqs.length }, seqs)]),
    },
  ];
}

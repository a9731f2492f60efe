import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { firstSeqs, seqsColumn } from '../../core/found.ts';

/** Fewer are chance: connections that break for another reason may do so after equal numbers of requests. */
const fewestLost = 8;
/** The part of all requests that are lost over connections which has to be at one place. */
const mostlyAt = 0.9;
/** Requests over the connections that lost one; of more, none is numbered. */
const mostNumbered = 1_000_000;

/** Requests at one place of their connections that got no answer. */
export interface NthRequest {
  readonly nth: number;
  readonly lost: number;
  readonly seqs: readonly number[];
}

const isLost = "lost IN ('reset', 'closed-idle', 'protocol') AND local_port IS NOT NULL";

const countRow = z.object({ lost: z.number(), numbered: z.number() });
const nthRow = z.object({
  nth: z.number(),
  lost: z.number(),
  seqs: seqsColumn,
  /** Connections on which the request at this place was answered. */
  answered: z.number(),
  /** Connections that ended right before this place. */
  ended: z.number(),
});

/**
 * The place on a connection at which requests are lost, and at no other: the connection is closed there, and no answer said
 * so. A target that closes a connection after its last answer loses a request only now and then, of one that was on its way.
 */
export async function lostAtOnePlace(history: History): Promise<NthRequest | undefined> {
  const [count] = await history.rows(
    countRow,
    `SELECT count(*) FILTER (${isLost}) AS lost,
       count(*) FILTER (local_port IN (SELECT local_port FROM requests WHERE ${isLost})) AS numbered
     FROM requests WHERE sent_ns IS NOT NULL`,
  );
  if (count === undefined || count.lost < fewestLost || count.numbered > mostNumbered) return undefined;
  const [row] = await history.rows(
    nthRow,
    `WITH placed AS (
       SELECT seq, ${isLost} AS is_lost,
         row_number() OVER (PARTITION BY local_port ORDER BY coalesce(first_sent_ns, sent_ns), seq) AS nth
       FROM requests WHERE sent_ns IS NOT NULL AND local_port IN (SELECT local_port FROM requests WHERE ${isLost})),
     most AS (
       SELECT nth, count(*) AS lost, ${firstSeqs} AS seqs FROM placed WHERE is_lost GROUP BY nth ORDER BY lost DESC, nth LIMIT 1),
     totals AS (
       SELECT count(*) AS total FROM requests WHERE local_port IS NOT NULL AND sent_ns IS NOT NULL GROUP BY local_port)
     SELECT nth, lost, seqs, (SELECT count(*) FROM totals WHERE total >= nth) - lost AS answered,
       (SELECT count(*) FROM totals WHERE total = nth - 1) AS ended
     FROM most`,
  );
  if (row === undefined || row.nth < 2) return undefined;
  const { answered, ended, lost, nth, seqs } = row;
  const isThere = lost >= Math.max(fewestLost, mostlyAt * count.lost);
  return isThere && answered <= (1 - mostlyAt) * lost && ended <= lost ? { nth, lost, seqs } : undefined;
}

import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { firstSeqs, seqsColumn } from '../../core/found.ts';

/** Fewer are chance: connections that break for another reason may do so after equal numbers of requests. */
const fewestLost = 8;
/** Of all that are lost over connections, so many are at one place. */
const mostlyAt = 0.9;

/** Requests at one place of their connections that got no answer. */
export interface NthRequest {
  readonly nth: number;
  readonly lost: number;
  readonly seqs: readonly number[];
}

const nthRow = z.object({
  nth: z.number(),
  lost: z.number(),
  answered: z.number(),
  /** Connections that ended right before this place. */
  ended: z.number(),
  all_lost: z.number(),
  seqs: seqsColumn,
});

/**
 * The place on a connection at which requests are lost, and at no other: whoever closes it there does not say so before. A
 * target that closes a connection after its last answer loses a request only now and then, of one that was on its way.
 */
export async function lostAtOnePlace(history: History): Promise<NthRequest | undefined> {
  const [row] = await history.rows(
    nthRow,
    `WITH placed AS (
       SELECT seq, status, lost IN ('reset', 'closed-idle', 'protocol') AS lost,
         row_number() OVER (PARTITION BY local_port ORDER BY coalesce(first_sent_ns, sent_ns), seq) AS nth,
         count(*) OVER (PARTITION BY local_port) AS total
       FROM requests WHERE local_port IS NOT NULL AND sent_ns IS NOT NULL
         AND EXISTS (SELECT 1 FROM requests WHERE lost IN ('reset', 'closed-idle', 'protocol'))),
     ends AS (SELECT total, count(*) AS ended FROM placed WHERE nth = total GROUP BY total)
     SELECT nth, count(*) FILTER (lost) AS lost, count(status) AS answered, coalesce(any_value(ended), 0) AS ended,
       sum(count(*) FILTER (lost)) OVER () AS all_lost, coalesce(${firstSeqs} FILTER (lost), []) AS seqs
     FROM placed LEFT JOIN ends ON ends.total = nth - 1
     GROUP BY nth ORDER BY lost DESC, nth LIMIT 1`,
  );
  if (row === undefined || row.nth < 2 || row.lost < fewestLost) return undefined;
  const { all_lost: all, answered, ended, lost, nth, seqs } = row;
  const isThere = lost >= mostlyAt * all && answered <= (1 - mostlyAt) * lost && ended <= lost;
  return isThere ? { nth, lost, seqs } : undefined;
}

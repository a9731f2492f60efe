import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import type { Survivor } from '../../../limits/inference.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { admitted, firstSeqs, seqsColumn } from '../../core/found.ts';

/** Requests to every endpoint that shares the limit, after a rest: more than the limit, if each counts once. */
export interface Mixed {
  readonly fromNs: number;
  readonly tookNs: number;
  readonly sent: number;
  readonly admitted: number;
  /** Admitted with the same key in the two windows before: what a sliding counter may still remember. */
  readonly before: number;
  readonly endpoints: readonly string[];
  readonly seqs: readonly number[];
}

const mixedRow = z.object({
  from_ns: z.number().nullable(),
  took_ns: z.number().nullable(),
  sent: z.number(),
  passed: z.number(),
  before: z.number(),
  endpoints: z.array(z.string()).nullable(),
  seqs: seqsColumn,
});

/** Undefined where none were sent. */
export async function mixedOf(history: History): Promise<Mixed | undefined> {
  const memoryNs = 2 * history.profile.rate_limit.windowMs * 1e6;
  const [row] = await history.rows(
    mixedRow,
    `WITH mixed AS (SELECT * FROM requests
       WHERE stage = 'study' AND phase = ${sqlText(studyPhases.mixed)} AND sent_ns IS NOT NULL)
     SELECT min(sent_ns) AS from_ns, max(coalesce(answered_ns, sent_ns)) - min(sent_ns) AS took_ns,
            count(*) AS sent, count(*) FILTER (${admitted}) AS passed,
            (SELECT count(*) FROM requests WHERE credential = 'load' AND ${admitted}
               AND answered_ns > (SELECT min(sent_ns) FROM mixed) - ${memoryNs}
               AND sent_ns < (SELECT min(sent_ns) FROM mixed)) AS before,
            list_sort(list(DISTINCT endpoint)) AS endpoints, ${firstSeqs} AS seqs
     FROM mixed`,
  );
  if (row === undefined || row.from_ns === null) return undefined;
  const { before, endpoints, from_ns: fromNs, passed, sent, seqs, took_ns: tookNs } = row;
  return { fromNs, tookNs: tookNs ?? 0, sent, admitted: passed, before, endpoints: endpoints ?? [], seqs };
}

/** A smaller difference, as a part of the limit, may come of other users of the key. */
const leastPart = 0.05;

/** Whether more were admitted than if each request counted once, or fewer: some request counts less, or more. */
export function isUneven(
  { admitted: passed, before, tookNs }: Mixed,
  { limit, refillPerS, windowMs }: Survivor,
): boolean {
  if (limit === null || windowMs === null) return false;
  const refilled =
    refillPerS === null ? limit * Math.floor(tookNs / (windowMs * 1e6)) : (refillPerS * tookNs) / 1e9;
  const room = limit + refilled;
  const mayDiffer = leastPart * limit;
  return passed < room - mayDiffer - before || passed > room + mayDiffer;
}

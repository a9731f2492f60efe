import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory, sqlText } from '../../history/tables.ts';
import { admitted } from './found.ts';
import { isProbe } from './probes.ts';

/** Longer absences of a new session are no convention, unless the profile promises them. */
export const longestAbsenceMs = 3_000;
/** Of the early requests for sessions, at least this share gets 404, or the absence is not one of new sessions. */
const leastShare = 0.9;

/** SQL: a request for a session in the usual form, or a read of the explorer. */
const isRead = `(probe IS NULL OR ${isProbe('canary:read-session')} OR seq IN (SELECT explored.seq FROM explored
  WHERE json_extract_string(call, '$.op') = 'read-session' AND json_extract_string(call, '$.form') IS NULL))`;

/** From when on the target has to find a session that it granted. */
export interface SessionVisible {
  /** Milliseconds after its grant. Reads and events before may get 404 or 410. */
  readonly afterMs: number;
  /** The requests that found none until then, where the profile promises nothing and they all fit one delay. */
  readonly reads: number;
  /** Each of their sessions was found by then. */
  readonly foundMs: number;
}

const absencesRow = z.object({
  reads: z.number(),
  ended: z.number(),
  longest_ended_ns: z.number().nullable(),
  longest_ns: z.number().nullable(),
  found_ns: z.number().nullable(),
  gone: z.boolean(),
  early: z.number(),
  early_absent: z.number(),
});

/**
 * What the profile promises; or else the delay that every absence fits. An absence has to end: its session is found
 * later, and none is missing that was found before, or that is older than any whose absence was seen to end. And nearly
 * every request within half of them has to miss its session, which a target that loses some does not show. Events may get
 * 404 for their shade as well, so they tell only where reads do not.
 */
export const sessionVisible = oncePerHistory(async (history): Promise<SessionVisible> => {
  const { session_visible: told } = history.profile;
  if (told !== 'discover') return { afterMs: told, reads: 0, foundMs: told };
  return (
    (await absencesOf(history, 'read-session')) ??
    (await absencesOf(history, 'interact')) ?? { afterMs: 0, reads: 0, foundMs: 0 }
  );
});

async function absencesOf(
  history: History,
  endpoint: 'read-session' | 'interact',
): Promise<SessionVisible | undefined> {
  const isAsked = `endpoint = ${sqlText(endpoint)}`;
  const [row] = await history.rows(
    absencesRow,
    `WITH missed AS MATERIALIZED (
       SELECT DISTINCT session_id FROM requests
       WHERE ${isAsked} AND status IN (404, 410) AND ${isRead}),
     granted AS (
       SELECT session_id, credential, min(answered_ns) AS granted_ns FROM requests
       WHERE endpoint = 'create-session' AND ${admitted} AND session_id IS NOT NULL AND EXISTS (FROM missed) GROUP BY ALL),
     read AS (
       SELECT r.session_id, r.sent_ns, r.answered_ns, r.sent_ns - g.granted_ns AS age_ns, status IN (404, 410) AS absent, r.${admitted} AS found
       FROM requests r JOIN granted g ON r.session_id = g.session_id AND r.credential IN (g.credential, 'session')
       WHERE ${isAsked} AND status IS NOT NULL AND ${isRead}),
     each AS (
       SELECT count(*) FILTER (absent) AS reads, max(age_ns) FILTER (absent) AS longest_ns, min(age_ns) FILTER (found) AS found_ns,
         coalesce(max(sent_ns) FILTER (found) > max(answered_ns) FILTER (absent), false) AS ended,
         coalesce(min(answered_ns) FILTER (found) < max(sent_ns) FILTER (absent), false) AS gone
       FROM read SEMI JOIN missed USING (session_id) GROUP BY session_id),
     middle AS (SELECT median(age_ns) FILTER (absent) AS ns FROM read)
     SELECT sum(reads)::BIGINT AS reads, count(*) FILTER (ended) AS ended, max(longest_ns) FILTER (ended) AS longest_ended_ns,
       max(longest_ns) AS longest_ns, max(found_ns) FILTER (ended) AS found_ns, coalesce(bool_or(gone), false) AS gone,
       (SELECT count(*) FROM read, middle WHERE age_ns <= ns) AS early,
       (SELECT count(*) FROM read, middle WHERE age_ns <= ns AND absent) AS early_absent
     FROM each HAVING count(*) > 0`,
  );
  if (row === undefined || row.gone || row.longest_ended_ns === null || row.longest_ns === null)
    return undefined;
  const isOne = row.longest_ns <= row.longest_ended_ns && row.early_absent >= leastShare * row.early;
  // A read that was sent at this age got 404.
  const afterMs = row.longest_ended_ns / 1e6 + 1e-6;
  return isOne && afterMs <= longestAbsenceMs
    ? { afterMs, reads: row.reads, foundMs: (row.found_ns ?? 0) / 1e6 }
    : undefined;
}

/** An answer is slow by itself if at least this many requests came and went meanwhile, nearly all in a fraction of its time. */
const fewestMeanwhile = 3;
const quickPart = 0.8;
const quickFraction = 0.25;

/**
 * It waits in a queue if more than this part of the requests waited that were admitted to the same key meanwhile. Interactions
 * may have another limit, and a rejection comes before any work: both are quick beside such a queue.
 */
const waitingPart = 0.5;
const alike =
  "o.status NOT IN (401, 429) AND o.credential = r.credential AND o.endpoint <> 'interact' AND r.endpoint <> 'interact'";

/**
 * SQL: `seq`, `alone` and `at_limit` (in a queue, while the key was rejected) of each request in the table
 * `slow(seq, sent_ns, answered_ns)` that others came and went beside.
 */
export function aloneAmong(slow: string): string {
  const quick = `o.answered_ns - o.sent_ns < ${quickFraction} * (s.answered_ns - s.sent_ns)`;
  const went = 'o.answered_ns <= s.answered_ns';
  return `
    WITH beside AS (
      SELECT s.seq, count(*) FILTER (${went}) AS others, count(*) FILTER (${went} AND ${quick}) AS quick,
        count(*) FILTER (${went} AND ${quick} AND o.status = 429 AND o.credential = r.credential) AS rejected,
        count(*) FILTER (${alike} AND NOT ${quick}) > ${waitingPart} * count(*) FILTER (${alike}) AS in_queue
      FROM ${slow} s JOIN requests r USING (seq) JOIN requests o
        ON o.sent_ns >= s.sent_ns AND o.sent_ns <= s.answered_ns AND o.seq <> s.seq AND o.status IS NOT NULL
      GROUP BY s.seq)
    SELECT seq, others >= ${fewestMeanwhile} AND quick >= ${quickPart} * others AND NOT in_queue AS alone,
      in_queue AND rejected > 0 AS at_limit
    FROM beside WHERE others > 0`;
}

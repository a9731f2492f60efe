/** An answer is slow by itself if at least this many requests came and went meanwhile, nearly all in a fraction of its time. */
const fewestMeanwhile = 3;
const quickPart = 0.8;
const quickFraction = 0.25;

/** SQL: `seq` and `alone` of each request in the table `slow(seq, sent_ns, answered_ns)` that others came and went beside. */
export function aloneAmong(slow: string): string {
  return `
    SELECT s.seq, count(*) >= ${fewestMeanwhile} AND
      count(*) FILTER (o.answered_ns - o.sent_ns < ${quickFraction} * (s.answered_ns - s.sent_ns)) >= ${quickPart} * count(*) AS alone
    FROM ${slow} s JOIN requests o
      ON o.sent_ns >= s.sent_ns AND o.answered_ns <= s.answered_ns AND o.seq <> s.seq AND o.status IS NOT NULL
    GROUP BY s.seq`;
}

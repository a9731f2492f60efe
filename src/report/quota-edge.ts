import { z } from 'zod';
import type { History } from '../history/history.ts';

/** The attempts to spend a session quota, in the order in which they were sent. Questions to the history; nothing is judged. */

/** Points of a curve over the attempts. */
const mostPoints = 400;
/** Attempts listed on either side of the first refusal. */
const listed = 4;

/** SQL: sessions asked for on keys whose quota is to be spent, numbered from 1 on each, with how many were admitted up to each. */
const attempts = `
  SELECT seq, credential, sent_ns, answered_ns, status, lost, row_number() OVER sending AS n,
    count(*) FILTER (status BETWEEN 200 AND 299) OVER (sending ROWS UNBOUNDED PRECEDING) AS so_far
  FROM requests
  WHERE endpoint = 'create-session' AND credential IN ('quota', 'twin') AND sent_ns IS NOT NULL
    AND NOT starts_with(coalesce(probe, ''), 'unknown-')
  WINDOW sending AS (PARTITION BY credential ORDER BY sent_ns, seq)`;

const pointRow = z.object({
  credential: z.string(),
  attempt: z.number(),
  admitted: z.number(),
  refused: z.number(),
});
/** How many sessions of a key had been admitted by an attempt, and how often 402 came since the point before. */
export type AttemptPoint = z.output<typeof pointRow>;

/** Evenly chosen attempts of each key. */
export function admittedByAttempt(history: History): Promise<AttemptPoint[]> {
  return history.rows(
    pointRow,
    `WITH attempts AS (${attempts}),
     steps AS (SELECT credential, greatest(1, CAST(ceil(max(n) / ${mostPoints}) AS BIGINT)) AS step FROM attempts GROUP BY credential)
     SELECT credential, max(n) AS attempt, max(so_far) AS admitted, count(*) FILTER (status = 402) AS refused
     FROM attempts JOIN steps USING (credential) GROUP BY credential, (n - 1) // step ORDER BY credential, attempt`,
  );
}

const raceRow = z.object({
  credential: z.string(),
  first: z.number(),
  in_flight: z.number(),
  admitted: z.number(),
  refused: z.number(),
  limited: z.number(),
});
/** The first attempt on a key that was refused with 402, by number, and what became of all that were in flight with it. */
export type QuotaRace = z.output<typeof raceRow>;

/** Of each key that met the end of its quota. */
export function quotaRaces(history: History): Promise<QuotaRace[]> {
  return history.rows(
    raceRow,
    `WITH attempts AS (${attempts}),
     edges AS (SELECT credential, min(n) AS first FROM attempts WHERE status = 402 GROUP BY credential),
     firsts AS (SELECT credential, first, sent_ns AS from_ns, answered_ns AS to_ns FROM attempts JOIN edges USING (credential) WHERE n = first)
     SELECT credential, first, count(*) AS in_flight, count(*) FILTER (status BETWEEN 200 AND 299) AS admitted,
       count(*) FILTER (status = 402) AS refused, count(*) FILTER (status = 429) AS limited
     FROM attempts JOIN firsts USING (credential)
     WHERE sent_ns <= to_ns AND coalesce(answered_ns, to_ns) >= from_ns GROUP BY credential, first ORDER BY credential`,
  );
}

const edgeRow = z.object({
  n: z.number(),
  seq: z.number(),
  sent_ns: z.number(),
  answered_ns: z.number().nullable(),
  end_of_it: z.string(),
  so_far: z.number(),
});

/** The attempts on a key around its first refusal. */
export function attemptsAround(
  history: History,
  { credential, first }: QuotaRace,
): Promise<z.output<typeof edgeRow>[]> {
  return history.rows(
    edgeRow,
    `WITH attempts AS (${attempts})
     SELECT n, seq, sent_ns, answered_ns, coalesce(CAST(status AS VARCHAR), 'lost: ' || lost, 'unknown') AS end_of_it, so_far
     FROM attempts WHERE credential = '${credential}' AND n BETWEEN ${first - listed} AND ${first + listed} ORDER BY n`,
  );
}

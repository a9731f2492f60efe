import { z } from 'zod';
import { attemptOn, readAccount } from '../checks/quota/account.ts';
import type { History } from '../history/history.ts';
import { ownText, sqlText } from '../history/tables.ts';

/** The attempts to spend a session quota, in the order in which they were sent. Questions to the history; nothing is judged. */

/** Points of a curve over the attempts. */
const mostPoints = 400;
/** Attempts listed before and after the first 402. */
const listed = 4;

/**
 * SQL: session requests on keys whose quota is to be spent, numbered from 1 in each account, with how many were
 * admitted up to each.
 */
async function attemptsSql(history: History): Promise<string> {
  const { keys } = await readAccount(history);
  const account = `if(credential IN (${keys.map((key) => sqlText(key)).join(', ')}), ${ownText(keys.join(' and '))}, credential)`;
  return `
  SELECT seq, ${account} AS keys, sent_ns, answered_ns, status, lost, row_number() OVER sending AS n,
    count(*) FILTER (status BETWEEN 200 AND 299) OVER (sending ROWS UNBOUNDED PRECEDING) AS so_far
  FROM requests WHERE ${attemptOn([...new Set([...keys, 'twin' as const])])}
  WINDOW sending AS (PARTITION BY ${account} ORDER BY sent_ns, seq)`;
}

const pointRow = z.object({
  keys: z.string(),
  attempt: z.number(),
  admitted: z.number(),
  refused: z.number(),
});
/** How many sessions of an account's keys had been admitted by an attempt, and how often 402 came since the point before. */
export type AttemptPoint = z.output<typeof pointRow>;

/** Evenly chosen attempts of each account. */
export async function admittedByAttempt(history: History): Promise<AttemptPoint[]> {
  return history.rows(
    pointRow,
    `WITH attempts AS (${await attemptsSql(history)}),
     steps AS (SELECT keys, greatest(1, CAST(ceil(max(n) / ${mostPoints}) AS BIGINT)) AS step FROM attempts GROUP BY keys)
     SELECT keys, max(n) AS attempt, max(so_far) AS admitted, count(*) FILTER (status = 402) AS refused
     FROM attempts JOIN steps USING (keys) GROUP BY keys, (n - 1) // step ORDER BY keys, attempt`,
  );
}

const raceRow = z.object({
  keys: z.string(),
  first: z.number(),
  in_flight: z.number(),
  admitted: z.number(),
  refused: z.number(),
  limited: z.number(),
});
/**
 * The first attempt on an account's keys that got a 402, by number, and the outcomes of all in flight with it.
 */
export type QuotaRace = z.output<typeof raceRow>;

/** Of each account that met the end of its quota. */
export async function quotaRaces(history: History): Promise<QuotaRace[]> {
  return history.rows(
    raceRow,
    `WITH attempts AS (${await attemptsSql(history)}),
     edges AS (SELECT keys, min(n) AS first FROM attempts WHERE status = 402 GROUP BY keys),
     firsts AS (SELECT keys, first, sent_ns AS from_ns, answered_ns AS to_ns FROM attempts JOIN edges USING (keys) WHERE n = first)
     SELECT keys, first, count(*) AS in_flight, count(*) FILTER (status BETWEEN 200 AND 299) AS admitted,
       count(*) FILTER (status = 402) AS refused, count(*) FILTER (status = 429) AS limited
     FROM attempts JOIN firsts USING (keys)
     WHERE sent_ns <= to_ns AND coalesce(answered_ns, to_ns) >= from_ns GROUP BY keys, first ORDER BY keys`,
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

/** The attempts on an account's keys around its first 402. */
export async function attemptsAround(
  history: History,
  { keys, first }: QuotaRace,
): Promise<z.output<typeof edgeRow>[]> {
  return history.rows(
    edgeRow,
    `WITH attempts AS (${await attemptsSql(history)})
     SELECT n, seq, sent_ns, answered_ns, coalesce(CAST(status AS VARCHAR), 'lost: ' || lost, 'unknown') AS end_of_it, so_far
     FROM attempts WHERE keys = $keys AND n BETWEEN ${first - listed} AND ${first + listed} ORDER BY n`,
    { keys },
  );
}

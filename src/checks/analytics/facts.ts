import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { type ClockOffset, dateHeaderSlackMs } from './clock.ts';

/**
 * What the run did, as far as its history knows, in temporary tables:
 *
 * - `analytics_created`: one row for each session that exists or may exist. Keyed by `seq` of its POST /sessions.
 *   `certain`: answered 2xx with a session id. Otherwise ambiguous: lost, 5xx, or a 2xx without an id; nobody got its
 *   token, so it has no acts. `from_ms`…`to_ms`: when it was created by the target's clock, epoch ms.
 * - `analytics_carrier`: one row for each request with acts, and `state`: 2 certain, 1 ambiguous, 0 refused or never sent.
 * - `analytics_act`: one row for each act, keyed by `place`, the row of `interactions` that carried it first (an id
 *   counts once within its session, as the channel promises). `copies`: how many acknowledged requests carried it.
 * - `analytics_pick`: per session and SKU the selections that are `certain` and those `possible` (which include them),
 *   and likewise the session's cart intents, under no SKU.
 * - `analytics_session`: `analytics_created` with bounds per session: different shades `d_min`…`d_max`, selections
 *   `r_min`…`r_max` (`r_copies`: were duplicates counted), and whether it shows cart intent `cart_min`…`cart_max` (0 or 1).
 */

/**
 * A request that was given up on may still be on its way to the target. After this time it has arrived, if ever: far
 * above any queueing of a single request inside a network path, far below the time a run takes to settle.
 */
export const lateArrivalMs = 1_000;

const keyed = "('load', 'quota', 'bystander')";
const success = 'status BETWEEN 200 AND 299';
const refusal = 'status BETWEEN 400 AND 499';

/** Makes `analytics_created`, `analytics_carrier` and `analytics_act`. */
export async function recordFacts(history: History, offset: ClockOffset): Promise<void> {
  const zero = history.run.zero_epoch_ms;
  const bySending = `${zero} + coalesce(sent_ns, ready_ns) / 1e6 + ${offset.lowMs}`;
  const byAnswer = `${zero} + coalesce(answered_ns, sent_ns, ready_ns) / 1e6 + ${offset.highMs} + if(${success}, 0, ${lateArrivalMs})`;
  // The answer's own Date header bounds the creation even if the target's clock is moved during the run.
  const byDateFrom = 'server_date_ms - (answered_ns - sent_ns) / 1e6';
  const byDateTo = `server_date_ms + ${dateHeaderSlackMs}`;
  const dated = `${success} AND server_date_ms IS NOT NULL AND sent_ns IS NOT NULL AND answered_ns IS NOT NULL`;
  const [from, to] = offset.steady
    ? [`greatest(${bySending}, ${byDateFrom})`, `least(${byAnswer}, ${byDateTo})`]
    : [byDateFrom, byDateTo];
  // A bad key's session, if one was granted, may be counted in any account: ambiguous for all of them.
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_created AS
    SELECT seq, credential, product_id,
      CASE WHEN ${success} THEN session_id END AS session_id,
      coalesce(${success} AND session_id IS NOT NULL AND credential IN ${keyed}, false) AS certain,
      CASE WHEN ${dated} THEN ${from} ELSE ${bySending} END AS from_ms,
      CASE WHEN ${dated} THEN ${to} ELSE ${byAnswer} END AS to_ms
    FROM requests
    WHERE endpoint = 'create-session' AND not_sent IS NULL
      AND (coalesce(${success}, false)
        OR (credential IN ${keyed} AND NOT coalesce(${refusal}, false)));

    CREATE OR REPLACE TEMP TABLE analytics_carrier AS
    WITH owner AS (
      SELECT session_id, min(seq) AS session FROM analytics_created WHERE session_id IS NOT NULL GROUP BY session_id
    )
    SELECT r.seq, owner.session, r.sent_ns, r.answered_ns,
      CAST(CASE WHEN r.not_sent IS NOT NULL OR coalesce(r.${refusal}, false) THEN 0
                WHEN r.${success} THEN 2 ELSE 1 END AS UTINYINT) AS state
    FROM requests r JOIN owner ON owner.session_id = r.session_id
    WHERE r.endpoint = 'interact';
  `);
  await recordActs(history);
}

/**
 * Makes `analytics_act`. Ids that occur once need no grouping; which do not is found by their hashes, since grouping
 * millions of ids is what would take longest. A collision of hashes only sends two acts through the slower half.
 */
async function recordActs(history: History): Promise<void> {
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_carried AS
    SELECT k.session, i.rowid AS place, hash(i.id) AS id_hash, i.type = 'shade_selected' AS shade,
      CASE WHEN i.type = 'shade_selected' THEN i.sku END AS sku, k.state
    FROM interactions i JOIN analytics_carrier k ON k.seq = i.seq;

    CREATE OR REPLACE TEMP TABLE analytics_repeated AS
    SELECT id_hash FROM analytics_carried GROUP BY id_hash HAVING count(*) > 1;

    CREATE OR REPLACE TEMP TABLE analytics_act AS
    SELECT session, place, shade, sku, state, CAST(state = 2 AS BIGINT) AS copies
    FROM analytics_carried ANTI JOIN analytics_repeated USING (id_hash)
    UNION ALL
    SELECT c.session, min(c.place), arg_max(c.shade, (c.state > 0, -c.place)), arg_max(c.sku, (c.state > 0, -c.place)),
      max(c.state), count(*) FILTER (c.state = 2)
    FROM analytics_carried c JOIN analytics_repeated USING (id_hash)
    JOIN interactions i ON i.rowid = c.place
    GROUP BY c.session, i.id;

    DROP TABLE analytics_carried;
    DROP TABLE analytics_repeated;
  `);
}

/** Makes `analytics_pick` and `analytics_session`, once reading back has narrowed the acts. */
export async function summariseSessions(history: History): Promise<void> {
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_pick AS
    SELECT session, sku, shade, count(*) FILTER (state = 2) AS certain, count(*) AS possible,
      sum(greatest(copies, 1)) AS copies
    FROM analytics_act WHERE state > 0
    GROUP BY session, sku, shade;

    CREATE OR REPLACE TEMP TABLE analytics_session AS
    WITH done AS (
      SELECT session, count(*) FILTER (shade AND certain > 0) AS d_min, count(*) FILTER (shade) AS d_max,
        sum(certain) FILTER (shade) AS r_min, sum(possible) FILTER (shade) AS r_max,
        sum(copies) FILTER (shade) AS r_copies,
        CAST(bool_or(NOT shade AND certain > 0) AS INTEGER) AS cart_min, CAST(bool_or(NOT shade) AS INTEGER) AS cart_max
      FROM analytics_pick GROUP BY session
    )
    SELECT c.seq, c.credential, c.product_id, c.certain, c.from_ms, c.to_ms,
      coalesce(d_min, 0) AS d_min, coalesce(d_max, 0) AS d_max,
      coalesce(r_min, 0) AS r_min, coalesce(r_max, 0) AS r_max, coalesce(r_copies, 0) AS r_copies,
      coalesce(cart_min, 0) AS cart_min, coalesce(cart_max, 0) AS cart_max
    FROM analytics_created c LEFT JOIN done ON done.session = c.seq;
  `);
}

/** How much there is to judge by. */
export interface FactCounts {
  readonly certainSessions: number;
  readonly ambiguousSessions: number;
  readonly certainActs: number;
  readonly ambiguousActs: number;
  /** Requests of the interaction channel that went out. */
  readonly channelRequests: number;
  /** Requests of the interaction channel that did not, for want of a channel. */
  readonly withoutChannel: number;
  /** Keys that opened sessions. */
  readonly keys: number;
  /** When the last session or act was answered or given up on, ns since the run's zero; null if there was none. */
  readonly lastActNs: number | null;
}

const countsSchema = z.object({
  certain_sessions: z.number(),
  ambiguous_sessions: z.number(),
  certain_acts: z.number(),
  ambiguous_acts: z.number(),
  channel_requests: z.number(),
  without_channel: z.number(),
  keys: z.number(),
  last_act_ns: z.number().nullable(),
});

/** Counts the facts; after `summariseSessions`, so that narrowing is counted in. */
export async function countFacts(history: History): Promise<FactCounts> {
  const [row] = await history.rows(
    countsSchema,
    `SELECT
       (SELECT count(*) FROM analytics_created WHERE certain) AS certain_sessions,
       (SELECT count(*) FROM analytics_created WHERE NOT certain) AS ambiguous_sessions,
       (SELECT count(*) FROM analytics_act WHERE state = 2) AS certain_acts,
       (SELECT count(*) FROM analytics_act WHERE state = 1) AS ambiguous_acts,
       (SELECT count(DISTINCT credential) FROM analytics_created) AS keys,
       count(*) FILTER (endpoint = 'interact' AND not_sent IS NULL AND coalesce(items, 1) > 0) AS channel_requests,
       count(*) FILTER (endpoint = 'interact' AND not_sent = 'no-channel') AS without_channel,
       max(coalesce(answered_ns, sent_ns)) FILTER (not_sent IS NULL AND endpoint IN ('create-session', 'interact')) AS last_act_ns
     FROM requests`,
  );
  if (row === undefined) throw new Error('a count without FROM rows still returns one row');
  return {
    certainSessions: row.certain_sessions,
    ambiguousSessions: row.ambiguous_sessions,
    certainActs: row.certain_acts,
    ambiguousActs: row.ambiguous_acts,
    channelRequests: row.channel_requests,
    withoutChannel: row.without_channel,
    keys: row.keys,
    lastActNs: row.last_act_ns,
  };
}

import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { type ClockOffset, dateHeaderSlackMs } from './clock.ts';

/**
 * What the run did, as far as its history knows, in temporary tables:
 *
 * - `analytics_created`: one row for each session that exists or may exist. Keyed by `seq` of its POST /sessions.
 *   `certain`: answered 2xx with a session id. Otherwise ambiguous: lost, 5xx, or a 2xx without an id; nobody got its
 *   token, so it has no acts. `from_ms`…`to_ms`: when it was created by the target's clock, epoch ms.
 * - `analytics_act`: one row for each act (deduplicated by id within its session, as the channel promises).
 *   `state`: 2 certain, 1 ambiguous, 0 refused or never sent. `copies`: how many acknowledged requests carried it.
 *   It arrived between `first_sent_ns` and `arrived_ns` (null: no bound); `given_up_ns`: when its last ambiguous
 *   request was given up on.
 * - `analytics_session`: `analytics_created` with bounds per session: different shades `d_min`…`d_max`, selections
 *   `r_min`…`r_max` (`r_copies`: were duplicates counted), and whether it shows cart intent `cart_min`…`cart_max` (0 or 1).
 * - `analytics_pick`: selections per session and SKU, `certain` and `possible` (which includes the certain).
 */

/**
 * A request that was given up on may still be on its way to the target. After this time it has arrived, if ever: far
 * above any queueing of a single request inside a network path, far below the time a run takes to settle.
 */
export const lateArrivalMs = 1_000;

const keyed = "('load', 'quota', 'bystander')";
const success = 'status BETWEEN 200 AND 299';
const refusal = 'status BETWEEN 400 AND 499';

/** Makes `analytics_created` and `analytics_act`. */
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
    SELECT seq, credential, product_id, catalog_id, locale, expires_at,
      sent_ns, answered_ns,
      CASE WHEN ${success} THEN session_id END AS session_id,
      coalesce(${success} AND session_id IS NOT NULL AND credential IN ${keyed}, false) AS certain,
      CASE WHEN ${dated} THEN ${from} ELSE ${bySending} END AS from_ms,
      CASE WHEN ${dated} THEN ${to} ELSE ${byAnswer} END AS to_ms
    FROM requests
    WHERE endpoint = 'create-session' AND not_sent IS NULL
      AND (coalesce(${success}, false)
        OR (credential IN ${keyed} AND NOT coalesce(${refusal}, false)));

    CREATE OR REPLACE TEMP TABLE analytics_act AS
    WITH owner AS (
      SELECT session_id, min(seq) AS session FROM analytics_created WHERE session_id IS NOT NULL GROUP BY session_id
    ), carried AS (
      SELECT owner.session, i.id, i.type, i.sku, i.rowid AS place, r.sent_ns, r.answered_ns,
        CASE WHEN r.not_sent IS NOT NULL OR coalesce(r.${refusal}, false) THEN 0
             WHEN r.${success} THEN 2 ELSE 1 END AS state
      FROM interactions i
      JOIN requests r ON r.seq = i.seq
      JOIN owner ON owner.session_id = i.session_id
    )
    SELECT session, id,
      arg_max(type, (state > 0, -place)) AS type,
      arg_max(sku, (state > 0, -place)) AS sku,
      max(state) AS state,
      count(*) FILTER (state = 2) AS copies,
      min(place) AS place,
      min(sent_ns) FILTER (state > 0) AS first_sent_ns,
      min(answered_ns) FILTER (state = 2) AS arrived_ns,
      max(coalesce(answered_ns, sent_ns)) FILTER (state = 1) AS given_up_ns
    FROM carried GROUP BY session, id;
  `);
}

/** Makes `analytics_pick` and `analytics_session`, once reading back has narrowed the acts. */
export async function summariseSessions(history: History): Promise<void> {
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_pick AS
    SELECT session, sku, count(*) FILTER (state = 2) AS certain, count(*) AS possible,
      sum(greatest(copies, 1)) AS copies
    FROM analytics_act WHERE state > 0 AND type = 'shade_selected'
    GROUP BY session, sku;

    CREATE OR REPLACE TEMP TABLE analytics_session AS
    WITH shades AS (
      SELECT session, count(*) FILTER (certain > 0) AS d_min, count(*) AS d_max,
        sum(certain) AS r_min, sum(possible) AS r_max, sum(copies) AS r_copies
      FROM analytics_pick GROUP BY session
    ), carts AS (
      SELECT session, CAST(bool_or(state = 2) AS INTEGER) AS cart_min, 1 AS cart_max
      FROM analytics_act WHERE state > 0 AND type = 'cart_intent' GROUP BY session
    )
    SELECT c.seq, c.credential, c.product_id, c.certain, c.from_ms, c.to_ms,
      coalesce(d_min, 0) AS d_min, coalesce(d_max, 0) AS d_max,
      coalesce(r_min, 0) AS r_min, coalesce(r_max, 0) AS r_max, coalesce(r_copies, 0) AS r_copies,
      coalesce(cart_min, 0) AS cart_min, coalesce(cart_max, 0) AS cart_max
    FROM analytics_created c
    LEFT JOIN shades ON shades.session = c.seq
    LEFT JOIN carts ON carts.session = c.seq;
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

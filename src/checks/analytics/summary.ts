import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { type Cuts, gridOf } from './cuts.ts';

/**
 * Makes `analytics_pick` (per session of `analytics_exact` and SKU the selections that are `certain` and those `possible`,
 * which include them; likewise its cart intents, under no SKU) and `analytics_session`, once reading back has narrowed the
 * acts: `analytics_created` with bounds per session: different shades `d_min`…`d_max`, selections `r_min`…`r_max`
 * (`r_copies`: were repeated ids counted again), whether it shows cart intent `cart_min`…`cart_max` (0 or 1), and whether
 * a cart intent is the last thing in it, `late_min`…`late_max`; and with how many of the `cuts` lie at or before the
 * instants of its creation, `from_cut`…`to_cut`. Also `analytics_cut(cut, at_ms)`.
 */
export async function summariseSessions(history: History, cuts: Cuts): Promise<void> {
  await rankInstants(history, cuts);
  await lastActs(history);
  const grid = gridOf(cuts);
  await history.execute(`
    DELETE FROM analytics_plain WHERE key IN (FROM analytics_exact);

    CREATE OR REPLACE TEMP TABLE analytics_pick AS
    SELECT session, sku, shade, count(*) FILTER (state = 2) AS certain, count(*) AS possible, sum(greatest(copies, 1)) AS copies
    FROM analytics_act WHERE state > 0 GROUP BY session, sku, shade;

    CREATE OR REPLACE TEMP TABLE analytics_seen AS
    WITH picked AS (
      SELECT session, count(*) FILTER (shade AND certain > 0) AS d_min, count(*) FILTER (shade) AS d_max,
        coalesce(sum(certain) FILTER (shade), 0) AS r_min, coalesce(sum(possible) FILTER (shade), 0) AS r_max,
        coalesce(sum(copies) FILTER (shade), 0) AS r_copies,
        coalesce(bool_or(NOT shade AND certain > 0), false) AS cart_min, coalesce(bool_or(NOT shade), false) AS cart_max
      FROM analytics_pick GROUP BY session
    ), late AS (
      SELECT session,
        bool_or(NOT shade AND state = 2) AND coalesce(max(to_ms) FILTER (shade) <= max(from_ms) FILTER (NOT shade AND state = 2), true) AS late_min,
        bool_or(NOT shade) AND coalesce(max(from_ms) FILTER (shade AND state = 2) < max(to_ms) FILTER (NOT shade), true) AS late_max
      FROM analytics_act WHERE state > 0 GROUP BY session
    )
    SELECT c.key, p.* EXCLUDE (session), coalesce(l.late_min, false) AS late_min, l.late_max
    FROM picked p JOIN late l USING (session) JOIN analytics_created c ON c.seq = p.session
    UNION ALL
    SELECT key, shades, shades, selections, selections, selections, true, true, late_min, late_max
    FROM analytics_late JOIN analytics_plain USING (key);

    CREATE OR REPLACE TEMP TABLE analytics_session AS
    SELECT c.seq AS session, c.key, c.credential, c.product, c.certain, c.from_ms, c.to_ms, f.cut AS from_cut, t.cut AS to_cut,
      ${(['d_min', 'd_max', 'r_min', 'r_max', 'r_copies'] as const)
        .map(
          (name) =>
            `CAST(coalesce(x.${name}, p.${name.startsWith('d') ? 'shades' : 'selections'}, 0) AS UINTEGER) AS ${name}`,
        )
        .join(', ')},
      ${(['cart_min', 'cart_max', 'late_min', 'late_max'] as const)
        .map((name) => `CAST(coalesce(x.${name}, p.acts > p.selections, false) AS UTINYINT) AS ${name}`)
        .join(', ')}
    FROM analytics_created c LEFT JOIN analytics_plain p USING (key) LEFT JOIN analytics_seen x USING (key)
    JOIN analytics_rank f ON f.bucket = c.from_ms // ${grid} JOIN analytics_rank t ON t.bucket = c.to_ms // ${grid};
  `);
}

async function rankInstants(history: History, cuts: Cuts): Promise<void> {
  // Instants that no cut can come between are ranked together.
  const grid = gridOf(cuts);
  const values = cuts.instants.map((atMs, index) => `(${index + 1}, ${atMs})`);
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_cut (cut INTEGER, at_ms BIGINT);
    ${values.length === 0 ? '' : `INSERT INTO analytics_cut VALUES ${values.join(', ')};`}
    CREATE OR REPLACE TEMP TABLE analytics_rank AS
    SELECT bucket, CAST(coalesce(cut, 0) AS INTEGER) AS cut
    FROM (SELECT DISTINCT unnest([from_ms // ${grid}, to_ms // ${grid}]) AS bucket FROM analytics_created)
    ASOF LEFT JOIN analytics_cut ON bucket >= at_ms // ${grid};
  `);
}

/**
 * Makes `analytics_late`: sessions with selections and cart intent of which it is not certain that a cart intent comes
 * last. Within a request acts stand in their order; of two requests, the one that was answered before the other was sent
 * came first.
 */
async function lastActs(history: History): Promise<void> {
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_late AS
    WITH carrier AS (
      SELECT hash(i.session_id) AS key, i.seq, max(i.place * 2 + CAST(i.type = 'cart_intent' AS BIGINT)) % 2 = 1 AS ends_in_cart
      FROM interactions i
      SEMI JOIN (SELECT key FROM analytics_plain WHERE acts > selections AND selections > 0) p ON p.key = hash(i.session_id)
      ANTI JOIN analytics_unsure u ON u.seq = i.seq
      GROUP BY 1, 2
    )
    SELECT key,
      coalesce(coalesce(max(answered_ns) FILTER (NOT ends_in_cart), 0) <= max(sent_ns) FILTER (ends_in_cart), false) AS late_min,
      coalesce(coalesce(max(sent_ns) FILTER (NOT ends_in_cart), -1) < max(answered_ns) FILTER (ends_in_cart), false) AS late_max
    FROM carrier JOIN requests USING (seq) GROUP BY key HAVING NOT (late_min AND late_max);
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
  /** Sessions asked for, and granted with an id. */
  readonly asked: number;
  readonly granted: number;
  /** Interactions sent, those acknowledged, and those that the answers say were accepted; null where they do not say. */
  readonly sent: number;
  readonly acknowledged: number;
  readonly accepted: number | null;
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
  asked: z.number(),
  granted: z.number(),
  sent: z.number(),
  acknowledged: z.number(),
  accepted: z.number().nullable(),
});

/** Counts the facts; after `summariseSessions`, so that narrowing is counted in. */
export async function countFacts(history: History): Promise<FactCounts> {
  const [row] = await history.rows(
    countsSchema,
    `WITH kind AS (
       SELECT *, endpoint = 'interact' AS acts, status BETWEEN 200 AND 299 AS ok FROM analytics_kind
       WHERE endpoint IN ('create-session', 'interact')
     )
     SELECT
       (SELECT count(*) FROM analytics_created WHERE certain) AS certain_sessions,
       (SELECT count(*) FROM analytics_created WHERE NOT certain) AS ambiguous_sessions,
       (SELECT coalesce(sum(acts), 0) FROM analytics_plain ANTI JOIN analytics_exact USING (key))
         + (SELECT count(*) FROM analytics_act WHERE state = 2) AS certain_acts,
       (SELECT count(*) FROM analytics_act WHERE state = 1) AS ambiguous_acts,
       (SELECT count(DISTINCT credential) FROM analytics_created) AS keys,
       coalesce(sum(n - void) FILTER (acts AND not_sent IS NULL), 0) AS channel_requests,
       coalesce(sum(n) FILTER (acts AND not_sent = 'no-channel'), 0) AS without_channel,
       max(last_ns) FILTER (not_sent IS NULL) AS last_act_ns,
       coalesce(sum(n) FILTER (NOT acts AND not_sent IS NULL), 0) AS asked,
       coalesce(sum(named) FILTER (NOT acts AND ok), 0) AS granted,
       coalesce(sum(items) FILTER (acts AND not_sent IS NULL), 0) AS sent,
       coalesce(sum(items) FILTER (acts AND ok), 0) AS acknowledged,
       sum("count") FILTER (acts AND ok) AS accepted
     FROM kind`,
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
    asked: row.asked,
    granted: row.granted,
    sent: row.sent,
    acknowledged: row.acknowledged,
    accepted: row.accepted,
  };
}

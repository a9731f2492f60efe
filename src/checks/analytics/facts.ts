import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { credentials } from '../../vocabulary/requests.ts';
import { roles } from '../../vocabulary/roles.ts';
import type { Redelivering } from '../redeliveries.ts';
import { type ClockOffset, dateHeaderSlackMs } from './clock.ts';
import { defineInstants } from './instants.ts';
import { noProduct } from './product-numbers.ts';

/**
 * What the run did, as far as its history knows, in temporary tables. Millions of sessions are told apart by `key`, the
 * hash of their id, and counted by whole numbers for products and SKUs: what has to be exact is compared by id.
 *
 * - `analytics_product(product_id, product)`, `analytics_sku(sku, number)`: products and SKUs by number, from 0 in order.
 * - `analytics_created`: one row for each session that exists or may exist, by `seq` of its POST /sessions. `certain`:
 *   answered 2xx with a session id. Otherwise ambiguous: lost, 5xx, or a 2xx without an id; no client got its token, so it
 *   has no `key` and no events. Likewise what redeliveries of it may have made (`redeliveries.ts`), by a `seq` below zero.
 *   `from_ms`…`to_ms`: when it was created by the target's clock. `credential` is its place in the list of them. Of its
 *   acknowledged events what `sessions` says of them, which counts unless they need a second look; and `last_ms`, by when the last event in it had arrived, if any.
 * - `analytics_same_id`: POSTs that were granted the id of an earlier one, whose events are that one's.
 * - `analytics_unsure(seq, state)`: requests with events that were not acknowledged: 1 ambiguous, 0 rejected or never sent.
 *   One that was rejected for the rate is ambiguous where it may have been redelivered.
 * - `analytics_exact(key)`: the sessions whose events need a second look, since some are ambiguous or repeated, and in
 *   `analytics_act` their events one by one, keyed by `place`, the row of `interactions` that carried it first (an id counts
 *   once within its session, as the channel promises). `copies`: how many acknowledged requests carried it.
 */
export async function recordFacts(history: History, offset: ClockOffset): Promise<void> {
  await defineInstants(history, offset);
  await recordSessions(history);
  await recordUnsure(history);
  await recordExactActs(history);
}

const keyed = `(${roles.map((role) => `'${role}'`).join(', ')})`;
const success = 'status BETWEEN 200 AND 299';
const refusal = 'status BETWEEN 400 AND 499';

const credentialNumber = `CAST(CASE credential ${credentials.map((name, number) => `WHEN '${name}' THEN ${number}`).join(' ')} END AS UTINYINT)`;
const productNumber = `CAST(coalesce(p.product, ${noProduct}) AS INTEGER)`;

/** A bad key's session, if one was granted, may be counted in any account: ambiguous for all of them. */
async function recordSessions(history: History): Promise<void> {
  const instants = `coalesce(sent_ns, ready_ns), answered_ns, coalesce(${success}, false), server_date_ms`;
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_product AS
    SELECT product_id, CAST(row_number() OVER (ORDER BY product_id) - 1 AS INTEGER) AS product
    FROM (SELECT DISTINCT product_id FROM requests WHERE endpoint = 'create-session' AND product_id IS NOT NULL);

    CREATE OR REPLACE TEMP TABLE analytics_created AS
    SELECT s.seq, CASE WHEN granted AND NOT again THEN hash(session_id) END AS key, again,
      ${credentialNumber} AS credential, ${productNumber} AS product, granted AND credential IN ${keyed} AS certain,
      analytics_earliest(${instants}) AS from_ms, analytics_latest(${instants}) AS to_ms,
      acts, shades, CAST(coalesce(len(shades), 0) AS UINTEGER) AS selections, distinct_shades, granted AND NOT again AND (doubtful OR repeated) AS exact, late_min, late_max,
      greatest(analytics_latest(last_sent_ns, last_ended_ns, false, NULL), last_date_ms + ${dateHeaderSlackMs}) AS last_ms
    FROM sessions s LEFT JOIN analytics_product p USING (product_id)
    WHERE coalesce(${success}, false) OR (credential IN ${keyed} AND NOT coalesce(${refusal}, false));

    ${ungranted(history.profile)}
    CREATE OR REPLACE TEMP TABLE analytics_same_id AS SELECT seq FROM analytics_created WHERE again;
    CREATE OR REPLACE TEMP TABLE analytics_exact AS SELECT key FROM analytics_created WHERE exact;
    ${limitedActs(history.profile)}
  `);
}

/** SQL: adds the sessions that redeliveries may have made, behind rejections too. */
function ungranted({ redeliveries }: Redelivering): string {
  if (redeliveries === 0) return '';
  const instants = 'coalesce(sent_ns, ready_ns), answered_ns, false, NULL';
  return `
    INSERT INTO analytics_created BY NAME
    SELECT -(s.seq * ${redeliveries} + n) AS seq, false AS again, ${credentialNumber} AS credential, ${productNumber} AS product,
      false AS certain, analytics_earliest(${instants}) AS from_ms, analytics_latest(${instants}) AS to_ms, 0 AS acts, 0 AS selections,
      0 AS distinct_shades, false AS exact, false AS late_min, false AS late_max
    FROM sessions s CROSS JOIN range(${redeliveries}) AS again(n) LEFT JOIN analytics_product p USING (product_id)
    WHERE coalesce(${success}, false) OR credential IN ${keyed};`;
}

/** SQL: gives sessions a second look whose events were rejected for the rate, and of which a redelivery may have been accepted. */
function limitedActs({ redeliveries }: Redelivering): string {
  if (redeliveries === 0) return '';
  return `
    CREATE OR REPLACE TEMP TABLE analytics_few AS
    SELECT hash(session_id) AS key, max(analytics_latest(sent_ns, answered_ns, false, NULL)) AS last_ms
    FROM requests WHERE endpoint = 'interact' AND status = 429 GROUP BY key;
    UPDATE analytics_created SET exact = true, last_ms = greatest(analytics_created.last_ms, f.last_ms)
    FROM analytics_few f WHERE f.key = analytics_created.key;
    INSERT INTO analytics_exact SELECT key FROM analytics_few SEMI JOIN analytics_created USING (key) EXCEPT FROM analytics_exact;
    DROP TABLE analytics_few;`;
}

/** Acts whose request is not in the history (its file was cut off) cannot be said to have been acknowledged either. */
async function recordUnsure(history: History): Promise<void> {
  const limited = history.profile.redeliveries > 0 ? 'coalesce(status = 429, false)' : 'false';
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_unsure AS
    SELECT seq, CAST(CASE WHEN not_sent IS NOT NULL OR (coalesce(${refusal}, false) AND NOT ${limited}) THEN 0 ELSE 1 END AS UTINYINT) AS state
    FROM requests WHERE endpoint = 'interact' AND (not_sent IS NOT NULL OR NOT coalesce(${success}, false));

    CREATE OR REPLACE TEMP TABLE analytics_sku AS FROM skus;
  `);
  const [acts] = await history.rows(
    z.object({ announced: z.number().nullable(), recorded: z.number() }),
    `SELECT (SELECT sum(items) FROM tallies WHERE endpoint = 'interact' AND not_sent IS NULL) AS announced,
       (SELECT count(*) FROM interactions) AS recorded`,
  );
  if (acts?.announced !== acts?.recorded)
    await history.execute(`
      INSERT INTO analytics_unsure
      SELECT DISTINCT i.seq, 0 FROM interactions i ANTI JOIN requests r ON r.seq = i.seq AND r.endpoint = 'interact';
    `);
}

async function recordExactActs(history: History): Promise<void> {
  await history.execute(`
    -- First the few events that matter, in a table, so that it is seen how few they are: else all requests would be hashed.
    CREATE OR REPLACE TEMP TABLE analytics_few AS
    SELECT c.seq AS session, i.seq, i.place, i.id, i.type, i.sku
    FROM interactions i JOIN (SELECT seq, key FROM analytics_created SEMI JOIN analytics_exact USING (key)) c ON c.key = hash(i.session_id);

    CREATE OR REPLACE TEMP TABLE analytics_act AS
    WITH carried AS (
      SELECT i.session, i.place, i.id, i.type = 'shade_selected' AS shade,
        CASE WHEN i.type = 'shade_selected' THEN i.sku END AS sku, coalesce(u.state, 2) AS state,
        analytics_earliest(r.sent_ns, r.answered_ns, u.state IS NULL, r.server_date_ms) AS from_ms,
        analytics_latest(r.sent_ns, r.answered_ns, u.state IS NULL, r.server_date_ms) AS to_ms
      FROM analytics_few i JOIN requests r ON r.seq = i.seq AND r.endpoint = 'interact' LEFT JOIN analytics_unsure u ON u.seq = i.seq
    )
    SELECT session, min(place) AS place, arg_max(shade, (state > 0, -place)) AS shade, arg_max(sku, (state > 0, -place)) AS sku,
      CAST(max(state) AS UTINYINT) AS state, count(*) FILTER (state = 2) AS copies,
      min(from_ms) FILTER (state > 0) AS from_ms, coalesce(min(to_ms) FILTER (state = 2), max(to_ms) FILTER (state > 0)) AS to_ms
    FROM carried GROUP BY session, id;
    DROP TABLE analytics_few;
  `);
}

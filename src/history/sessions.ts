/** SQL: no call of the explorer. The model judges it: no number of shoppers has to hold for what it does. */
export const isNotExplored = "probe IS DISTINCT FROM 'explored'";

/** SQL: the SKUs of all shades selected, numbered from 0 in their order. */
export const skusSql = `
  SELECT sku, CAST(row_number() OVER (ORDER BY sku) - 1 AS INTEGER) AS number
  FROM (SELECT DISTINCT sku FROM interactions WHERE type = 'shade_selected' AND sku IS NOT NULL)`;

/** One part of all sessions, small enough to be kept in memory. */
interface SessionPart {
  readonly part: number;
  readonly parts: number;
}

/**
 * SQL: the rows of the view `sessions`, or a part of them.
 * A row per POST /sessions that was sent, but for those of the explorer, with the recorded events of its session. It rearranges `requests` and
 * `interactions` and judges nothing; the columns say which events count. The copy of a long history holds it as a
 * file, made by this query.
 *
 * - `seq`, `credential`, `session_id`, `product_id`, `ready_ns`, `sent_ns`, `answered_ns`, `status`,
 *   `server_date_ms`: of the POST;
 * - `granted`: answered 2xx with a session id; `again`: an earlier one was granted the same id, and has its events;
 * - `acts`: the number of events in acknowledged requests (2xx);
 * - `shades`: their selected shades by number as in `skus`, a list with repetitions; `distinct_shades`: without
 *   repetitions;
 * - `repeated`: several of them have the same id, so they may be one;
 * - `doubtful`: some event is in a request without a deciding answer (neither 2xx nor 4xx), or is not to count and got 2xx;
 * - `late_min`, `late_max`: a cart intent certainly, or possibly, came after every acknowledged selection. Events in
 *   a request are in order. Of two requests, the one answered before the other was sent came first;
 * - `last_sent_ns`, `last_ended_ns`, `last_date_ms`: the latest instants of requests with events, without rejected
 *   ones.
 *
 * Sessions and ids are compared by a hash of 64 bits.
 */
export function sessionsSql({ part, parts }: SessionPart = { part: 0, parts: 1 }): string {
  const within = (id: string): string =>
    parts === 1 ? 'true' : `coalesce(hash(${id}) % ${parts} = ${part}, ${part === 0})`;
  return `
  WITH made AS (
    SELECT *, hash(session_id) AS session, coalesce(status BETWEEN 200 AND 299 AND session_id IS NOT NULL, false) AS granted
    FROM requests WHERE endpoint = 'create-session' AND not_sent IS NULL AND ${isNotExplored} AND ${within('session_id')}
  ), first AS (
    SELECT session, min(seq) AS seq FROM made WHERE granted GROUP BY session
  ), carrier AS (
    SELECT seq, hash(session_id) AS session, sent_ns, answered_ns, server_date_ms, coalesce(status BETWEEN 200 AND 299, false) AS ok
    FROM requests WHERE endpoint = 'interact' AND not_sent IS NULL AND ${isNotExplored} AND NOT coalesce(status BETWEEN 400 AND 499, false) AND ${within('session_id')}
  ), act AS (
    SELECT i.seq, hash(i.session_id) AS session, i.place, hash(i.id) AS id, i.type = 'cart_intent' AS cart,
      CASE WHEN i.type = 'shade_selected' THEN k.number END AS number
    FROM interactions i SEMI JOIN (SELECT seq FROM carrier WHERE ok) c ON c.seq = i.seq LEFT JOIN skus k ON k.sku = i.sku
    WHERE ${within('i.session_id')}
  ), done AS (
    SELECT session, count(*) AS acts, list(number) FILTER (number IS NOT NULL) AS shades, list_unique(list(id)) < count(*) AS repeated,
      bool_or(cart) AS carted
    FROM act GROUP BY session
  ), ended AS (
    SELECT session, seq, max(place * 2 + CAST(cart AS BIGINT)) % 2 = 1 AS in_cart
    FROM act SEMI JOIN (FROM done WHERE carted) USING (session) GROUP BY session, seq
  ), last AS (
    SELECT session, bool_or(NOT ok) AS doubtful, max(sent_ns) AS last_sent_ns, max(coalesce(answered_ns, sent_ns)) AS last_ended_ns,
      max(server_date_ms) AS last_date_ms,
      coalesce(max(answered_ns) FILTER (NOT in_cart), 0) <= max(sent_ns) FILTER (in_cart) AS late_min,
      coalesce(max(sent_ns) FILTER (NOT in_cart), -1) < max(answered_ns) FILTER (in_cart) AS late_max
    FROM carrier LEFT JOIN ended USING (session, seq) GROUP BY session
  )
  SELECT m.seq, m.credential, m.session_id, m.product_id, m.ready_ns, m.sent_ns, m.answered_ns, m.status, m.server_date_ms,
    m.granted, m.granted AND f.seq IS NULL AS again,
    CAST(coalesce(d.acts, 0) AS UINTEGER) AS acts, d.shades, CAST(coalesce(list_unique(d.shades), 0) AS UINTEGER) AS distinct_shades,
    coalesce(d.repeated, false) AS repeated, coalesce(l.doubtful, false) AS doubtful,
    coalesce(l.late_min, false) AS late_min, coalesce(l.late_max, false) AS late_max,
    l.last_sent_ns, l.last_ended_ns, l.last_date_ms
  FROM made m LEFT JOIN first f ON f.session = m.session AND f.seq = m.seq LEFT JOIN done d ON d.session = f.session
  LEFT JOIN last l ON l.session = f.session`;
}

/**
 * SQL: the rows of the view `tallies`, without the explorer's calls, by endpoint, status and reason for not being sent. Columns: the number of
 * requests (`n`; `void` of them without events or shades), the sums of `items` and `count`, and the instant of the
 * last answer or loss.
 */
export const talliesSql = `
  SELECT endpoint, status, not_sent, count(*) AS n, count(*) FILTER (items <= 0) AS void, sum(items) AS items,
    sum("count") AS "count", max(coalesce(answered_ns, sent_ns)) AS last_ns
  FROM requests WHERE ${isNotExplored} GROUP BY endpoint, status, not_sent`;

import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { sqlText } from '../found.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { lateArrivalMs, shownWithinNs } from './instants.ts';

/**
 * What GET /sessions/{id} says happened, beside what the run did. Field names of the history list come from the
 * profile, and since the interface shows none, nothing is concluded from their absence. Tables: `analytics_read` (the
 * last readable answer per session, beside what its creation asked for), `analytics_due` (the run's events in those
 * sessions, with what a comparison needs),
 * `analytics_entry` (the histories, entry by entry, with the event of the run that each shows, if any),
 * `analytics_illegible` (sessions whose entries cannot be matched to events, because the names are missing).
 */

/** Entries of other types, such as the opening of the session, are the target's own business. */
export const actTypes = "('shade_selected', 'cart_intent')";

/** Which of the profile's names the entries of all histories together bear out. */
export interface NamesShown {
  readonly entries: number;
  /** Some entry carries an id. */
  readonly id: boolean;
  /** Some entry carries the id of an event of the run. */
  readonly ownIds: boolean;
  /** Some entry has a type that events have. */
  readonly type: boolean;
  /** Some entry carries a SKU, or no shade was selected that could have one. */
  readonly sku: boolean;
}

/**
 * Makes the tables. An event arrived between `first_sent_ns` and `arrived_ns` (null: no bound); `given_up_ns` is when its
 * last ambiguous request was given up on; `first_at_ms` to `last_at_ms` are the instants it was sent with. Entries are matched to events by id; where histories have no ids, or ids of
 * the target's own, by type and a shade's SKU, the n-th entry to the n-th event with certain events first, which leaves
 * every count right. Whether a cart intent names a SKU is the target's choice, so it is not matched by one.
 */
export async function readHistories(history: History): Promise<NamesShown> {
  const names = history.profile.session_history;
  const lists = [...pointers(names.list), ...pointers(`session.${names.list}`)].map(
    (at) => `CASE WHEN json_type(a.body, ${at}) = 'ARRAY' THEN json_extract(a.body, ${at}) END`,
  );
  const text = (field: string): string =>
    `coalesce(${pointers(field)
      .map((at) => `json_extract_string(entry, ${at})`)
      .join(', ')})`;
  const shade = (type: string, sku: string): string =>
    `CASE WHEN ${type} = 'shade_selected' THEN coalesce(${sku}, '') ELSE '' END`;
  await history.execute(`
    -- A table, as in facts.ts.
    CREATE OR REPLACE TEMP TABLE analytics_few AS
    SELECT seq, hash(session_id) AS key, sent_ns FROM requests
    WHERE endpoint = 'read-session' AND status BETWEEN 200 AND 299 AND sent_ns IS NOT NULL;

    CREATE OR REPLACE TEMP TABLE analytics_read AS
    SELECT c.seq AS session, r.seq, r.sent_ns, a.body, coalesce(${lists.join(', ')}) AS entries,
      entries IS NOT NULL AS has_history,
      made.session_id, made.product_id, made.locale, made.catalog_id, made."count" AS shade_count, made.sent_ns AS asked_ns
    FROM analytics_few r
    JOIN answers a ON a.seq = r.seq AND json_type(a.body) = 'OBJECT'
    JOIN analytics_created c ON c.certain AND c.key = r.key
    JOIN requests made ON made.seq = c.seq
    QUALIFY row_number() OVER (PARTITION BY c.seq ORDER BY has_history DESC, r.sent_ns DESC) = 1;

    -- A table, as in facts.ts.
    CREATE OR REPLACE TEMP TABLE analytics_few AS
    SELECT d.session, i.seq, i.id, i.type, i.sku, i.at, i.place FROM interactions i
    JOIN (SELECT d.session, c.key FROM analytics_read d JOIN analytics_created c ON c.seq = d.session WHERE d.has_history) d ON d.key = hash(i.session_id);

    CREATE OR REPLACE TEMP TABLE analytics_due AS
    WITH carried AS (
      SELECT i.session, i.id, i.type, i.sku, i.place, coalesce(u.state, 2) AS state, r.sent_ns, r.answered_ns, ${instantMs('i.at')} AS at_ms
      FROM analytics_few i JOIN requests r ON r.seq = i.seq AND r.endpoint = 'interact' LEFT JOIN analytics_unsure u ON u.seq = i.seq
    )
    SELECT session, id, arg_max(type, (state > 0, -place)) AS type, arg_max(sku, (state > 0, -place)) AS sku,
      max(state) AS state, min(place) AS place,
      min(sent_ns) FILTER (state > 0) AS first_sent_ns,
      min(answered_ns) FILTER (state = 2) AS arrived_ns,
      max(coalesce(answered_ns, sent_ns)) FILTER (state = 1) AS given_up_ns, min(at_ms) AS first_at_ms, max(at_ms) AS last_at_ms
    FROM carried GROUP BY session, id;
    DROP TABLE analytics_few;

    CREATE OR REPLACE TEMP TABLE analytics_entry AS
    WITH entry AS (
      SELECT session, pos, CAST(entry AS VARCHAR) AS whole, ${text(names.id)} AS id, ${text(names.type)} AS type, ${text(names.sku)} AS sku, ${text(names.at)} AS at
      FROM (
        SELECT session, unnest(entries) AS entry, generate_subscripts(entries, 1) AS pos
        FROM (SELECT session, from_json(entries, '["JSON"]') AS entries FROM analytics_read WHERE has_history)
      )
    ), numbered AS (
      SELECT *,
        (FROM entry SEMI JOIN analytics_due USING (session, id) SELECT count(*) > 0)
          AND bool_and(id IS NOT NULL) OVER (PARTITION BY session) AS by_id,
        row_number() OVER (PARTITION BY session, type, ${shade('type', 'sku')} ORDER BY pos) AS nth
      FROM entry
    ), act AS (
      SELECT a.session, a.id, a.type, ${shade('a.type', 'a.sku')} AS shade,
        row_number() OVER (PARTITION BY a.session, a.type, ${shade('a.type', 'a.sku')} ORDER BY a.state DESC, a.place) AS nth
      FROM analytics_due a
    )
    SELECT e.session, e.pos, e.whole, e.id, e.type, e.sku, e.by_id, ${instantMs('e.at')} AS at_ms, CASE WHEN e.by_id THEN e.id ELSE act.id END AS act_id
    FROM numbered e
    LEFT JOIN act ON NOT e.by_id AND act.session = e.session AND act.type = e.type
      AND act.shade = ${shade('e.type', 'e.sku')} AND act.nth = e.nth;
  `);
  return shownNames(history);
}

/** SQL: epoch milliseconds of an ISO 8601 instant; null where the text is none, or leaves its zone open. */
function instantMs(text: string): string {
  return `CASE WHEN regexp_matches(${text}, '(Z|[+-]\\d\\d(:?\\d\\d)?)$') THEN epoch_ms(TRY_CAST(${text} AS TIMESTAMPTZ)) END`;
}

/** SQL literals of the JSON pointers that a name in the profile may stand for: a field, or a path with dots. */
function pointers(field: string): string[] {
  const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
  const found = new Set([`/${escaped(field)}`, `/${field.split('.').map(escaped).join('/')}`]);
  return [...found].map(sqlText);
}

/** Finds out which names the entries bear out, and makes `analytics_illegible`. */
async function shownNames(history: History): Promise<NamesShown> {
  const [row] = await history.rows(
    z.object({
      entries: z.number(),
      id: z.boolean(),
      own_ids: z.boolean(),
      type: z.boolean(),
      sku: z.boolean(),
    }),
    `SELECT count(*) AS entries, coalesce(bool_or(id IS NOT NULL), false) AS id, coalesce(bool_or(by_id), false) AS own_ids,
       coalesce(bool_or(type IN ${actTypes}), false) AS type,
       coalesce(bool_or(sku IS NOT NULL), false)
         OR NOT coalesce(bool_or(type = 'shade_selected'), false)
           AND NOT EXISTS (FROM analytics_due WHERE type = 'shade_selected') AS sku
     FROM analytics_entry`,
  );
  if (row === undefined) throw new Error('an aggregate without a row');
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_illegible AS
    SELECT DISTINCT session FROM analytics_entry WHERE NOT by_id AND NOT ${row.type && row.sku}`);
  return { entries: row.entries, id: row.id, ownIds: row.own_ids, type: row.type, sku: row.sku };
}

/**
 * Narrows ambiguous events by the histories read: shown → it happened; not shown, in a legible history read long enough
 * after the request was given up on → it did not.
 */
export async function narrowByHistories(history: History): Promise<void> {
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_narrowed AS
    SELECT a.place, CAST(if(max(e.pos) IS NULL, 0, 2) AS UTINYINT) AS state
    FROM analytics_due a
    JOIN analytics_read r ON r.session = a.session
    LEFT JOIN analytics_entry e ON e.session = a.session AND e.act_id = a.id
    WHERE a.state = 1
    GROUP BY a.place, a.session, a.given_up_ns, r.sent_ns
    HAVING max(e.pos) IS NOT NULL
      OR (r.sent_ns >= a.given_up_ns + ${lateArrivalMs(history.profile) * 1e6 + shownWithinNs(history.profile)} AND a.session NOT IN (FROM analytics_illegible));
    UPDATE analytics_act SET state = n.state FROM analytics_narrowed n WHERE n.place = analytics_act.place;
    UPDATE analytics_due SET state = n.state FROM analytics_narrowed n WHERE n.place = analytics_due.place;
  `);
}

/**
 * Without a channel of the harness's own, whatever the histories show is what happened: takes their entries as events.
 * `complete`: every session that counts was read, so that the events are known in full.
 */
export async function adoptHistories(history: History): Promise<{ readonly complete: boolean }> {
  await adoptEntries(history, 'SELECT session FROM analytics_read WHERE has_history');
  const [row] = await history.rows(
    z.object({ unread: z.number() }),
    `SELECT count(*) AS unread FROM analytics_created c WHERE certain
       AND NOT EXISTS (FROM analytics_read r WHERE r.session = c.seq AND r.has_history)`,
  );
  return { complete: row?.unread === 0 };
}

/**
 * Takes what the histories of `sessions` (SQL) show as what happened in them, instead of what was recorded. When it did is
 * known only to lie between the session's creation and the read.
 */
export async function adoptEntries(history: History, sessions: string): Promise<void> {
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_adopted AS
    SELECT e.session, c.key, e.pos, e.type = 'shade_selected' AS shade, CASE WHEN e.type = 'shade_selected' THEN e.sku END AS sku,
      c.from_ms, analytics_latest(r.sent_ns, r.sent_ns, true, NULL) AS to_ms
    FROM analytics_entry e JOIN analytics_created c ON c.seq = e.session JOIN analytics_read r USING (session)
    WHERE e.session IN (${sessions}) AND e.type IN ${actTypes};
    DELETE FROM analytics_act WHERE session IN (${sessions});
    INSERT INTO analytics_exact SELECT key FROM analytics_created WHERE seq IN (${sessions}) EXCEPT FROM analytics_exact;
    UPDATE analytics_created SET exact = true WHERE seq IN (${sessions});
    INSERT INTO analytics_sku SELECT sku, (SELECT coalesce(max(number), -1) FROM analytics_sku) + row_number() OVER (ORDER BY sku)
      FROM (SELECT DISTINCT sku FROM analytics_adopted WHERE sku IS NOT NULL AND sku NOT IN (SELECT sku FROM analytics_sku));
    INSERT INTO analytics_act (session, place, shade, sku, state, copies, from_ms, to_ms)
    SELECT session, -row_number() OVER (ORDER BY session, pos), shade, sku, 2, 1, from_ms, to_ms FROM analytics_adopted;
  `);
}

/** Why entries cannot be compared in their type or SKU; nothing when they can. */
export function namesMissing({ entries, type, sku }: NamesShown, profile: History['profile']): Reason[] {
  if (entries === 0) return [];
  const { session_history: names } = profile;
  return [
    ...(type ? [] : [reason('history-without-types', { name: names.type })]),
    ...(sku ? [] : [reason('history-without-skus', { name: names.sku })]),
  ];
}

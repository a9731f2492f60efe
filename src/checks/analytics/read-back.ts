import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { lateArrivalMs } from './facts.ts';

/**
 * What GET /sessions/{id} says happened, beside what the run did. Field names of the history list come from the
 * profile. Tables: `analytics_read` (the last readable answer per session), `analytics_due` (the run's acts in those
 * sessions, with what a comparison needs), `analytics_entry` (the histories, entry by entry, with the act of the run
 * that each shows, if any).
 */

/** Entries of other types, such as the opening of the session, are the target's own business. */
const actTypes = "('shade_selected', 'cart_intent')";
const lateArrivalNs = lateArrivalMs * 1e6;

/**
 * Makes the tables. An act arrived between `first_sent_ns` and `arrived_ns` (null: no bound); `given_up_ns` is when its
 * last ambiguous request was given up on. Entries are matched to acts by id; where histories have no ids, or ids of
 * the target's own, by type and SKU, the n-th entry to the n-th act with certain acts first, which leaves every count right.
 */
export async function readHistories(history: History): Promise<void> {
  const names = history.profile.session_history;
  const at = (field: string): string => sqlText(`/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_read AS
    SELECT c.seq AS session, r.seq, r.sent_ns, a.body,
      coalesce(json_type(a.body, ${at(names.list)}) = 'ARRAY', false) AS has_history
    FROM requests r
    JOIN answers a ON a.seq = r.seq AND json_type(a.body) = 'OBJECT'
    JOIN (SELECT session_id, min(seq) AS seq FROM analytics_created WHERE certain GROUP BY session_id) c
      ON c.session_id = r.session_id
    WHERE r.endpoint = 'read-session' AND r.status BETWEEN 200 AND 299 AND r.sent_ns IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY c.seq ORDER BY has_history DESC, r.sent_ns DESC) = 1;

    CREATE OR REPLACE TEMP TABLE analytics_due AS
    SELECT k.session, i.id,
      arg_max(i.type, (k.state > 0, -i.rowid)) AS type,
      arg_max(i.sku, (k.state > 0, -i.rowid)) AS sku,
      max(k.state) AS state,
      min(i.rowid) AS place,
      min(k.sent_ns) FILTER (k.state > 0) AS first_sent_ns,
      min(k.answered_ns) FILTER (k.state = 2) AS arrived_ns,
      max(coalesce(k.answered_ns, k.sent_ns)) FILTER (k.state = 1) AS given_up_ns
    FROM analytics_carrier k JOIN analytics_read r ON r.session = k.session AND r.has_history
    JOIN interactions i ON i.seq = k.seq
    GROUP BY k.session, i.id;

    CREATE OR REPLACE TEMP TABLE analytics_entry AS
    WITH entry AS (
      SELECT session, read_ns, pos,
        json_extract_string(entry, ${at(names.id)}) AS id,
        json_extract_string(entry, ${at(names.type)}) AS type,
        json_extract_string(entry, ${at(names.sku)}) AS sku
      FROM (
        SELECT session, sent_ns AS read_ns, unnest(entries) AS entry, generate_subscripts(entries, 1) AS pos
        FROM (SELECT session, sent_ns, from_json(json_extract(body, ${at(names.list)}), '["JSON"]') AS entries
              FROM analytics_read WHERE has_history)
      )
    ), numbered AS (
      SELECT *,
        (FROM entry SEMI JOIN analytics_due USING (session, id) SELECT count(*) > 0)
          AND bool_and(id IS NOT NULL) OVER (PARTITION BY session) AS by_id,
        row_number() OVER (PARTITION BY session, type, coalesce(sku, '') ORDER BY pos) AS nth
      FROM entry
    ), act AS (
      SELECT a.session, a.id,
        a.type, coalesce(a.sku, '') AS sku,
        row_number() OVER (PARTITION BY a.session, a.type, coalesce(a.sku, '') ORDER BY a.state DESC, a.place) AS nth
      FROM analytics_due a
    )
    SELECT e.session, e.read_ns, e.pos, e.id, e.type, e.sku, e.by_id, CASE WHEN e.by_id THEN e.id ELSE act.id END AS act_id
    FROM numbered e
    LEFT JOIN act ON NOT e.by_id AND act.session = e.session AND act.type = e.type
      AND act.sku = coalesce(e.sku, '') AND act.nth = e.nth;
  `);
}

/**
 * Narrows ambiguous acts by the histories read: shown → it happened; not shown, in a history read long enough after
 * the request was given up on → it did not.
 */
export async function narrowByHistories(history: History): Promise<void> {
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_narrowed AS
    SELECT a.place, CAST(if(max(e.pos) IS NULL, 0, 2) AS UTINYINT) AS state
    FROM analytics_due a
    JOIN analytics_read r ON r.session = a.session
    LEFT JOIN analytics_entry e ON e.session = a.session AND e.act_id = a.id
    WHERE a.state = 1
    GROUP BY a.place, a.given_up_ns, r.sent_ns
    HAVING max(e.pos) IS NOT NULL OR r.sent_ns >= a.given_up_ns + ${lateArrivalNs};
    UPDATE analytics_act SET state = n.state FROM analytics_narrowed n WHERE n.place = analytics_act.place;
    UPDATE analytics_due SET state = n.state FROM analytics_narrowed n WHERE n.place = analytics_due.place;
  `);
}

/**
 * Without a channel of the harness's own, whatever the histories show is what happened: takes their entries as acts.
 * Returns whether every session that counts was read, so that the acts are known in full.
 */
export async function adoptHistories(history: History): Promise<{ entries: number; complete: boolean }> {
  await history.execute(`
    INSERT INTO analytics_act (session, place, shade, sku, state, copies)
    SELECT session, -row_number() OVER (), type = 'shade_selected', CASE WHEN type = 'shade_selected' THEN sku END, 2, 1
    FROM analytics_entry WHERE type IN ${actTypes};
  `);
  const [row] = await history.rows(
    z.object({ entries: z.number(), unread: z.number() }),
    `SELECT (SELECT count(*) FROM analytics_entry) AS entries,
       (SELECT count(*) FROM analytics_created c WHERE certain
          AND NOT EXISTS (FROM analytics_read r WHERE r.session = c.seq AND r.has_history)) AS unread`,
  );
  return { entries: row?.entries ?? 0, complete: row?.unread === 0 };
}

/** What was read back, and each way in which it differs from what the run did. */
export interface Reconciliation {
  readonly certainSessions: number;
  readonly readBack: number;
  /** Of those, with a readable history list. */
  readonly withHistory: number;
  readonly actsExpected: number;
  readonly actsFound: number;
  /** All sessions that have acts show them newest first. */
  readonly newestFirst: boolean;
  readonly differences: readonly Difference[];
}

export interface Difference {
  readonly kind: DifferenceKind;
  readonly count: number;
  /** `seq` of up to ten of the reads that show it. */
  readonly seqs: readonly number[];
}

const differenceKinds = [
  'not-found',
  'same-id',
  'session-id',
  'product',
  'locale',
  'catalog',
  'lost',
  'duplicate',
  'foreign',
  'refused',
  'altered',
  'order',
  'reverse-order',
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

const differenceSchema = z.object({
  kind: z.enum(differenceKinds),
  n: z.number(),
  seqs: z.array(z.number()),
});

/**
 * Compares session by session; after `narrowByHistories`. `acts` false: there was no channel, so histories are only
 * compared in their session fields.
 */
export async function reconcile(history: History, acts: boolean): Promise<Reconciliation> {
  const zero = history.run.zero_epoch_ms;
  // Language tags are compared without regard to case (BCP 47, section 2.1.1).
  const same = (name: string, value: string): string => (name === 'locale' ? `lower(${value})` : value);
  const field = (name: string): string =>
    `SELECT '${name.replace('_id', '').replace('session', 'session-id')}' AS kind, r.seq
     FROM analytics_read r JOIN requests c ON c.seq = r.session
     WHERE json_type(r.body, '/${name}') = 'VARCHAR' AND ${same(name, `json_extract_string(r.body, '/${name}')`)} <> ${same(name, `c.${name}`)}`;
  const ofActs = `
    UNION ALL
    SELECT 'lost', r.seq FROM due LEFT JOIN analytics_entry e ON e.session = due.session AND e.act_id = due.id
      JOIN analytics_read r ON r.session = due.session WHERE e.session IS NULL
    UNION ALL
    SELECT 'duplicate', r.seq FROM (
      SELECT session FROM analytics_entry WHERE act_id IS NOT NULL
      QUALIFY row_number() OVER (PARTITION BY session, act_id ORDER BY pos) > 1) d JOIN analytics_read r USING (session)
    UNION ALL
    SELECT CASE WHEN a.id IS NULL THEN 'foreign' WHEN a.state = 0 THEN 'refused' ELSE 'altered' END, r.seq
    FROM analytics_entry e JOIN analytics_read r USING (session)
    LEFT JOIN analytics_due a ON a.session = e.session AND a.id = e.act_id
    WHERE (a.id IS NULL AND (e.type IS NULL OR e.type IN ${actTypes})) OR a.state = 0
      OR (e.type <> a.type AND e.type IN ${actTypes}) OR (a.type = 'shade_selected' AND e.sku IS DISTINCT FROM a.sku)
    UNION ALL
    SELECT 'order', r.seq FROM placed JOIN analytics_read r USING (session)
    WHERE next_arrived < first_sent_ns OR next_place < place
    UNION ALL
    SELECT 'reverse-order', r.seq FROM placed JOIN analytics_read r USING (session)
    WHERE previous_arrived < first_sent_ns OR previous_place < place`;
  const found = await history.rows(
    differenceSchema,
    `WITH due AS (
       SELECT a.session, a.id FROM analytics_due a JOIN analytics_read r ON r.session = a.session
       WHERE a.state = 2 AND (a.arrived_ns IS NULL OR a.arrived_ns + ${lateArrivalNs} <= r.sent_ns)
     ), placed AS (
       SELECT e.session, a.first_sent_ns, a.place,
         min(a.arrived_ns) OVER later AS next_arrived,
         min(a.place) OVER (PARTITION BY e.session, a.first_sent_ns, a.arrived_ns ORDER BY e.pos ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_place,
         min(a.arrived_ns) OVER earlier AS previous_arrived,
         min(a.place) OVER (PARTITION BY e.session, a.first_sent_ns, a.arrived_ns ORDER BY e.pos DESC ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS previous_place
       FROM analytics_entry e JOIN analytics_due a ON a.session = e.session AND a.id = e.act_id
       WHERE a.state = 2 AND e.by_id
       WINDOW later AS (PARTITION BY e.session ORDER BY e.pos ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
         earlier AS (PARTITION BY e.session ORDER BY e.pos DESC ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
     ), difference AS (
       ${field('session_id')} UNION ALL ${field('product_id')} UNION ALL ${field('locale')} UNION ALL ${field('catalog_id')}
       UNION ALL
       SELECT 'same-id', seq FROM analytics_created WHERE session_id IS NOT NULL
       QUALIFY row_number() OVER (PARTITION BY session_id ORDER BY seq) > 1
       UNION ALL
       SELECT 'not-found', r.seq FROM requests r JOIN analytics_created made ON made.session_id = r.session_id AND made.certain
         JOIN requests c ON c.seq = made.seq
       WHERE r.endpoint = 'read-session' AND r.status = 404 AND r.sent_ns > c.answered_ns
         AND r.credential = c.credential
         AND coalesce(${zero} + r.sent_ns / 1e6 + ${history.profile.clock_skew_bound} < epoch_ms(TRY_CAST(c.expires_at AS TIMESTAMP)), true)
       ${acts ? ofActs : ''}
     )
     SELECT kind, count(*) AS n, list_slice(list(DISTINCT CAST(seq AS DOUBLE) ORDER BY CAST(seq AS DOUBLE)), 1, 10) AS seqs
     FROM difference GROUP BY kind ORDER BY kind`,
  );
  const [totals] = await history.rows(
    z.object({
      certain: z.number(),
      read: z.number(),
      with_history: z.number(),
      due: z.number(),
      found: z.number(),
    }),
    `SELECT (SELECT count(*) FROM analytics_created WHERE certain) AS certain,
       (SELECT count(*) FROM analytics_read) AS read,
       (SELECT count(*) FROM analytics_read WHERE has_history) AS with_history,
       (SELECT count(*) FROM analytics_due WHERE state = 2) AS due,
       (SELECT count(DISTINCT (e.session, e.act_id)) FROM analytics_entry e
          JOIN analytics_due a ON a.session = e.session AND a.id = e.act_id WHERE a.state = 2) AS found`,
  );
  // The order of a history is not specified. Oldest first and newest first are both orders; anything else is disorder.
  const kinds = new Set(found.map((row) => row.kind));
  const newestFirst = kinds.has('order') && !kinds.has('reverse-order');
  return {
    certainSessions: totals?.certain ?? 0,
    readBack: totals?.read ?? 0,
    withHistory: totals?.with_history ?? 0,
    actsExpected: totals?.due ?? 0,
    actsFound: totals?.found ?? 0,
    newestFirst,
    differences: found
      .filter((row) => row.kind !== 'reverse-order' && !(newestFirst && row.kind === 'order'))
      .map((row) => ({ kind: row.kind, count: row.n, seqs: row.seqs })),
  };
}

/** A text as a SQL literal. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

import { z } from 'zod';
import { ownText } from '../../../history/columns.ts';
import type { History } from '../../../history/history.ts';
import type { Table, Tables } from '../../../history/tables.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Facts } from './facts.ts';

/**
 * What GET /sessions/{id} says happened, beside what the run did. Field names of the history list come from the
 * profile, and since the interface shows none, nothing is concluded from their absence.
 */
export interface ReadBack {
  readonly names: NamesShown;
  /** The last readable answer per session, beside what its creation asked for. */
  readonly reads: Table<typeof readColumns>;
  /**
   * The run's events in those sessions. An event arrived between `first_sent_ns` and `arrived_ns` (null: no bound);
   * `given_up_ns` is when its last ambiguous request was given up on; `first_at_ms` to `last_at_ms` are the instants it was sent with.
   */
  readonly due: Table<typeof dueColumns>;
  /** The histories, entry by entry, with the event of the run that each shows, if any. */
  readonly entries: Table<typeof entryColumns>;
  /** Sessions whose entries cannot be matched to events, because the names are missing. */
  readonly illegible: Table<'session'>;
}

const readColumns =
  'session seq sent_ns body entries has_history session_id product_id locale catalog_id shade_count asked_ns';

export const dueColumns =
  'session id type sku state place first_sent_ns arrived_ns given_up_ns first_at_ms last_at_ms';

const entryColumns = 'session pos whole id type sku by_id at_ms act_id';

/** Entries of other types, such as the opening of the session, are the target's own business. */
export const actTypes = "('shade_selected', 'cart_intent')";

/** Which of the profile's names the entries of all histories together bear out. */
export interface NamesShown {
  readonly entries: number;
  /** Some entry carries the id of an event of the run. */
  readonly ownIds: boolean;
  /** Some entry has a type that events have. */
  readonly type: boolean;
  /** Some entry carries a SKU, or no shade was selected that could have one. */
  readonly sku: boolean;
}

/**
 * Entries are matched to events by id; where histories have no ids, or ids of
 * the target's own, by type and a shade's SKU, the n-th entry to the n-th event with certain events first, which leaves
 * every count right. Whether a cart intent names a SKU is the target's choice, so it is not matched by one.
 */
export async function readHistories(
  tables: Tables,
  { created, unsure }: Pick<Facts, 'created' | 'unsure'>,
): Promise<ReadBack> {
  const { history } = tables;
  const names = history.profile.session_history;
  const lists = [...pointers(names.list), ...pointers(`session.${names.list}`)].map(
    (at) => `CASE WHEN json_type(a.body, ${at}) = 'ARRAY' THEN json_extract(a.body, ${at}) END`,
  );
  const text = (field: string): string =>
    `coalesce(${pointers(field)
      .map((at) => `json_extract_string(entry, ${at})`)
      .join(', ')})`;
  // Few, in a table, as in facts.ts.
  const answered = await tables.make(
    'few',
    'seq key sent_ns',
    `SELECT seq, hash(session_id) AS key, sent_ns FROM requests SEMI JOIN answers USING (seq)
     WHERE endpoint = 'read-session' AND status BETWEEN 200 AND 299 AND sent_ns IS NOT NULL`,
  );
  const reads = await tables.make(
    'read',
    readColumns,
    `SELECT c.seq AS session, r.seq, r.sent_ns, a.body, coalesce(${lists.join(', ')}) AS entries,
       entries IS NOT NULL AS has_history,
       made.session_id, made.product_id, made.locale, made.catalog_id, made."count" AS shade_count, made.sent_ns AS asked_ns
     FROM ${answered} r
     JOIN answers a ON a.seq = r.seq AND json_type(a.body) = 'OBJECT'
     JOIN ${created} c ON c.certain AND c.key = r.key
     JOIN requests made ON made.seq = c.seq
     QUALIFY row_number() OVER (PARTITION BY c.seq ORDER BY has_history DESC, r.sent_ns DESC) = 1`,
  );
  const sent = await tables.make(
    'few',
    'session seq id type sku at place',
    `SELECT d.session, i.seq, i.id, i.type, i.sku, i.at, i.place FROM interactions i
     JOIN (SELECT d.session, c.key FROM ${reads} d JOIN ${created} c ON c.seq = d.session WHERE d.has_history) d ON d.key = hash(i.session_id)`,
  );
  const due = await tables.make(
    'due',
    dueColumns,
    `WITH carried AS (
       SELECT i.session, i.id, i.type, i.sku, i.place, coalesce(u.state, 2) AS state, r.sent_ns, r.answered_ns, ${instantMs('i.at')} AS at_ms
       FROM ${sent} i JOIN requests r ON r.seq = i.seq AND r.endpoint = 'interact' LEFT JOIN ${unsure} u ON u.seq = i.seq
     )
     SELECT session, id, arg_max(type, (state > 0, -place)) AS type, arg_max(sku, (state > 0, -place)) AS sku,
       max(state) AS state, min(place) AS place,
       min(sent_ns) FILTER (state > 0) AS first_sent_ns,
       min(answered_ns) FILTER (state = 2) AS arrived_ns,
       max(coalesce(answered_ns, sent_ns)) FILTER (state = 1) AS given_up_ns, min(at_ms) AS first_at_ms, max(at_ms) AS last_at_ms
     FROM carried GROUP BY session, id`,
  );
  await tables.drop(answered, sent);
  // As if each entry were matched by its id.
  const listed = await tables.make(
    'entry',
    entryColumns,
    `SELECT session, pos, CAST(entry AS VARCHAR) AS whole, ${text(names.id)} AS id, ${text(names.type)} AS type, ${text(names.sku)} AS sku,
       true AS by_id, ${instantMs(text(names.at))} AS at_ms, ${text(names.id)} AS act_id
     FROM (
       SELECT session, unnest(entries) AS entry, generate_subscripts(entries, 1) AS pos
       FROM (SELECT session, from_json(entries, '["JSON"]') AS entries FROM ${reads} WHERE has_history)
     )`,
  );
  const [row] = await history.rows(
    namesSchema,
    `SELECT count(*) = count(id) AS all_ids, (SELECT count(*) > 0 FROM ${listed} SEMI JOIN ${due} USING (session, id)) AS own_ids,
       coalesce(bool_or(type IN ${actTypes}), false) AS type,
       coalesce(bool_or(sku IS NOT NULL), false)
         OR NOT coalesce(bool_or(type = 'shade_selected'), false)
           AND NOT EXISTS (FROM ${due} WHERE type = 'shade_selected') AS sku
     FROM ${listed}`,
  );
  if (row === undefined) throw new Error('an aggregate without a row');
  const isById = row.own_ids && row.all_ids;
  const entries =
    isById || listed.rows === 0 ? listed : await matchedInOrder(tables, listed, due, row.own_ids);
  const shown: NamesShown = {
    entries: listed.rows ?? 0,
    ownIds: isById || (row.own_ids && (await isSomeById(history, entries))),
    type: row.type,
    sku: row.sku,
  };
  const illegible = await tables.make(
    'illegible',
    'session',
    `SELECT DISTINCT session FROM ${entries} WHERE NOT by_id AND NOT ${shown.type && shown.sku}`,
  );
  return { names: shown, reads, due, entries, illegible };
}

/** SQL: epoch milliseconds of an ISO 8601 instant; null where the text is none, or leaves its zone open. */
function instantMs(text: string): string {
  return `CASE WHEN regexp_matches(${text}, '(Z|[+-]\\d\\d(:?\\d\\d)?)$') THEN epoch_ms(TRY_CAST(${text} AS TIMESTAMPTZ)) END`;
}

/** SQL literals of the JSON pointers that a name in the profile may stand for: a field, or a path with dots. */
function pointers(field: string): string[] {
  const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
  const found = new Set([`/${escaped(field)}`, `/${field.split('.').map(escaped).join('/')}`]);
  return [...found].map(ownText);
}

const namesSchema = z.object({
  all_ids: z.boolean(),
  own_ids: z.boolean(),
  type: z.boolean(),
  sku: z.boolean(),
});

function shade(type: string, sku: string): string {
  return `CASE WHEN ${type} = 'shade_selected' THEN coalesce(${sku}, '') ELSE '' END`;
}

/** Entries of sessions without ids of the run's events: the n-th of a type and shade shows the n-th such event. */
function matchedInOrder(
  tables: Tables,
  listed: ReadBack['entries'],
  due: ReadBack['due'],
  someOwnIds: boolean,
): Promise<ReadBack['entries']> {
  return tables.make(
    'entry',
    entryColumns,
    `WITH numbered AS (
       SELECT * EXCLUDE by_id, ${someOwnIds} AND bool_and(id IS NOT NULL) OVER (PARTITION BY session) AS by_id,
         row_number() OVER (PARTITION BY session, type, ${shade('type', 'sku')} ORDER BY pos) AS nth
       FROM ${listed}
     ), act AS (
       SELECT a.session, a.id, a.type, ${shade('a.type', 'a.sku')} AS shade,
         row_number() OVER (PARTITION BY a.session, a.type, ${shade('a.type', 'a.sku')} ORDER BY a.state DESC, a.place) AS nth
       FROM ${due} a
     )
     SELECT e.* REPLACE (if(e.by_id, e.id, act.id) AS act_id)
     FROM numbered e
     LEFT JOIN act ON NOT e.by_id AND act.session = e.session AND act.type = e.type
       AND act.shade = ${shade('e.type', 'e.sku')} AND act.nth = e.nth`,
  );
}

async function isSomeById(history: History, entries: ReadBack['entries']): Promise<boolean> {
  const [row] = await history.rows(
    z.object({ some: z.boolean() }),
    `SELECT bool_or(by_id) AS some FROM ${entries}`,
  );
  return row?.some === true;
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

import { z } from 'zod';
import { sqlText, type Table, type Tables } from '../../../history/tables.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { credentials } from '../../../vocabulary/requests.ts';
import { roles } from '../../../vocabulary/roles.ts';
import { dateHeaderSlackMs } from '../../core/moved-clock.ts';
import { type Instants, type RequestSql, requestIn } from './clock.ts';

/** Numbers that stand in tables where a product's number would. Products have numbers from 0. */

/** All products together, in a question and in what is counted for it. */
export const allProducts = -1;

/** A session whose POST named no product: counted for all products, and for none. */
export const noProduct = -2;

/**
 * What the run did, as far as its history knows. Millions of sessions are told apart by `key`, the hash of their id, and
 * counted by whole numbers for products and SKUs: what has to be exact is compared by id.
 */
export interface Facts {
  /** By number, from 0 in order. */
  readonly products: Table<'product_id product'>;
  readonly skus: Table<'sku number'>;
  /**
   * One row for each session that exists or may exist, by `seq` of its POST /sessions. `certain`: answered 2xx with a
   * session id. Otherwise ambiguous: lost, 5xx, or a 2xx without an id; no client got its token, so it has no `key` and
   * no events. Likewise what redeliveries of it may have made (`core/stored.ts`), by a `seq` below zero. `again`: it was
   * granted the id of an earlier one, whose events are that one's. `from_ms`…`to_ms`: when it was created by the target's clock.
   * `credential` is its place in the list of them. Of its acknowledged events what `sessions` says of them, which counts
   * unless they need a second look; and `last_ms`, by when the last event in it had arrived, if any.
   */
  readonly created: Table<typeof createdColumns>;
  /**
   * Requests with events that were not acknowledged, or are not to count: `state` 1 ambiguous, 0 rejected or never sent. One that was rejected
   * for the rate is ambiguous where it may have been redelivered.
   */
  readonly unsure: Table<'seq state'>;
  /** The sessions whose events need a second look, since some are ambiguous or repeated. */
  readonly exact: Table<'key'>;
  /**
   * Their events one by one, keyed by `place`, the row of `interactions` that carried it first (an id counts once within
   * its session, as the channel promises). `copies`: how many acknowledged requests carried it.
   */
  readonly acts: Table<typeof actColumns>;
}

export const createdColumns =
  'seq key again credential product certain from_ms to_ms acts shades selections distinct_shades exact late_min late_max last_ms';

export const actColumns = 'session place shade sku state copies from_ms to_ms';

/** `during`: those of an interval alone, ns since the run's zero. */
export async function recordFacts(tables: Tables, instants: Instants, during?: Bounds): Promise<Facts> {
  const products = await tables.make(
    'product',
    'product_id product',
    `SELECT product_id, CAST(row_number() OVER (ORDER BY product_id) - 1 AS INTEGER) AS product
     FROM (SELECT DISTINCT product_id FROM requests WHERE endpoint = 'create-session' AND product_id IS NOT NULL)`,
  );
  const created = await recordSessions(tables, products, instants, during);
  const exact = await tables.make('exact', 'key', `SELECT key FROM ${created} WHERE exact`);
  const unsure = await recordUnsure(tables);
  return {
    products,
    created,
    exact,
    unsure,
    skus: await tables.make('sku', 'sku number', 'FROM skus'),
    acts: await recordActs(tables, { created, exact, unsure }, instants),
  };
}

const keyed = `(${roles.map((role) => sqlText(role)).join(', ')})`;
const success = 'status BETWEEN 200 AND 299';
const refusal = 'status BETWEEN 400 AND 499';

const credentialNumber = `CAST(CASE credential ${credentials.map((name, number) => `WHEN ${sqlText(name)} THEN ${number}`).join(' ')} END AS UTINYINT)`;
const productNumber = `CAST(coalesce(p.product, ${noProduct}) AS INTEGER)`;
/** Of a session, when it was opened. */
const opening: RequestSql = {
  sentNs: 'coalesce(sent_ns, ready_ns)',
  answeredNs: 'answered_ns',
  ok: `coalesce(${success}, false)`,
  dateMs: 'server_date_ms',
};

/** A bad key's session, if one was granted, may be counted in any account: ambiguous for all of them. */
async function recordSessions(
  tables: Tables,
  products: Facts['products'],
  { earliest, latest }: Instants,
  during: Bounds = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
): Promise<Facts['created']> {
  const isMeant = `${opening.sentNs} BETWEEN ${during.min} AND ${during.max}`;
  const { redeliveries } = tables.history.profile;
  const lastMs = latest({ sentNs: 'last_sent_ns', answeredNs: 'last_ended_ns', ok: 'false', dateMs: 'NULL' });
  const recorded = `
    SELECT s.seq, CASE WHEN granted AND NOT again THEN hash(session_id) END AS key, again,
      ${credentialNumber} AS credential, ${productNumber} AS product, granted AND credential IN ${keyed} AS certain,
      ${earliest(opening)} AS from_ms, ${latest(opening)} AS to_ms,
      acts, shades, CAST(coalesce(len(shades), 0) AS UINTEGER) AS selections, distinct_shades,
      granted AND NOT again AND (doubtful OR repeated) AS exact, late_min, late_max,
      greatest(${lastMs}, last_date_ms + ${dateHeaderSlackMs}) AS last_ms
    FROM sessions s LEFT JOIN ${products} p USING (product_id)
    WHERE ${isMeant} AND (coalesce(${success}, false) OR (credential IN ${keyed} AND NOT coalesce(${refusal}, false)))`;
  if (redeliveries === 0) return tables.make('created', createdColumns, recorded);
  const undated = { ...opening, ok: 'false', dateMs: 'NULL' };
  // What redeliveries may have made, behind rejections too.
  const redelivered = `
    SELECT -(s.seq * ${redeliveries} + n) AS seq, false AS again, ${credentialNumber} AS credential, ${productNumber} AS product,
      false AS certain, ${earliest(undated)} AS from_ms, ${latest(undated)} AS to_ms, 0 AS acts, 0 AS selections,
      0 AS distinct_shades, false AS exact, false AS late_min, false AS late_max
    FROM sessions s CROSS JOIN range(${redeliveries}) AS again(n) LEFT JOIN ${products} p USING (product_id)
    WHERE ${isMeant} AND (coalesce(${success}, false) OR credential IN ${keyed})`;
  // Events that were rejected for the rate, and of which a redelivery may have been accepted, need a second look.
  const limited = `
    SELECT hash(session_id) AS key, max(${latest({ sentNs: 'sent_ns', answeredNs: 'answered_ns', ok: 'false', dateMs: 'NULL' })}) AS last_ms
    FROM requests WHERE endpoint = 'interact' AND status = 429 GROUP BY key`;
  return tables.make(
    'created',
    createdColumns,
    `SELECT c.* REPLACE (exact OR l.key IS NOT NULL AS exact, greatest(c.last_ms, l.last_ms) AS last_ms)
     FROM (${recorded} UNION ALL BY NAME ${redelivered}) c LEFT JOIN (${limited}) l ON l.key = c.key`,
  );
}

/** Acts whose request is not in the history (its file was cut off) cannot be said to have been acknowledged either. */
async function recordUnsure(tables: Tables): Promise<Facts['unsure']> {
  const { history } = tables;
  const limited = history.profile.redeliveries > 0 ? 'coalesce(status = 429, false)' : 'false';
  const [acts] = await history.rows(
    z.object({ announced: z.number().nullable(), recorded: z.number() }),
    `SELECT (SELECT sum(items) FROM tallies WHERE endpoint = 'interact' AND not_sent IS NULL) AS announced,
       (SELECT count(*) FROM interactions) AS recorded`,
  );
  const withoutRequest = `
    UNION ALL SELECT DISTINCT i.seq, 0 FROM interactions i ANTI JOIN requests r ON r.seq = i.seq AND r.endpoint = 'interact'`;
  return tables.make(
    'unsure',
    'seq state',
    `SELECT seq, CAST(CASE WHEN not_sent IS NOT NULL OR (coalesce(${refusal}, false) AND NOT ${limited}) THEN 0 ELSE 1 END AS UTINYINT) AS state
     FROM requests WHERE endpoint = 'interact' AND (not_sent IS NOT NULL OR NOT coalesce(${success}, false))
     ${acts?.announced === acts?.recorded ? '' : withoutRequest}`,
  );
}

async function recordActs(
  tables: Tables,
  { created, exact, unsure }: Pick<Facts, 'created' | 'exact' | 'unsure'>,
  { earliest, latest }: Instants,
): Promise<Facts['acts']> {
  // Mostly there are none: to plan the queries below takes longer than to read a short history.
  if (exact.rows === 0)
    return tables.make(
      'act',
      actColumns,
      `SELECT 0::BIGINT AS session, 0::BIGINT AS place, false AS shade, '' AS sku, 2::UTINYINT AS state, 0::BIGINT AS copies,
         0::BIGINT AS from_ms, 0::BIGINT AS to_ms WHERE false`,
    );
  // First the few events that matter, in a table, so that it is seen how few they are: else all requests would be hashed.
  const few = await tables.make(
    'few',
    'session seq place id type sku',
    `SELECT c.seq AS session, i.seq, i.place, i.id, i.type, i.sku
     FROM interactions i JOIN (SELECT seq, key FROM ${created} SEMI JOIN ${exact} USING (key)) c ON c.key = hash(i.session_id)`,
  );
  const carrier = requestIn('r', 'u.state IS NULL');
  const acts = await tables.make(
    'act',
    actColumns,
    `WITH carried AS (
       SELECT i.session, i.place, i.id, i.type = 'shade_selected' AS shade,
         CASE WHEN i.type = 'shade_selected' THEN i.sku END AS sku, coalesce(u.state, 2) AS state,
         ${earliest(carrier)} AS from_ms, ${latest(carrier)} AS to_ms
       FROM ${few} i JOIN requests r ON r.seq = i.seq AND r.endpoint = 'interact' LEFT JOIN ${unsure} u ON u.seq = i.seq
     )
     SELECT session, min(place) AS place, arg_max(shade, (state > 0, -place)) AS shade, arg_max(sku, (state > 0, -place)) AS sku,
       CAST(max(state) AS UTINYINT) AS state, count(*) FILTER (state = 2) AS copies,
       min(from_ms) FILTER (state > 0) AS from_ms, coalesce(min(to_ms) FILTER (state = 2), max(to_ms) FILTER (state > 0)) AS to_ms
     FROM carried GROUP BY session, id`,
  );
  await tables.drop(few);
  return acts;
}

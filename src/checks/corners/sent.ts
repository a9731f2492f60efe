import { z } from 'zod';
import type { SentValue, SentValues } from '../../corners/coverage.ts';
import type { History } from '../../history/history.ts';
import { ownText } from '../../history/sql-text.ts';
import { type Table, type Tables, withTables } from '../../history/tables.ts';
import { isProbe, isProbeOf } from '../core/probe-names.ts';
import { eventOrders, type ReadTexts } from './events.ts';

/** Columns of a value that was sent: what became of its requests. */
const counts = { scope: z.string(), requests: z.number(), accepted: z.number(), rejected: z.number() };
const textRow = z.object({ value: z.string(), ...counts });
const amountRow = z.object({ value: z.number(), ...counts });

/** SQL: what became of a group of requests. */
const outcomes = `count(*) AS requests,
  count(*) FILTER (coalesce(status BETWEEN 200 AND 299, false)) AS accepted,
  count(*) FILTER (coalesce(status BETWEEN 400 AND 499 AND status <> 429, false)) AS rejected`;

/** SQL: sent with a key that is good, so that the answer is about the value. */
const withKey = "sent_ns IS NOT NULL AND credential NOT IN ('none', 'bad')";

/** How many different values of a column are looked at. */
const mostValues = 20_000;

const outcomeNames = 'requests accepted rejected';
/** What became of the imports into each catalog. */
type ImportOutcomes = Table<`catalog_id ${typeof outcomeNames}`>;

/** Every value of the catalogue's fields that a run sent, read from its history. */
export function sentValues(history: History): Promise<SentValues> {
  return withTables(history, 'coverage', readWith);
}

async function readWith(tables: Tables): Promise<SentValues> {
  const { history } = tables;
  const texts = (sql: string): Promise<SentValue<string>[]> => history.rows(textRow, sql);
  const amounts = (sql: string): Promise<SentValue<number>[]> => history.rows(amountRow, sql);
  const imported = await tables.make(
    'import',
    `catalog_id ${outcomeNames}`,
    `SELECT catalog_id, ${outcomes} FROM requests
     WHERE endpoint = 'import-shades' AND ${withKey} AND catalog_id IS NOT NULL GROUP BY catalog_id`,
  );
  const read = await tables.make(
    'read',
    `session_id ${outcomeNames}`,
    `SELECT session_id, ${outcomes} FROM requests
     WHERE endpoint = 'read-session' AND ${withKey} AND session_id IS NOT NULL GROUP BY session_id`,
  );
  const shade = (column: 'sku' | 'name' | 'hex' | 'finish'): Promise<SentValue<string>[]> =>
    texts(`SELECT DISTINCT ${column} AS value, catalog_id AS scope, requests, accepted, rejected
           FROM catalog JOIN ${imported} USING (catalog_id) LIMIT ${mostValues}`);
  // An empty text is written as none.
  const isUnusual = isProbe('corners:create-session');
  const ofSession = (column: 'product_id' | 'locale'): Promise<SentValue<string>[]> =>
    texts(`SELECT if(${isUnusual}, coalesce(${column}, ''), ${column}) AS value, '' AS scope, ${outcomes} FROM requests
           WHERE endpoint = 'create-session' AND ${withKey} AND (${column} IS NOT NULL OR ${isUnusual}) GROUP BY value LIMIT ${mostValues}`);
  return {
    sku: await shade('sku'),
    name: await shade('name'),
    hex: await shade('hex'),
    finish: await shade('finish'),
    product_id: await ofSession('product_id'),
    locale: await ofSession('locale'),
    catalog_id: await texts(
      `SELECT catalog_id AS value, '' AS scope, requests, accepted, rejected FROM ${imported}`,
    ),
    batch: await amounts(
      `SELECT items AS value, '' AS scope, ${outcomes} FROM requests
       WHERE endpoint = 'import-shades' AND ${withKey} AND items IS NOT NULL GROUP BY items`,
    ),
    import: await imports(texts, imported),
    // A list in pages has one request for each page, all of one catalog.
    catalog: await amounts(
      `SELECT shades AS value, '' AS scope, count(*) AS requests, sum(ok)::BIGINT AS accepted, sum(no)::BIGINT AS rejected FROM (
         SELECT seq, coalesce(max(total), 0)::BIGINT AS shades, max((status BETWEEN 200 AND 299)::INT) AS ok, max((status BETWEEN 400 AND 499 AND status <> 429)::INT) AS no
         FROM (
           SELECT r.seq, r.status, r."count" + coalesce((SELECT sum(p."count") FROM requests p JOIN answers a ON a.seq = p.seq WHERE a.page_of = r.seq), 0) AS total
           FROM requests r WHERE endpoint = 'list-shades' AND ${withKey} AND probe IS NOT NULL AND NOT ${isProbe('next-page')} AND status IS NOT NULL)
         GROUP BY seq) GROUP BY shades`,
    ),
    history: await amounts(
      `SELECT events AS value, '' AS scope, sum(requests)::BIGINT AS requests, sum(accepted)::BIGINT AS accepted, sum(rejected)::BIGINT AS rejected
       FROM (
         SELECT r.* EXCLUDE (session_id), coalesce(events, 0)::BIGINT AS events FROM ${read} r LEFT JOIN (
           SELECT session, count(*) AS events FROM (
             SELECT DISTINCT hash(session_id) AS session, hash(id) FROM interactions
             SEMI JOIN (SELECT seq FROM requests WHERE endpoint = 'interact' AND status BETWEEN 200 AND 299) USING (seq))
           GROUP BY session) ON session = hash(session_id))
       GROUP BY events`,
    ),
    delivery: await amounts(
      `SELECT items AS value, '' AS scope, ${outcomes} FROM requests
       WHERE endpoint = 'interact' AND sent_ns IS NOT NULL AND items IS NOT NULL GROUP BY items`,
    ),
    events: await eventOrders(texts),
    dates: await dates(texts),
    key: await keys(texts),
    quota: await quota(texts),
    malformed: await texts(
      `SELECT split_part(probe, ':', 4) AS value, '' AS scope, ${outcomes} FROM requests
       WHERE sent_ns IS NOT NULL AND ${isProbeOf('invalid')} AND split_part(probe, ':', 4) <> '' GROUP BY value`,
    ),
  };
}

/** SQL: a word for the requests that a condition describes. */
function wordOf(value: string, condition: string): string {
  return `SELECT ${ownText(value)} AS value, '' AS scope, ${outcomes} FROM requests WHERE sent_ns IS NOT NULL AND ${condition}`;
}

function imports(texts: ReadTexts, imported: ImportOutcomes): Promise<SentValue<string>[]> {
  return texts(
    [
      wordOf('again', isProbe('again:repeat')),
      wordOf('repeat', isProbe('twice:import')),
      wordOf('bad-last', isProbe('malformed:import')),
      badAt(imported, 'bad-first', 'bad = 1'),
      badAt(imported, 'bad-middle', 'bad > 1 AND bad < shades'),
      wordOf(
        'at-once',
        `endpoint = 'import-shades' AND EXISTS (
           FROM requests other WHERE other.endpoint = 'import-shades' AND other.catalog_id = requests.catalog_id AND other.seq <> requests.seq
             AND other.sent_ns < requests.answered_ns AND requests.sent_ns < other.answered_ns)`,
      ),
      `SELECT 'several' AS value, '' AS scope, coalesce(sum(requests), 0)::BIGINT AS requests,
         coalesce(sum(accepted), 0)::BIGINT AS accepted, coalesce(sum(rejected), 0)::BIGINT AS rejected
       FROM ${imported} WHERE requests > 1`,
      `SELECT 'sku-in-two-catalogs' AS value, '' AS scope, coalesce(sum(requests), 0)::BIGINT AS requests,
         coalesce(sum(accepted), 0)::BIGINT AS accepted, coalesce(sum(rejected), 0)::BIGINT AS rejected
       FROM ${imported} WHERE catalog_id IN (
         SELECT unnest(catalogs) FROM (
           SELECT list(DISTINCT catalog_id) AS catalogs FROM catalog JOIN ${imported} USING (catalog_id)
           WHERE accepted > 0 GROUP BY sku HAVING count(DISTINCT catalog_id) > 1))`,
    ].join(' UNION ALL '),
  );
}

/** SQL: imports of a catalog with one invalid colour, by its place among the shades. */
function badAt(imported: ImportOutcomes, value: string, condition: string): string {
  return `SELECT ${ownText(value)} AS value, '' AS scope, coalesce(sum(requests), 0)::BIGINT AS requests,
      coalesce(sum(accepted), 0)::BIGINT AS accepted, coalesce(sum(rejected), 0)::BIGINT AS rejected
    FROM ${imported} JOIN (
      SELECT catalog_id, count(*) AS shades, any_value(place) FILTER (NOT is_colour) AS bad
      FROM (SELECT catalog_id, regexp_full_match(hex, '#[0-9A-Fa-f]{3,8}') AS is_colour,
              row_number() OVER (PARTITION BY catalog_id ORDER BY rowid) AS place FROM catalog)
      GROUP BY catalog_id HAVING count(*) FILTER (NOT is_colour) = 1 AND count(*) > 2) USING (catalog_id)
    WHERE requests = 1 AND ${condition}`;
}

function dates(texts: ReadTexts): Promise<SentValue<string>[]> {
  const asked = `SELECT r.status, r.seq, r.sent_ns, TRY_CAST(left(json_extract_string(query, '$.start_date'), 10) AS DATE) AS first,
      TRY_CAST(left(json_extract_string(query, '$.end_date'), 10) AS DATE) AS last,
      json_extract_string(query, '$.product_id') AS product, r.probe
    FROM answers a JOIN requests r USING (seq) WHERE a.endpoint = 'analytics'`;
  const conditions: Readonly<Record<string, string>> = {
    'one-day': 'first = last',
    days: 'last - first BETWEEN 1 AND 27',
    month: 'last - first BETWEEN 27 AND 363',
    year: 'last - first >= 364',
    'leap-day': "strftime(first, '%m-%d') = '02-29' OR strftime(last, '%m-%d') = '02-29'",
    'month-end': 'last = last_day(last) OR first = last_day(first)',
    'year-end':
      "strftime(first, '%m-%d') IN ('12-31', '01-01') OR strftime(last, '%m-%d') IN ('12-31', '01-01')",
    'long-ago': "last < DATE '2015-01-01'",
    'far-ahead': "first > DATE '2100-01-01'",
    reversed: 'last < first',
    malformed: 'first IS NULL OR last IS NULL',
    product: 'product IS NOT NULL',
  };
  const ownDays = `SELECT 'own-days' AS value, '' AS scope, ${outcomes} FROM requests
    WHERE endpoint = 'create-session' AND status BETWEEN 200 AND 299 AND 1 < (
      SELECT count(DISTINCT epoch_ms(server_date_ms)::DATE) FROM requests WHERE endpoint = 'create-session' AND status BETWEEN 200 AND 299)`;
  const words = Object.entries(conditions).map(
    ([value, condition]) =>
      `SELECT ${ownText(value)} AS value, '' AS scope, ${outcomes} FROM asked WHERE coalesce(${condition}, false)`,
  );
  const notDates = wordOf(
    'malformed',
    "regexp_matches(probe, '^invalid:analytics:(start|end)_date:(empty|pattern)$')",
  );
  return texts(`WITH asked AS (${asked}) ${[...words, ownDays, notDates].join(' UNION ALL ')}`);
}

function keys(texts: ReadTexts): Promise<SentValue<string>[]> {
  return texts(
    `SELECT CASE WHEN ${isProbeOf('near-key')} THEN split_part(probe, ':', 2) WHEN ${isProbeOf('no-key')} THEN 'none' ELSE 'unknown' END AS value,
       '' AS scope, ${outcomes} FROM requests
     WHERE sent_ns IS NOT NULL AND (${isProbeOf('near-key')} OR ${isProbeOf('no-key')} OR ${isProbeOf('bad-key')})
     GROUP BY value`,
  );
}

/** Sessions on the quota key, by what the target said about its quota. */
function quota(texts: ReadTexts): Promise<SentValue<string>[]> {
  const made = "endpoint = 'create-session' AND credential = 'quota'";
  const answered = (value: string, condition: string): string =>
    `SELECT ${ownText(value)} AS value, '' AS scope, count(*) AS requests, count(*) AS accepted, 0 AS rejected
     FROM requests WHERE ${made} AND sent_ns IS NOT NULL AND ${condition}`;
  return texts(
    [
      answered('below', 'status BETWEEN 200 AND 299'),
      answered('over', 'status = 402'),
      answered(
        'race',
        `status IN (200, 201, 402) AND EXISTS (
           FROM requests other WHERE other.endpoint = 'create-session' AND other.credential = 'quota' AND other.status IN (200, 201, 402)
             AND other.status <> requests.status AND other.sent_ns < requests.answered_ns AND requests.sent_ns < other.answered_ns)`,
      ),
    ].join(' UNION ALL '),
  );
}

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { addColumnarCopy } from '../src/history/columnar.ts';
import { digestFile, type FileState } from '../src/history/digest.ts';
import { historyFiles, writeManifest } from '../src/history/files.ts';
import { type RunInfo, runDigest } from '../src/history/run.ts';
import { profileSchema } from '../src/target/profile.ts';

/** How big a history is to be. */
export interface HistorySize {
  readonly sessions: number;
  readonly days: number;
  readonly products: number;
}

export const firstDay = Date.UTC(2026, 4, 1);
const dayMs = 86_400_000;

/**
 * Writes the history of a long run into `runDir` with a real run's writer: `sessions` over `days`, a quarter of them
 * bounced, four events a session on average; one request in a thousand lost. Every figure is a hash of its place, so
 * equal sizes give equal histories. Analytics were asked for every day, every product, every day of every product,
 * and the whole.
 */
export async function writeBigHistory(
  runDir: string,
  { sessions, days, products }: HistorySize,
): Promise<void> {
  const dir = join(runDir, 'history');
  await mkdir(dir, { recursive: true });
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '8GB' });
  const connection = await instance.connect();
  const out = (name: string): string => `'${join(dir, name).replaceAll("'", "''")}'`;
  const csv = "(FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR '')";
  const spanNs = days * dayMs * 1e6;
  const day = firstDay / dayMs;
  await connection.run(`
    -- A number below n, from a place and a purpose.
    CREATE MACRO pick(place, purpose, n) AS CAST(hash(place, purpose) % n AS BIGINT);
    CREATE MACRO date_of(day) AS strftime(make_timestamp_ms(CAST(day AS BIGINT) * ${dayMs}), '%Y-%m-%d');
    CREATE MACRO product(number) AS 'long-wear-satin-lipstick-' || lpad(CAST(number AS VARCHAR), 2, '0') || '-5eed0001';

    CREATE TABLE sessions AS
    SELECT i AS shopper, CAST(i * (${spanNs} / ${sessions}) AS BIGINT) AS due_ns,
      least(pick(i, 1, ${products}), pick(i, 2, ${products})) AS product,
      CASE WHEN pick(i, 3, 4) = 0 THEN 0 ELSE 1 + pick(i, 4, 6) + pick(i, 5, 5) END AS acts,
      pick(i, 6, 1000) = 0 AS lost,
      'ts_' || substr(base64(encode(md5(CAST(i AS VARCHAR)))), 1, 22) AS session_id
    FROM range(${sessions}) t(i);

    -- Acts of a session, two in three requests alone and the others in pairs; the last of some sessions is a cart intent.
    CREATE TABLE acts AS
    SELECT shopper, n, session_id, product, due_ns + 2_500_000_000 * (n - n % 3 % 2) + pick(shopper, 7, 1_000_000) AS due_ns,
      n - n % 3 % 2 AS batch,
      CASE WHEN n = acts - 1 AND pick(shopper, 8, 6) = 0 THEN 'cart_intent' ELSE 'shade_selected' END AS type,
      least(pick(shopper * 64 + n, 9, 24), pick(shopper * 64 + n, 10, 24)) AS shade
    FROM (SELECT *, unnest(range(acts)) AS n FROM sessions WHERE NOT lost);

    CREATE TABLE due AS
    SELECT row_number() OVER (ORDER BY due_ns, shopper, batch) AS seq, * FROM (
      SELECT shopper, -1 AS batch, due_ns, session_id, product, lost, 0 AS items FROM sessions
      UNION ALL
      SELECT shopper, batch, any_value(due_ns), any_value(session_id), any_value(product), pick(shopper * 64 + batch, 11, 1000) = 0, count(*)
      FROM acts GROUP BY shopper, batch
    );

    -- What a target of the reference conventions answers, if what was lost never happened.
    CREATE TABLE done AS
    SELECT s.shopper, CAST(${day} + s.due_ns // ${dayMs * 1e6} AS INTEGER) AS day, s.product, a.type, a.shade
    FROM sessions s LEFT JOIN (
      FROM acts a WHERE NOT EXISTS (FROM due d WHERE d.shopper = a.shopper AND d.batch = a.batch AND d.lost)
    ) a USING (shopper) WHERE NOT s.lost;
    CREATE TABLE shade_counts AS
    SELECT day, product, 'SLN-ES' || lpad(CAST(own AS VARCHAR), 2, '0') || '-' || lpad(CAST(shade AS VARCHAR), 3, '0') || '-5eed0001' AS sku, count(*) AS selections
    FROM (SELECT *, product AS own FROM done) WHERE type = 'shade_selected'
    GROUP BY GROUPING SETS ((own, shade), (own, shade, day), (own, shade, product), (own, shade, day, product));
    CREATE TABLE reports AS
    WITH per_session AS (
      SELECT shopper, any_value(day) AS day, any_value(product) AS product, count(DISTINCT shade) FILTER (type = 'shade_selected') AS shades,
        coalesce(bool_or(type = 'cart_intent'), false) AS cart FROM done GROUP BY shopper
    ), top AS (
      SELECT day, product, list({'sku': sku, 'selections': selections} ORDER BY selections DESC, sku)[:10] AS top_shades
      FROM shade_counts GROUP BY day, product
    )
    SELECT row_number() OVER () + (SELECT max(seq) FROM due) AS seq, date_of(coalesce(m.day, ${day})) AS start_date,
      date_of(coalesce(m.day, ${day + days - 1})) AS end_date, m.product, n AS total_sessions,
      round(average, 4) AS average, round(rate, 4) AS rate, t.top_shades
    FROM (SELECT day, product, count(*) AS n, avg(shades) AS average, avg(CAST(cart AS INTEGER)) AS rate FROM per_session GROUP BY CUBE (day, product)) m
    LEFT JOIN top t ON t.day IS NOT DISTINCT FROM m.day AND t.product IS NOT DISTINCT FROM m.product;

    COPY (
      SELECT seq, 'load' AS stage, 'month' AS phase, seq - 1 AS planned, if(batch < 0, 'load', 'session') AS credential,
        if(batch < 0, 'create-session', 'interact') AS endpoint, NULL AS probe, shopper, due_ns AS intended_ns, due_ns AS ready_ns,
        due_ns + 300_000 AS sent_ns, due_ns + if(lost, 8_000_000_000, 5_000_000) AS answered_ns,
        CASE WHEN lost THEN NULL WHEN batch < 0 THEN 200 ELSE 202 END AS status, NULL AS not_sent, if(lost, 'timeout', NULL) AS lost,
        if(lost AND batch < 0, NULL, session_id) AS session_id,
        CASE WHEN batch < 0 THEN product(product) END AS product_id, CASE WHEN batch < 0 THEN 'catalog-5eed0001' END AS catalog_id,
        CASE WHEN batch < 0 THEN 'en-GB' END AS locale, CASE WHEN batch >= 0 THEN items END AS items,
        CASE WHEN lost THEN NULL WHEN batch < 0 THEN 273 ELSE items END AS count,
        CASE WHEN batch < 0 AND NOT lost THEN strftime(make_timestamp_ms(${firstDay} + due_ns // 1_000_000 + 1_800_000), '%Y-%m-%dT%H:%M:%S.%gZ') END AS expires_at,
        CASE WHEN lost THEN NULL WHEN batch < 0 THEN 169 ELSE 14 END AS bytes,
        CASE WHEN NOT lost THEN (${firstDay} + due_ns // 1_000_000 + 3) // 1000 * 1000 END AS server_date_ms, NULL AS retry_after,
        CASE WHEN batch < 0 AND NOT lost THEN 'ratelimit-limit: 1000 | ratelimit-remaining: 937 | ratelimit-reset: 48 | ratelimit-policy: 1000;w=60' END AS limit_headers,
        NULL AS problem
      FROM due
      UNION ALL BY NAME
      SELECT seq, 'settle' AS stage, 'analytics' AS phase, 'load' AS credential, 'analytics' AS endpoint,
        asked_ns AS intended_ns, asked_ns AS ready_ns, asked_ns AS sent_ns, asked_ns + 5_000_000 AS answered_ns, 200 AS status,
        CASE WHEN product IS NOT NULL THEN product(product) END AS product_id
      FROM (SELECT *, ${spanNs + 60e9} + seq * 1_000_000 AS asked_ns FROM reports)
      ORDER BY seq
    ) TO ${out(historyFiles.requests)} ${csv};

    COPY (
      SELECT d.seq, a.session_id, 'd0d1ad42-eb91-4891-91f7-' || printf('%012x', row_number() OVER (ORDER BY d.seq, a.n)) AS id, a.type,
        'SLN-ES' || lpad(CAST(a.product AS VARCHAR), 2, '0') || '-' || lpad(CAST(a.shade AS VARCHAR), 3, '0') || '-5eed0001' AS sku,
        strftime(make_timestamp_ms(${firstDay} + a.due_ns // 1_000_000), '%Y-%m-%dT%H:%M:%S.%gZ') AS at
      FROM acts a JOIN due d ON d.shopper = a.shopper AND d.batch = a.batch ORDER BY d.seq, a.n
    ) TO ${out(historyFiles.interactions)} ${csv};

    COPY (
      SELECT seq, 'analytics' AS endpoint,
        if(product IS NULL, json_object('start_date', start_date, 'end_date', end_date),
          json_object('start_date', start_date, 'end_date', end_date, 'product_id', product(product))) AS query,
        json_object('period', start_date || ' / ' || end_date, 'total_sessions', total_sessions, 'avg_shades_per_session', average,
          'cart_intent_rate', rate, 'top_shades', coalesce(top_shades, [])) AS body
      FROM reports ORDER BY seq
    ) TO ${out(historyFiles.answers)} (FORMAT json);
  `);
  connection.closeSync();
  instance.closeSync();
  for (const name of [historyFiles.catalog, historyFiles.events]) await writeFile(join(dir, name), '');
  const run: RunInfo = {
    schema_version: 1,
    id: '5eed0001',
    scenario: { name: 'month', title: 'A month of shoppers' },
    seed: 1,
    zero_epoch_ms: firstDay,
    target: { kind: 'foreign', base_url: 'http://127.0.0.1:1/v1' },
    profile: { ...profileSchema.parse({ analytics: { exclusive: true } }) },
    keys: {},
    checks: ['analytics'],
    slo: [],
    phases: [],
    planned_requests: 0,
    quota_attempts: 0,
    catalogs: [],
    products: [],
    budget: [],
    minutes: days * 1440,
    versions: {},
    machine: { platform: 'linux', cpus: 2, memory_gib: 4 },
  };
  await writeFile(join(runDir, 'run.json'), JSON.stringify(run));
  const files: Record<string, FileState> = {};
  for (const name of Object.values(historyFiles)) {
    const state = digestFile(join(dir, name));
    if (state !== undefined) files[name] = state;
  }
  await writeManifest(dir, { complete: true, run: runDigest(run), files });
  await addColumnarCopy(runDir, 1);
}

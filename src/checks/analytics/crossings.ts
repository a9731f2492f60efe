import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { Accounts } from './accounts.ts';
import { attributes } from './cells.ts';
import { type Cuts, gridOf } from './cuts.ts';
import { accountSql } from './frame-cells.ts';
import { allProducts } from './product-numbers.ts';
import type { SessionDay } from './vocabulary.ts';

/**
 * Sessions that go on past a cut, so that it matters whether they are dated by their creation or by what was done in
 * them. There are few, so for each question that they matter to they are taken out of the cells and put back otherwise.
 * Tables: `analytics_crosser` (such sessions, with when the last event in them arrived) and `analytics_crossing_act`.
 */
export async function findCrossings(history: History, cuts: Cuts): Promise<boolean> {
  const [span] = await history.rows(
    z.object({ from_ms: z.number().nullable(), to_ms: z.number().nullable() }),
    'SELECT min(from_ms) AS from_ms, max(last_ms) AS to_ms FROM analytics_session',
  );
  const [from, to] = [span?.from_ms ?? Number.POSITIVE_INFINITY, span?.to_ms ?? Number.NEGATIVE_INFINITY];
  if (!cuts.instants.some((atMs) => atMs > from && atMs <= to)) return false;
  const grid = gridOf(cuts);
  await history.execute(`
    -- Tables of few rows, as in facts.ts: sessions that may go on past a cut, and their requests with events.
    CREATE OR REPLACE TEMP TABLE analytics_near AS
    SELECT s.* EXCLUDE (shades) FROM (
      SELECT *, greatest(to_ms, last_ms) AS latest_ms FROM analytics_session
      WHERE last_ms IS NOT NULL AND from_ms // ${grid} <> greatest(to_ms, last_ms) // ${grid}
    ) s ASOF LEFT JOIN analytics_cut t ON s.latest_ms >= t.at_ms WHERE s.from_cut <> coalesce(t.cut, 0);

    CREATE OR REPLACE TEMP TABLE analytics_near_request AS
    SELECT r.seq, n.key, u.seq IS NULL AS ok, analytics_earliest(sent_ns, answered_ns, u.seq IS NULL, server_date_ms) AS from_ms,
      analytics_latest(sent_ns, answered_ns, u.seq IS NULL, server_date_ms) AS to_ms
    FROM requests r JOIN analytics_near n ON n.key = hash(r.session_id) LEFT JOIN analytics_unsure u ON u.seq = r.seq
    WHERE endpoint = 'interact' AND coalesce(u.state, 2) > 0;

    CREATE OR REPLACE TEMP TABLE analytics_crosser AS
    WITH last AS (
      SELECT key, max(from_ms) FILTER (ok) AS from_ms, max(to_ms) AS to_ms FROM analytics_near_request GROUP BY key
    ), near AS (
      SELECT s.*, greatest(s.from_ms, coalesce(l.from_ms, s.from_ms)) AS last_from_ms, greatest(s.to_ms, l.to_ms) AS last_to_ms
      FROM analytics_near s JOIN last l USING (key)
    )
    SELECT s.* FROM near s
    ASOF LEFT JOIN analytics_cut t ON s.last_to_ms >= t.at_ms
    WHERE s.from_cut <> coalesce(t.cut, 0);

    CREATE OR REPLACE TEMP TABLE analytics_few AS
    SELECT x.session, i.seq, i.type, i.sku FROM interactions i JOIN analytics_crosser x ON x.key = hash(i.session_id)
    WHERE x.key NOT IN (FROM analytics_exact);

    CREATE OR REPLACE TEMP TABLE analytics_crossing_act AS
    SELECT i.session, k.number, i.type = 'shade_selected' AS shade, 2 AS state, 1 AS copies,
      r.from_ms, r.to_ms
    FROM analytics_few i JOIN analytics_near_request r ON r.seq = i.seq AND r.ok
    LEFT JOIN analytics_sku k ON k.sku = if(i.type = 'shade_selected', i.sku, NULL)
    UNION ALL
    SELECT a.session, k.number, a.shade, a.state, greatest(a.copies, 1), a.from_ms, a.to_ms
    FROM analytics_act a SEMI JOIN analytics_crosser x ON x.session = a.session LEFT JOIN analytics_sku k ON k.sku = a.sku
    WHERE a.state > 0;
    DROP TABLE analytics_few; DROP TABLE analytics_near; DROP TABLE analytics_near_request;
  `);
  const [found] = await history.rows(
    z.object({ n: z.number() }),
    'SELECT count(*) AS n FROM analytics_crosser',
  );
  return (found?.n ?? 0) > 0;
}

const surely = (from: string, to: string): string => `(${from} >= q.start_ms AND ${to} < q.end_low_ms)`;
const possibly = (from: string, to: string): string => `(${to} >= q.start_ms AND ${from} < q.end_high_ms)`;

/**
 * SQL that makes `analytics_crossed`, a row for each question and each session that goes on past one of its ends, and
 * corrects `analytics_member` accordingly.
 */
export function crossingMembers(
  day: Exclude<SessionDay, 'creation'>,
  accounts: Accounts,
  keyed: readonly number[],
): string {
  const owner = `(${accountSql(accounts, 'x.credential')} = q.credential OR x.credential NOT IN (${keyed.join(', ')}))`;
  const counted = attributes.split(', ');
  const each = day === 'each-interaction';
  const sure = surely('a.from_ms', 'a.to_ms');
  const maybe = possibly('a.from_ms', 'a.to_ms');
  // What comes last in a part of a session is known only where nothing but cart intent can be in that part.
  const done = `
    SELECT q.question, q.session, bool_or(a.state = 2 AND ${sure}) AS sure, bool_or(${maybe}) AS possible,
      count(DISTINCT a.number) FILTER (a.shade AND a.state = 2 AND ${sure}) AS d_min, count(DISTINCT a.number) FILTER (a.shade AND ${maybe}) AS d_max,
      count(*) FILTER (a.shade AND a.state = 2 AND ${sure}) AS r_min, count(*) FILTER (a.shade AND ${maybe}) AS r_max,
      coalesce(sum(a.copies) FILTER (a.shade AND ${maybe}), 0) AS r_copies,
      CAST(coalesce(bool_or(NOT a.shade AND a.state = 2 AND ${sure}), false) AS UTINYINT) AS cart_min,
      CAST(coalesce(bool_or(NOT a.shade AND ${maybe}), false) AS UTINYINT) AS cart_max
    FROM analytics_crossed q JOIN analytics_crossing_act a USING (session) GROUP BY q.question, q.session`;
  return `
    CREATE OR REPLACE TEMP TABLE analytics_crossed AS
    SELECT q.question, q.start_ms, q.end_low_ms, q.end_high_ms, x.*,
      ${possibly('x.from_ms', 'x.to_ms')} AS was_possible, x.certain AND ${surely('x.from_ms', 'x.to_ms')} AS was_sure,
      ${each ? possibly('x.from_ms', 'x.to_ms') : possibly('x.last_from_ms', 'x.last_to_ms')} AS is_possible,
      x.certain AND ${each ? surely('x.from_ms', 'x.to_ms') : surely('x.last_from_ms', 'x.last_to_ms')} AS is_sure
    FROM analytics_question q JOIN analytics_crosser x ON (q.product = ${allProducts} OR q.product = x.product) AND ${owner}
    WHERE (x.from_ms < q.start_ms AND x.last_to_ms >= q.start_ms) OR (x.from_ms < q.end_high_ms AND x.last_to_ms >= q.end_low_ms);

    INSERT INTO analytics_member BY NAME
    SELECT question, -1 AS n, was_sure AS sure, ${counted.join(', ')} FROM analytics_crossed WHERE was_possible;
    INSERT INTO analytics_member BY NAME
    ${
      each
        ? `WITH done AS (SELECT *, if(d_max = 0, cart_min, 0) AS late_min, cart_max AS late_max FROM (${done}))
    SELECT question, 1 AS n, c.is_sure OR coalesce(c.certain AND d.sure, false) AS sure, ${counted.map((name) => `coalesce(d.${name}, 0) AS ${name}`).join(', ')}
    FROM analytics_crossed c LEFT JOIN done d USING (question, session) WHERE c.is_possible OR coalesce(d.possible, false)`
        : `SELECT question, 1 AS n, is_sure AS sure, ${counted.join(', ')} FROM analytics_crossed WHERE is_possible`
    };`;
}

/** SQL: what the sessions of `analytics_crossed` add to the selections of each question, and what they take away. */
export function crossingShades(day: Exclude<SessionDay, 'creation'>): string {
  const each = day === 'each-interaction';
  const nowSure = each ? `q.certain AND ${surely('a.from_ms', 'a.to_ms')}` : 'q.is_sure';
  const nowPossible = each ? possibly('a.from_ms', 'a.to_ms') : 'q.is_possible';
  const one = (condition: string): string => `CAST(coalesce(${condition}, false) AS INTEGER)`;
  return `
    SELECT q.question, a.number, ${one(`a.state = 2 AND ${nowSure}`)} - ${one('a.state = 2 AND q.was_sure')} AS certain,
      ${one(nowPossible)} - ${one('q.was_possible')} AS possible,
      a.copies * (${one(nowPossible)} - ${one('q.was_possible')}) AS copies
    FROM analytics_crossed q JOIN analytics_crossing_act a USING (session) WHERE a.shade`;
}

import { z } from 'zod';
import { columnsOf, type Table, type Tables } from '../../../history/tables.ts';
import type { SessionDay } from '../../../vocabulary/analytics.ts';
import type { Accounts } from '../conventions/whose-data.ts';
import { type Instants, requestIn } from '../record/clock.ts';
import { allProducts, type Facts } from '../record/facts.ts';
import { accountSql, gridOf, keyedNumbers } from './cells.ts';
import type { QuestionTable } from './means.ts';
import { attributes, type Cuts, type Summary } from './summary.ts';

/**
 * Sessions that go on past a cut, so that it matters whether they are dated by their creation or by what was done in
 * them. There are few, so for each question that they matter to they are taken out of the cells and put back otherwise.
 */
export interface Crossings {
  /** Such sessions, with when the last event in them arrived, `last_from_ms`…`last_to_ms`. */
  readonly sessions: Table<typeof crosserColumns>;
  /** Their events. */
  readonly acts: Table<'session number shade state copies from_ms to_ms'>;
}

const nearColumns = `session key credential product certain from_ms to_ms from_cut ${attributes}` as const;
const crosserColumns = `${nearColumns} last_from_ms last_to_ms` as const;

/** Undefined where no session goes on past a cut. */
export async function findCrossings(
  tables: Tables,
  facts: Pick<Facts, 'acts' | 'exact' | 'skus' | 'unsure'>,
  { cuts: cutTable, sessions }: Pick<Summary, 'cuts' | 'sessions'>,
  { cuts, instants }: { readonly cuts: Cuts; readonly instants: Instants },
): Promise<Crossings | undefined> {
  const { history } = tables;
  const [span] = await history.rows(
    z.object({ from_ms: z.number().nullable(), to_ms: z.number().nullable() }),
    `SELECT min(from_ms) AS from_ms, max(last_ms) AS to_ms FROM ${sessions}`,
  );
  const [from, to] = [span?.from_ms ?? Number.POSITIVE_INFINITY, span?.to_ms ?? Number.NEGATIVE_INFINITY];
  if (!cuts.instants.some((atMs) => atMs > from && atMs <= to)) return undefined;
  const grid = gridOf(cuts);
  // Tables of few rows, as in facts.ts: sessions that may go on past a cut, and their requests with events.
  const near = await tables.make(
    'near',
    nearColumns,
    `SELECT s.* FROM (
       SELECT *, greatest(to_ms, last_ms) AS latest_ms FROM ${sessions}
       WHERE last_ms IS NOT NULL AND from_ms // ${grid} <> greatest(to_ms, last_ms) // ${grid}
     ) s ASOF LEFT JOIN ${cutTable} t ON s.latest_ms >= t.at_ms WHERE s.from_cut <> coalesce(t.cut, 0)`,
  );
  const carrier = requestIn('r', 'u.seq IS NULL');
  const requests = await tables.make(
    'near_request',
    'seq key ok from_ms to_ms',
    `SELECT r.seq, n.key, u.seq IS NULL AS ok, ${instants.earliest(carrier)} AS from_ms, ${instants.latest(carrier)} AS to_ms
     FROM requests r JOIN ${near} n ON n.key = hash(r.session_id) LEFT JOIN ${facts.unsure} u ON u.seq = r.seq
     WHERE endpoint = 'interact' AND coalesce(u.state, 2) > 0`,
  );
  const crossers = await tables.make(
    'crosser',
    crosserColumns,
    `WITH last AS (
       SELECT key, max(from_ms) FILTER (ok) AS from_ms, max(to_ms) AS to_ms FROM ${requests} GROUP BY key
     ), near AS (
       SELECT s.*, greatest(s.from_ms, coalesce(l.from_ms, s.from_ms)) AS last_from_ms, greatest(s.to_ms, l.to_ms) AS last_to_ms
       FROM ${near} s JOIN last l USING (key)
     )
     SELECT s.* FROM near s ASOF LEFT JOIN ${cutTable} t ON s.last_to_ms >= t.at_ms WHERE s.from_cut <> coalesce(t.cut, 0)`,
  );
  const few = await tables.make(
    'few',
    'session seq type sku',
    `SELECT x.session, i.seq, i.type, i.sku FROM interactions i JOIN ${crossers} x ON x.key = hash(i.session_id)
     WHERE x.key NOT IN (FROM ${facts.exact})`,
  );
  const acts = await tables.make(
    'crossing_act',
    'session number shade state copies from_ms to_ms',
    `SELECT i.session, k.number, i.type = 'shade_selected' AS shade, 2 AS state, 1 AS copies, r.from_ms, r.to_ms
     FROM ${few} i JOIN ${requests} r ON r.seq = i.seq AND r.ok
     LEFT JOIN ${facts.skus} k ON k.sku = if(i.type = 'shade_selected', i.sku, NULL)
     UNION ALL
     SELECT a.session, k.number, a.shade, a.state, greatest(a.copies, 1), a.from_ms, a.to_ms
     FROM ${facts.acts} a SEMI JOIN ${crossers} x ON x.session = a.session LEFT JOIN ${facts.skus} k ON k.sku = a.sku
     WHERE a.state > 0`,
  );
  await tables.drop(few, near, requests);
  return crossers.rows === 0 ? undefined : { sessions: crossers, acts };
}

const surely = (from: string, to: string): string => `(${from} >= q.start_ms AND ${to} < q.end_low_ms)`;
const possibly = (from: string, to: string): string => `(${to} >= q.start_ms AND ${from} < q.end_high_ms)`;

/** A row for each question and each session that goes on past one of its ends. */
type Crossed = Table<typeof crossedColumns>;

const crossedColumns =
  `question start_ms end_low_ms end_high_ms session certain ${attributes} was_possible was_sure is_possible is_sure` as const;

/** What dates a session, where its creation does not. */
type OtherDay = Exclude<SessionDay, 'creation'>;

/** Which questions `sessions` matter to, and whether each counts by its creation (`was`) and by `day` (`is`). */
export function crossedIn(
  tables: Tables,
  { account, day }: { readonly account: Accounts; readonly day: OtherDay },
  questions: QuestionTable,
  sessions: Crossings['sessions'],
): Promise<Crossed> {
  const owner = `(${accountSql(account, 'x.credential')} = q.credential OR x.credential NOT IN (${keyedNumbers.join(', ')}))`;
  const [from, to] =
    day === 'each-interaction' ? ['x.from_ms', 'x.to_ms'] : ['x.last_from_ms', 'x.last_to_ms'];
  return tables.make(
    'crossed',
    crossedColumns,
    `SELECT q.question, q.start_ms, q.end_low_ms, q.end_high_ms, x.*,
       ${possibly('x.from_ms', 'x.to_ms')} AS was_possible, x.certain AND ${surely('x.from_ms', 'x.to_ms')} AS was_sure,
       ${possibly(from, to)} AS is_possible, x.certain AND ${surely(from, to)} AS is_sure
     FROM ${questions} q JOIN ${sessions} x ON (q.product = ${allProducts} OR q.product = x.product) AND ${owner}
     WHERE (x.from_ms < q.start_ms AND x.last_to_ms >= q.start_ms) OR (x.from_ms < q.end_high_ms AND x.last_to_ms >= q.end_low_ms)`,
  );
}

/** SQL: the members that crossed sessions take away from each question, with `n` -1, and those that they add. */
export function crossingMembers(day: OtherDay, crossed: Crossed, acts: Crossings['acts']): string {
  const counted = columnsOf(attributes).join(', ');
  const sure = surely('a.from_ms', 'a.to_ms');
  const maybe = possibly('a.from_ms', 'a.to_ms');
  // What comes last in a part of a session is known only where nothing but cart intent can be in that part.
  const done = `
    SELECT q.question, q.session, bool_or(a.state = 2 AND ${sure}) AS sure, bool_or(${maybe}) AS possible,
      count(DISTINCT a.number) FILTER (a.shade AND a.state = 2 AND ${sure}) AS d_min, count(DISTINCT a.number) FILTER (a.shade AND ${maybe}) AS d_max,
      count(*) FILTER (a.shade AND a.state = 2 AND ${sure}) AS r_min, count(*) FILTER (a.shade AND ${maybe}) AS r_max,
      CAST(coalesce(bool_or(NOT a.shade AND a.state = 2 AND ${sure}), false) AS UTINYINT) AS cart_min,
      CAST(coalesce(bool_or(NOT a.shade AND ${maybe}), false) AS UTINYINT) AS cart_max
    FROM ${crossed} q JOIN ${acts} a USING (session) GROUP BY q.question, q.session`;
  const added =
    day === 'each-interaction'
      ? `SELECT question, 1 AS n, c.is_sure OR coalesce(c.certain AND d.sure, false) AS sure, ${columnsOf(
          attributes,
        )
          .map((name) => `coalesce(d.${name}, 0) AS ${name}`)
          .join(', ')}
         FROM ${crossed} c LEFT JOIN (SELECT *, if(d_max = 0, cart_min, 0) AS late_min, cart_max AS late_max FROM (${done})) d USING (question, session) WHERE c.is_possible OR coalesce(d.possible, false)`
      : `SELECT question, 1 AS n, is_sure AS sure, ${counted} FROM ${crossed} WHERE is_possible`;
  return `SELECT question, -1 AS n, was_sure AS sure, ${counted} FROM ${crossed} WHERE was_possible UNION ALL ${added}`;
}

/** SQL: what crossed sessions add to the selections of each question, and what they take away. */
export function crossingShades(day: OtherDay, crossed: Crossed, acts: Crossings['acts']): string {
  const each = day === 'each-interaction';
  const nowSure = each ? `q.certain AND ${surely('a.from_ms', 'a.to_ms')}` : 'q.is_sure';
  const nowPossible = each ? possibly('a.from_ms', 'a.to_ms') : 'q.is_possible';
  const one = (condition: string): string => `CAST(coalesce(${condition}, false) AS INTEGER)`;
  return `
    SELECT q.question, a.number, ${one(`a.state = 2 AND ${nowSure}`)} - ${one('a.state = 2 AND q.was_sure')} AS certain,
      ${one(nowPossible)} - ${one('q.was_possible')} AS possible,
      a.copies * (${one(nowPossible)} - ${one('q.was_possible')}) AS copies
    FROM ${crossed} q JOIN ${acts} a USING (session) WHERE a.shade`;
}

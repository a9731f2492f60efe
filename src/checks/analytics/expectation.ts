import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { sqlText } from '../found.ts';
import { type Frame, type Measure, measures } from './conventions.ts';
import { type Period, periodOf } from './period.ts';
import type { Query } from './questions.ts';

/**
 * The interval in which each field of each answer has to lie, under each frame of conventions. A session or an act that
 * may or may not count is in or out, jointly: ratios are taken to their extremes over the possible subsets.
 */

/** `min` ≤ value ≤ `max`. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export interface ShadeBounds extends Bounds {
  readonly sku: string;
  /** The most there could be if repeated interaction ids were counted again. */
  readonly copies: number;
}

/** What one query has to return in one frame. */
export interface Expectation {
  readonly totalSessions: Bounds;
  /** Sessions with at least one shade: not a field, but what a total that forgets bounced sessions would be. */
  readonly sessionsWithShades: Bounds;
  /** Null where the account's earlier sessions make it unknowable. */
  readonly means: Readonly<Record<Measure, Bounds | null>>;
  /** Every SKU that may have been selected, most possible selections first. */
  readonly shades: readonly ShadeBounds[];
}

/** What the account held already, to be added: sessions, and the range of each mean over them. */
export interface Prior {
  readonly sessions: number;
  /** Null: unknown. */
  readonly average: Bounds | null;
  readonly rate: Bounds | null;
}

/** A query in a frame, with what was there before. */
export interface Question {
  readonly query: Query;
  readonly frame: Frame;
  readonly prior: Prior;
}

/** Expectations of `questions`, in the same order; undefined where the dates are not readable. */
export async function expectations(
  history: History,
  questions: readonly Question[],
): Promise<(Expectation | undefined)[]> {
  const periods = questions.map(({ query, frame }) => periodOf(query.startDate, query.endDate, frame.end));
  const cuts = cutInstants(periods);
  await groupByCuts(history, cuts);
  await askQuestions(history, questions, periods, cuts);
  const totals = Map.groupBy(await history.rows(totalSchema, totalsSql), (row) => row.question);
  const means = Map.groupBy(await history.rows(meanSchema, meansSql), (row) => row.question);
  const shades = Map.groupBy(await history.rows(shadeSchema, shadesSql), (row) => row.question);
  return questions.map((question, index) => {
    if (periods[index] === undefined) return undefined;
    const total = totals.get(index)?.[0];
    const prior = question.prior.sessions;
    return {
      totalSessions: { min: prior + (total?.sure ?? 0), max: prior + (total?.possible ?? 0) },
      sessionsWithShades: { min: total?.sure_shaded ?? 0, max: total?.possible_shaded ?? 0 },
      means: meansOf(question, means.get(index) ?? []),
      shades: (shades.get(index) ?? []).map(({ sku, min, max, copies }) => ({ sku, min, max, copies })),
    };
  });
}

/** Every instant at which a period starts or ends, ascending: sessions between two neighbours need not be told apart. */
function cutInstants(periods: readonly (Period | undefined)[]): number[] {
  const cuts = new Set<number>();
  for (const period of periods) {
    if (period === undefined) continue;
    cuts.add(period.startMs).add(period.endLowMs).add(period.endHighMs);
  }
  return [...cuts].sort((a, b) => a - b);
}

/**
 * Aggregates sessions and selections once, into cells of equal attributes, so that the many questions that follow
 * touch some thousand cells and not millions of sessions. `from_cut` counts the cuts at or before `from_ms`.
 */
async function groupByCuts(history: History, cuts: readonly number[]): Promise<void> {
  const rank = (column: string): string =>
    cuts.length === 0 ? '0' : cuts.map((cut) => `CAST(${column} >= ${cut} AS INTEGER)`).join(' + ');
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_placed AS
    SELECT *, ${rank('from_ms')} AS from_cut, ${rank('to_ms')} AS to_cut FROM analytics_session;

    CREATE OR REPLACE TEMP TABLE analytics_cell AS
    SELECT credential, product_id, certain, from_cut, to_cut,
      d_min, d_max, r_min, r_max, r_copies, cart_min, cart_max, count(*) AS n
    FROM analytics_placed GROUP BY ALL;

    CREATE OR REPLACE TEMP TABLE analytics_shade_cell AS
    SELECT s.credential, s.product_id, s.certain AS session_certain, s.from_cut, s.to_cut, p.sku,
      sum(p.certain) AS certain, sum(p.possible) AS possible, sum(p.copies) AS copies
    FROM analytics_pick p JOIN analytics_placed s ON s.seq = p.session WHERE p.shade GROUP BY ALL;
  `);
}

async function askQuestions(
  history: History,
  questions: readonly Question[],
  periods: readonly (Period | undefined)[],
  cuts: readonly number[],
): Promise<void> {
  const rank = (instantMs: number): number => cuts.indexOf(instantMs) + 1;
  const values = questions.flatMap(({ query, frame }, index) => {
    const period = periods[index];
    if (period === undefined) return [];
    const product = query.productId === null ? 'NULL' : sqlText(query.productId);
    const places = `${rank(period.startMs)}, ${rank(period.endLowMs)}, ${rank(period.endHighMs)}`;
    return [`(${index}, ${sqlText(query.credential)}, ${frame.account === 'own'}, ${product}, ${places})`];
  });
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_question
      (question INTEGER, credential VARCHAR, own_only BOOLEAN, product_id VARCHAR, start_cut INTEGER, end_low_cut INTEGER, end_high_cut INTEGER);
    ${values.length === 0 ? '' : `INSERT INTO analytics_question VALUES ${values.join(', ')};`}
  `);
}

/** Which cells a question concerns. Sessions granted to a bad key, or to none, may be counted in any account. */
const concerns = `
  c.to_cut >= q.start_cut AND c.from_cut < q.end_high_cut
  AND (q.product_id IS NULL OR c.product_id = q.product_id)
  AND (NOT q.own_only OR c.credential = q.credential OR c.credential NOT IN ('load', 'quota', 'bystander'))`;
const insideForSure = 'c.from_cut >= q.start_cut AND c.to_cut < q.end_low_cut';

const totalSchema = z.object({
  question: z.number(),
  sure: z.number(),
  possible: z.number(),
  sure_shaded: z.number(),
  possible_shaded: z.number(),
});
const totalsSql = `
  SELECT question, coalesce(sum(n) FILTER (sure), 0) AS sure, sum(n) AS possible,
    coalesce(sum(n) FILTER (sure AND d_min > 0), 0) AS sure_shaded,
    coalesce(sum(n) FILTER (d_max > 0), 0) AS possible_shaded
  FROM (SELECT q.question, c.*, c.certain AND ${insideForSure} AS sure
        FROM analytics_question q JOIN analytics_cell c ON ${concerns})
  GROUP BY question`;

/** What a mean is made of: a sum over sessions that count for sure, and the best and worst that others can do to it. */
const meanSchema = z.object({
  question: z.number(),
  measure: z.enum(measures),
  /** Sessions that count for sure, and the least and most that they add up to. */
  sure: z.number(),
  sum_low: z.number(),
  sum_high: z.number(),
  /** Sessions that may count: ascending by least contribution, and descending by most. Each `[n, sum]`, cumulative. */
  lows: z.array(z.array(z.number())),
  highs: z.array(z.array(z.number())),
});

/**
 * The extreme of (S + Σ chosen) / (n + chosen) over all subsets of optional sessions is reached by taking them in order
 * of their contribution up to some point, since adding a value above the mean raises it and one below lowers it. Cells
 * of equal contribution are all in or all out at the extreme. In a mean over sessions with a shade, a session counts
 * only in the worlds where it has one, and then contributes at least 1.
 */
const meansSql = `
  WITH member AS (
    SELECT q.question, c.*, c.certain AND ${insideForSure} AS sure
    FROM analytics_question q JOIN analytics_cell c ON ${concerns}
  ), item AS (
    ${measures.map(itemsOf).join('\n    UNION ALL\n    ')}
  ), sums AS (
    SELECT question, measure, coalesce(sum(n) FILTER (required), 0) AS sure,
      coalesce(sum(n * low) FILTER (required), 0) AS sum_low, coalesce(sum(n * high) FILTER (required), 0) AS sum_high
    FROM item GROUP BY question, measure
  ), lows AS (
    SELECT question, measure, list([CAST(n AS DOUBLE), CAST(s AS DOUBLE)]) AS steps FROM (
      SELECT question, measure, sum(n) OVER w AS n, sum(n * low) OVER w AS s
      FROM (SELECT question, measure, low, sum(n) AS n FROM item WHERE NOT required GROUP BY ALL)
      WINDOW w AS (PARTITION BY question, measure ORDER BY low)
    ) GROUP BY question, measure
  ), highs AS (
    SELECT question, measure, list([CAST(n AS DOUBLE), CAST(s AS DOUBLE)]) AS steps FROM (
      SELECT question, measure, sum(n) OVER w AS n, sum(n * high) OVER w AS s
      FROM (SELECT question, measure, high, sum(n) AS n FROM item WHERE NOT required GROUP BY ALL)
      WINDOW w AS (PARTITION BY question, measure ORDER BY high DESC)
    ) GROUP BY question, measure
  )
  SELECT sums.*, coalesce(lows.steps, []) AS lows, coalesce(highs.steps, []) AS highs
  FROM sums LEFT JOIN lows USING (question, measure) LEFT JOIN highs USING (question, measure)`;

function itemsOf(measure: Measure): string {
  const [what, over] = measure.split('/');
  const columns = { distinct: ['d_min', 'd_max'], selections: ['r_min', 'r_max'] }[what ?? ''];
  const [low, high] = columns ?? (what === 'copies' ? ['r_copies', 'r_copies'] : ['cart_min', 'cart_max']);
  const shaded = over === 'with-shades';
  const least = shaded && what !== 'cart' ? `greatest(${low}, 1)` : low;
  const required = shaded ? 'sure AND d_min > 0' : 'sure';
  return `SELECT question, '${measure}' AS measure, ${required} AS required, ${least} AS low, ${high} AS high, sum(n) AS n
    FROM member ${shaded ? 'WHERE d_max > 0' : ''} GROUP BY ALL`;
}

function meansOf(
  { prior }: Question,
  rows: readonly z.output<typeof meanSchema>[],
): Record<Measure, Bounds | null> {
  const meanOf = (measure: Measure): Bounds | null => {
    const row = rows.find((candidate) => candidate.measure === measure);
    const before = measure.startsWith('cart/') ? prior.rate : prior.average;
    if (prior.sessions > 0 && (before === null || measure.endsWith('/with-shades'))) return null;
    const n = (row?.sure ?? 0) + prior.sessions;
    const low = (row?.sum_low ?? 0) + prior.sessions * (before?.min ?? 0);
    const high = (row?.sum_high ?? 0) + prior.sessions * (before?.max ?? 0);
    // No session, no mean: the empty period's zero.
    let min = n > 0 ? low / n : 0;
    let max = n > 0 ? high / n : 0;
    for (const [more = 0, sum = 0] of row?.lows ?? []) min = Math.min(min, (low + sum) / (n + more));
    for (const [more = 0, sum = 0] of row?.highs ?? []) max = Math.max(max, (high + sum) / (n + more));
    return { min, max };
  };
  return {
    'distinct/all': meanOf('distinct/all'),
    'selections/all': meanOf('selections/all'),
    'distinct/with-shades': meanOf('distinct/with-shades'),
    'selections/with-shades': meanOf('selections/with-shades'),
    'copies/all': meanOf('copies/all'),
    'copies/with-shades': meanOf('copies/with-shades'),
    'cart/all': meanOf('cart/all'),
    'cart/with-shades': meanOf('cart/with-shades'),
  };
}

const shadeSchema = z.object({
  question: z.number(),
  sku: z.string(),
  min: z.number(),
  max: z.number(),
  copies: z.number(),
});
const shadesSql = `
  SELECT question, sku, coalesce(sum(certain) FILTER (sure), 0) AS min, sum(possible) AS max, sum(copies) AS copies
  FROM (SELECT q.question, c.sku, c.certain, c.possible, c.copies, c.session_certain AND ${insideForSure} AS sure
        FROM analytics_question q JOIN analytics_shade_cell c ON ${concerns})
  GROUP BY question, sku ORDER BY question, max DESC, min DESC, sku`;

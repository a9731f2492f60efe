import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { sqlText, type Table } from '../../../history/tables.ts';
import type { Prior } from '../../../vocabulary/analytics.ts';
import { type Measure, measures } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { type Cells, solidSums } from './cells.ts';
import type { attributes } from './summary.ts';

/** What each question's sessions add up to, and to which extremes uncertain ones can take its means. */

/** Questions by number, with their account, product and period, in cuts and in instants. */
export type QuestionTable = Table<typeof questionColumns>;

export const questionColumns =
  'question credential product start_cut end_low_cut end_high_cut start_ms end_low_ms end_high_ms';

/** The sessions that count for a question for sure, or may, where they are not solid; `n` of them alike. */
type Members = Table<`question n sure ${typeof attributes}`>;

const solidSchema = z.object({
  question: z.number(),
  ...Object.fromEntries(solidSums.map((name) => [name, z.number()])),
});
type Solid = Readonly<Record<(typeof solidSums)[number], number>>;

/** Sums over the solid cells that count for sure. */
export async function solidOf(
  history: History,
  questions: QuestionTable,
  cells: Cells['solid'],
): Promise<Map<number, Solid>> {
  const rows = await history.rows(
    solidSchema,
    `SELECT question, ${solidSums.map((name) => `CAST(sum(${name}) AS DOUBLE) AS ${name}`).join(', ')}
     FROM ${questions} q JOIN ${cells} c USING (credential, product)
     WHERE c.cut >= q.start_cut AND c.cut < q.end_low_cut GROUP BY question`,
  );
  return new Map(rows.map((row) => [row.question, { ...nothing, ...row }]));
}

export const nothing: Solid = {
  n: 0,
  shaded: 0,
  d_min: 0,
  d_max: 0,
  r_min: 0,
  r_max: 0,
  cart_min: 0,
  cart_max: 0,
  late_min: 0,
  late_max: 0,
  shaded_cart_min: 0,
  shaded_cart_max: 0,
  shaded_late_min: 0,
  shaded_late_max: 0,
};

/** Totals of the members that are not solid. */
const looseSchema = z.object({
  question: z.number(),
  sure: z.number(),
  possible: z.number(),
  sure_shaded: z.number(),
  possible_shaded: z.number(),
});
type Loose = z.output<typeof looseSchema>;

export async function looseOf(history: History, members: Members): Promise<Map<number, Loose>> {
  const rows = await history.rows(
    looseSchema,
    `SELECT question, coalesce(sum(n) FILTER (sure), 0) AS sure, sum(n) AS possible,
       coalesce(sum(n) FILTER (sure AND d_min > 0), 0) AS sure_shaded, coalesce(sum(n) FILTER (d_max > 0), 0) AS possible_shaded
     FROM ${members} GROUP BY question`,
  );
  return new Map(rows.map((row) => [row.question, row]));
}

/** What members do to a mean: a sum over those that count for sure, and the best and worst that the others can add. */
const spreadSchema = z.object({
  question: z.number(),
  measure: z.enum(measures),
  /** Members that count for sure, and the least and most that they add up to. */
  sure: z.number(),
  sum_low: z.number(),
  sum_high: z.number(),
  /** Members that may count, `[low, high, n]`. */
  optional: z.array(z.tuple([z.number(), z.number(), z.number()])),
});
type Spread = z.output<typeof spreadSchema>;

export function spreadsOf(history: History, members: Members): Promise<Spread[]> {
  return history.rows(
    spreadSchema,
    `WITH item AS (
       SELECT question, item.measure, item.required, item.low, item.high, sum(n) AS n
       FROM (SELECT question, n, unnest([${measures.map(itemOf).join(', ')}]) AS item FROM ${members})
       WHERE item IS NOT NULL GROUP BY ALL
     )
     SELECT question, measure, coalesce(sum(n) FILTER (required), 0) AS sure,
       coalesce(sum(n * low) FILTER (required), 0) AS sum_low, coalesce(sum(n * high) FILTER (required), 0) AS sum_high,
       coalesce(list([CAST(low AS DOUBLE), CAST(high AS DOUBLE), CAST(n AS DOUBLE)]) FILTER (NOT required), []) AS optional
     FROM item GROUP BY question, measure`,
  );
}

/** SQL: what a member contributes to a measure; NULL where it cannot count. */
function itemOf(measure: Measure): string {
  const [low, high] = columnsOf(measure);
  const shaded = measure.endsWith('/with-shades');
  const least = shaded && !measure.startsWith('cart') ? `greatest(${low}, 1)` : low;
  const item = `{'measure': ${sqlText(measure)}, 'required': ${shaded ? 'sure AND d_min > 0' : 'sure'},
    'low': CAST(${least} AS BIGINT), 'high': CAST(${high} AS BIGINT)}`;
  return shaded ? `CASE WHEN d_max > 0 THEN ${item} END` : item;
}

/**
 * The extreme of (S + Σ chosen) / (n + chosen) over all subsets of optional sessions is reached by taking them in order
 * of their contribution up to some point, since adding a value above the mean raises it and one below lowers it. Cells
 * of equal contribution are all in or all out at the extreme. In a mean over sessions with a shade, a session counts
 * only in the worlds where it has one, and then contributes at least 1. Returns `[n, sum]` after each value.
 */
function stepsOf(
  contributions: readonly (readonly [value: number, n: number])[],
  direction: 1 | -1,
): (readonly [n: number, sum: number])[] {
  const byValue = new Map<number, number>();
  for (const [value, n] of contributions) byValue.set(value, (byValue.get(value) ?? 0) + n);
  const steps: [n: number, sum: number][] = [];
  let [count, sum] = [0, 0];
  for (const [value, n] of [...byValue].toSorted(([a], [b]) => direction * (a - b))) {
    if (n === 0) continue;
    count += n;
    sum += n * value;
    steps.push([count, sum]);
  }
  return steps;
}

type SumColumn = (typeof solidSums)[number];

function columnsOf(measure: Measure): [low: SumColumn, high: SumColumn] {
  if (measure.startsWith('distinct')) return ['d_min', 'd_max'];
  if (measure.startsWith('selections')) return ['r_min', 'r_max'];
  return measure.startsWith('cart-last') ? ['late_min', 'late_max'] : ['cart_min', 'cart_max'];
}

const shadedColumns: Partial<Record<SumColumn, SumColumn>> = {
  cart_min: 'shaded_cart_min',
  cart_max: 'shaded_cart_max',
  late_min: 'shaded_late_min',
  late_max: 'shaded_late_max',
};

/** The interval of one mean. Null where the account's earlier sessions make it unknowable. */
export function meanOf(
  measure: Measure,
  prior: Prior,
  solid: Solid,
  spread: Spread | undefined,
): Bounds | null {
  const before = measure.startsWith('cart') ? prior.rate : prior.average;
  const shaded = measure.endsWith('/with-shades');
  if (prior.sessions > 0 && (before === null || shaded)) return null;
  const sum = (column: SumColumn): number => solid[(shaded && shadedColumns[column]) || column];
  const [lowColumn, highColumn] = columnsOf(measure);
  const n = (shaded ? solid.shaded : solid.n) + (spread?.sure ?? 0) + prior.sessions;
  const low = sum(lowColumn) + (spread?.sum_low ?? 0) + prior.sessions * (before?.min ?? 0);
  const high = sum(highColumn) + (spread?.sum_high ?? 0) + prior.sessions * (before?.max ?? 0);
  // No session, no mean: the empty period's zero.
  let min = n > 0 ? low / n : 0;
  let max = n > 0 ? high / n : 0;
  const { optional = [] } = spread ?? {};
  for (const [more, added] of stepsOf(
    optional.map(([least, , each]) => [least, each]),
    1,
  ))
    if (n + more > 0) min = Math.min(min, (low + added) / (n + more));
  for (const [more, added] of stepsOf(
    optional.map(([, most, each]) => [most, each]),
    -1,
  ))
    if (n + more > 0) max = Math.max(max, (high + added) / (n + more));
  return { min, max };
}

import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { Bounds } from '../../vocabulary/bounds.ts';
import { credentials } from '../../vocabulary/requests.ts';
import { firstKeyOf } from './accounts.ts';
import type { Frame } from './conventions.ts';
import { crossingMembers, crossingShades } from './crossings.ts';
import { type Cuts, cutsOf, periodIn, rankIn } from './cuts.ts';
import { type CellCuts, frameCells, keyedNumbers } from './frame-cells.ts';
import { looseOf, meanOf, nothing, solidOf, spreadsOf } from './means.ts';
import { allProducts, noProduct } from './product-numbers.ts';
import type { Query } from './questions.ts';
import type { Prior } from './vocabulary.ts';
import { type Measure, measures } from './vocabulary.ts';

/**
 * The interval in which each field of each answer has to lie, under each frame of conventions. A session or an event that
 * may or may not count is in or out, jointly: ratios are taken to their extremes over the possible subsets.
 */

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

/** A query, with what was there before. */
export interface QueryWithPrior {
  readonly query: Query;
  readonly prior: Prior;
}

const shadeSchema = z.object({
  question: z.number(),
  number: z.number(),
  min: z.number(),
  max: z.number(),
  copies: z.number(),
});

/**
 * Expectations of `questions` in one frame, in the same order; undefined where the dates are not readable. After `makeCells`
 * and `makeShadeCells` with cuts that include the frame's own.
 */
export async function expectations(
  history: History,
  frame: Frame,
  questions: readonly QueryWithPrior[],
  cells: CellCuts,
): Promise<(Expectation | undefined)[]> {
  const own = cutsOf(
    questions.map(({ query }) => query),
    [frame],
  );
  await askQuestions(history, frame, questions, own);
  await frameCells(history, frame, cells, own);
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_member AS
    SELECT q.question, c.n, c.certain AND c.from_cut >= q.start_cut AND c.to_cut < q.end_low_cut AS sure, c.* EXCLUDE (n, certain)
    FROM analytics_question q JOIN analytics_frame_loose c USING (credential, product)
    WHERE c.to_cut >= q.start_cut AND c.from_cut < q.end_high_cut;
    ${frame.day === 'creation' ? '' : crossingMembers(frame.day, frame.account, keyedNumbers)}
  `);
  const solid = await solidOf(history);
  const loose = await looseOf(history);
  const spreads = Map.groupBy(await spreadsOf(history), (row) => row.question);
  const skus = new Map(
    (await history.rows(z.object({ number: z.number(), sku: z.string() }), 'FROM analytics_sku')).map(
      ({ number, sku }) => [number, sku],
    ),
  );
  const shades = Map.groupBy(await history.rows(shadeSchema, shadesSql(frame)), (row) => row.question);
  return questions.map(({ query, prior }, index) => {
    if (periodIn(frame, query) === undefined) return undefined;
    const sums = solid.get(index) ?? nothing;
    const more = loose.get(index);
    const spread = new Map((spreads.get(index) ?? []).map((row) => [row.measure, row]));
    const mean = (measure: Measure): Bounds | null => meanOf(measure, prior, sums, spread.get(measure));
    return {
      totalSessions: {
        min: prior.sessions + sums.n + (more?.sure ?? 0),
        max: prior.sessions + sums.n + (more?.possible ?? 0),
      },
      sessionsWithShades: {
        min: sums.shaded + (more?.sure_shaded ?? 0),
        max: sums.shaded + (more?.possible_shaded ?? 0),
      },
      means: byMeasure(mean),
      shades: (shades.get(index) ?? []).map(({ number, min, max, copies }) => ({
        sku: skus.get(number) ?? '',
        min,
        max,
        copies,
      })),
    };
  });
}

function byMeasure(mean: (measure: Measure) => Bounds | null): Record<Measure, Bounds | null> {
  const [first, ...rest] = measures;
  const found: Partial<Record<Measure, Bounds | null>> = { [first]: mean(first) };
  for (const measure of rest) found[measure] = mean(measure);
  return found as Record<Measure, Bounds | null>;
}

async function askQuestions(
  history: History,
  frame: Frame,
  questions: readonly QueryWithPrior[],
  cuts: Cuts,
): Promise<void> {
  const products = new Map(
    (
      await history.rows(z.object({ product_id: z.string(), product: z.number() }), 'FROM analytics_product')
    ).map((row) => [row.product_id, row.product]),
  );
  const values = questions.flatMap(({ query }, index) => {
    const period = periodIn(frame, query);
    if (period === undefined) return [];
    const credential = credentials.indexOf(firstKeyOf(frame.account, query.credential));
    const product = query.productId === null ? allProducts : (products.get(query.productId) ?? noneSuch);
    const places = [period.startMs, period.endLowMs, period.endHighMs].map((atMs) => rankIn(cuts, atMs));
    const instants = [period.startMs, period.endLowMs, period.endHighMs];
    return [`(${[index, credential, product, ...places, ...instants].join(', ')})`];
  });
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE analytics_question
      (question INTEGER, credential UTINYINT, product INTEGER, start_cut INTEGER, end_low_cut INTEGER, end_high_cut INTEGER,
       start_ms BIGINT, end_low_ms BIGINT, end_high_ms BIGINT);
    ${values.length === 0 ? '' : `INSERT INTO analytics_question VALUES ${values.join(', ')};`}
  `);
}

const noneSuch = noProduct - 1;

function shadesSql(frame: Frame): string {
  return `
    WITH part AS (
      SELECT q.question, c.number, if(c.session_certain AND c.from_cut >= q.start_cut AND c.to_cut < q.end_low_cut, c.certain, 0) AS certain,
        c.possible, c.copies
      FROM analytics_question q JOIN analytics_frame_shade c USING (credential, product)
      WHERE c.to_cut >= q.start_cut AND c.from_cut < q.end_high_cut
      ${frame.day === 'creation' ? '' : `UNION ALL ${crossingShades(frame.day)}`}
    )
    SELECT question, number, min, max, copies FROM (
      SELECT question, number, sum(certain) AS min, sum(possible) AS max, sum(copies) AS copies FROM part GROUP BY question, number
    ) JOIN analytics_sku USING (number)
    WHERE max > 0 ORDER BY question, max DESC, min DESC, sku`;
}

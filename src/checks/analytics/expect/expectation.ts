import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { type Tables, withTables } from '../../../history/tables.ts';
import { type Measure, measures, type Prior } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { credentials } from '../../../vocabulary/requests.ts';
import type { Frame } from '../conventions/conventions.ts';
import { firstKeyOf } from '../conventions/whose-data.ts';
import { allProducts, type Facts, noProduct } from '../record/facts.ts';
import type { Query } from '../record/questions.ts';
import { type CutCells, cutsOf, type FrameCells, frameCells, periodIn, rankIn } from './cells.ts';
import { type Crossings, crossedIn, crossingMembers, crossingShades } from './crossings.ts';
import {
  looseOf,
  meanOf,
  nothing,
  type QuestionTable,
  questionColumns,
  solidOf,
  spreadsOf,
} from './means.ts';
import { attributes, type Cuts } from './summary.ts';

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
interface QueryWithPrior {
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

/** What expectations are made from. */
interface Expecting extends CutCells {
  readonly products: Facts['products'];
  readonly skus: Facts['skus'];
  readonly crossings: Crossings | undefined;
}

/**
 * Expectations of `questions` in one frame, in the same order; undefined where the dates are not readable. The cuts of the
 * cells include the frame's own.
 */
export function expectations(
  history: History,
  frame: Frame,
  questions: readonly QueryWithPrior[],
  from: Expecting,
): Promise<(Expectation | undefined)[]> {
  return withTables(history, 'frame', (tables) => expect({ tables, frame, questions, from }));
}

interface FrameQuestions {
  readonly tables: Tables;
  readonly frame: Frame;
  readonly questions: readonly QueryWithPrior[];
  readonly from: Expecting;
}

async function expect({
  frame,
  from,
  questions,
  tables,
}: FrameQuestions): Promise<(Expectation | undefined)[]> {
  const { history } = tables;
  const own = cutsOf(
    questions.map(({ query }) => query),
    [frame],
  );
  const asked = await askQuestions({ tables, frame, questions, from }, own);
  const cells = await frameCells(tables, frame, from, own);
  const crossing = await crossingOf(tables, frame, asked, from.crossings);
  const members = await tables.make(
    'member',
    `question n sure ${attributes}`,
    `SELECT q.question, c.certain AND c.from_cut >= q.start_cut AND c.to_cut < q.end_low_cut AS sure, c.* EXCLUDE (certain)
     FROM ${asked} q JOIN ${cells.loose} c USING (credential, product)
     WHERE c.to_cut >= q.start_cut AND c.from_cut < q.end_high_cut
     ${crossing === undefined ? '' : `UNION ALL BY NAME (${crossing.members})`}`,
  );
  const solid = await solidOf(history, asked, cells.solid);
  const loose = await looseOf(history, members);
  const spreads = Map.groupBy(await spreadsOf(history, members), (row) => row.question);
  const skus = new Map(
    (await history.rows(z.object({ number: z.number(), sku: z.string() }), `FROM ${from.skus}`)).map(
      ({ number, sku }) => [number, sku],
    ),
  );
  const shades = Map.groupBy(
    await history.rows(shadeSchema, shadesSql({ asked, cells, skus: from.skus, crossing })),
    (row) => row.question,
  );
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

/** SQL of what crossings change, where the frame does not date sessions by their creation. */
async function crossingOf(
  tables: Tables,
  { account, day }: Frame,
  asked: QuestionTable,
  crossings: Crossings | undefined,
): Promise<{ readonly members: string; readonly shades: string } | undefined> {
  if (crossings === undefined || day === 'creation') return undefined;
  const { acts } = crossings;
  const crossed = await crossedIn(tables, { account, day }, asked, crossings.sessions);
  return { members: crossingMembers(day, crossed, acts), shades: crossingShades(day, crossed, acts) };
}

async function askQuestions(
  { frame, from, questions, tables }: FrameQuestions,
  cuts: Cuts,
): Promise<QuestionTable> {
  const products = new Map(
    (
      await tables.history.rows(
        z.object({ product_id: z.string(), product: z.number() }),
        `FROM ${from.products}`,
      )
    ).map((row) => [row.product_id, row.product]),
  );
  const asked = questions.flatMap(({ query }, index) => {
    const period = periodIn(frame, query);
    if (period === undefined) return [];
    const credential = credentials.indexOf(firstKeyOf(frame.account, query.credential));
    const product = query.productId === null ? allProducts : (products.get(query.productId) ?? noneSuch);
    const instants = [period.startMs, period.endLowMs, period.endHighMs];
    return [[index, credential, product, ...instants.map((atMs) => rankIn(cuts, atMs)), ...instants]];
  });
  return tables.numbers('question', questionColumns, asked);
}

const noneSuch = noProduct - 1;

function shadesSql({
  asked,
  cells,
  crossing,
  skus,
}: {
  readonly asked: QuestionTable;
  readonly cells: FrameCells;
  readonly crossing: { readonly shades: string } | undefined;
  readonly skus: Facts['skus'];
}): string {
  return `
    WITH part AS (
      SELECT q.question, c.number, if(c.session_certain AND c.from_cut >= q.start_cut AND c.to_cut < q.end_low_cut, c.certain, 0) AS certain,
        c.possible, c.copies
      FROM ${asked} q JOIN ${cells.shades} c USING (credential, product)
      WHERE c.to_cut >= q.start_cut AND c.from_cut < q.end_high_cut
      ${crossing === undefined ? '' : `UNION ALL ${crossing.shades}`}
    )
    SELECT question, number, min, max, copies FROM (
      SELECT question, number, sum(certain) AS min, sum(possible) AS max, sum(copies) AS copies FROM part GROUP BY question, number
    ) JOIN ${skus} USING (number)
    WHERE max > 0 ORDER BY question, max DESC, min DESC, sku`;
}

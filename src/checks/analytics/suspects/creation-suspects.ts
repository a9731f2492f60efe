import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { foldingNames, foldings } from '../../../model/alike.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import { families } from '../relations/relations.ts';

const creationRow = z.object({
  credential: z.string(),
  product_id: z.string(),
  status: z.number(),
  sessions: z.number(),
});
type CreationRow = z.output<typeof creationRow>;

/** Which requests for sessions explain every wrong total. */
export async function creationHypotheses(
  history: History,
  table: AnalyticsTable,
): Promise<SuspectHypothesis[]> {
  const wrong = wrongRows(table, 'total_sessions');
  if (wrong.length === 0) return [];
  const creations = await history.rows(
    creationRow,
    `SELECT credential, product_id, status, count(*) AS sessions FROM requests
     WHERE endpoint = 'create-session' AND status BETWEEN 200 AND 499 AND product_id IS NOT NULL GROUP BY ALL`,
  );
  const isOfProducts = wrong.some(({ query }) => query.productId !== null);
  const others = isOfProducts ? [...likeNamed(wrong, creations), ...moved(table)] : [];
  const named = (suspect: Suspect): SuspectHypothesis[] =>
    hypotheses(table, ['total_sessions'], (seqs) => ({ ...suspect, seqs }));
  // Others that use the account would hardly create just as many.
  const isCertain = Math.max(...wrong.map(tooMany)) >= leastCertain;
  return [
    ...rejected(wrong, creations)
      .flatMap(named)
      .map((each) => ({ ...each, isCertain })),
    ...others.flatMap(named),
  ];
}

/** If as many sessions too many are just those rejected, that is no accident. */
const leastCertain = 20;

/** As many sessions too many as creations of the product were rejected with one status. */
function rejected(wrong: readonly AnswerRow[], creations: readonly CreationRow[]): Suspect[] {
  const statuses = new Set(creations.flatMap(({ status }) => (status >= 400 ? status : [])));
  const sessions = Math.max(...wrong.map(tooMany));
  return [...statuses].flatMap((status) => {
    const counted = (each: CreationRow, product: string): boolean =>
      each.status === status && each.product_id === product;
    return wrong.every((row) => isExplainedBy(row, creations, counted))
      ? fits('rejections-have-effects', { sessions, status })
      : [];
  });
}

/** Whether a product that sessions were created for may be taken for another one, which was asked for. */
const alike: readonly ((one: string, other: string) => boolean)[] = [
  (one, other) => one.startsWith(other),
  (one, other) => one.includes(other),
  ...foldingNames.map(
    (name) => (one: string, other: string) => foldings[name](one) === foldings[name](other),
  ),
  ...['', 'i'].flatMap((flags) => [
    (one: string, other: string) => isLike(one, other, flags),
    (one: string, other: string) => isLike(one, `${other}%`, flags),
    (one: string, other: string) => isLike(one, `%${other}%`, flags),
  ]),
];

/** As LIKE in SQL compares; with `i` as in databases where it does not tell upper from lower case. */
function isLike(text: string, pattern: string, flags: string): boolean {
  const quoted = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${quoted.replaceAll('%', '.*').replaceAll('_', '.')}$`, `s${flags}`).test(text);
}

/** As many too many as there are sessions of products whose ids are alike in one way. */
function likeNamed(wrong: readonly AnswerRow[], creations: readonly CreationRow[]): Suspect[] {
  for (const areAlike of alike) {
    const counted = ({ product_id, status }: CreationRow, product: string): boolean =>
      isSuccessStatus(status) && product_id !== product && areAlike(product_id, product);
    const [product] = wrong.flatMap(({ query }) => query.productId ?? []);
    const [other] = creations.filter((each) => product !== undefined && counted(each, product));
    if (product === undefined || other === undefined) continue;
    if (wrong.every((row) => isExplainedBy(row, creations, counted)))
      return [fits('products-matched-loosely', { product, other: other.product_id })];
  }
  return [];
}

/** Some products have too many, others as many too few, and all together have the right number. */
function moved(table: AnalyticsTable): Suspect[] {
  let sessions = 0;
  for (const { products, whole } of families(table.rows)) {
    const sum = products.reduce((net, row) => net + tooMany(row) - tooFew(row), 0);
    if (whole?.totalSessions.verdict === 'fail' || sum !== 0) return [];
    sessions = Math.max(
      sessions,
      products.reduce((most, row) => most + tooMany(row), 0),
    );
  }
  return sessions === 0 ? [] : [fits('sessions-change-products', { sessions })];
}

function isExplainedBy(
  { query, totalSessions: { expected, returned } }: AnswerRow,
  creations: readonly CreationRow[],
  isCounted: (creation: CreationRow, product: string) => boolean,
): boolean {
  const more = creations
    .filter(({ credential }) => credential === query.credential)
    .filter((each) => isCounted(each, query.productId ?? each.product_id))
    .reduce((sum, { sessions }) => sum + sessions, 0);
  if (expected === null || returned === null || more === 0) return false;
  return returned >= expected.min + more && returned <= expected.max + more;
}

function tooMany({ totalSessions: { expected, returned } }: AnswerRow): number {
  return Math.max(0, (returned ?? 0) - (expected?.max ?? 0));
}

function tooFew({ totalSessions: { expected, returned } }: AnswerRow): number {
  return Math.max(0, (expected?.min ?? 0) - (returned ?? 0));
}

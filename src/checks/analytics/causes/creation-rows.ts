import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { foldingNames, foldings } from '../../../model/alike.ts';
import { fits } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import { type AnswerRow, families } from '../compare/answer-row.ts';
import { within } from '../compare/fit.ts';
import type { AnswerEvidence, Row } from './row.ts';

/** Which other requests for sessions count in totals: rejected ones, and those of other products. */

const creationRow = z.object({
  credential: z.string(),
  product_id: z.string(),
  status: z.number(),
  sessions: z.number(),
});
type CreationRow = z.output<typeof creationRow>;

/** If as many sessions too many are just those rejected, that is no accident. */
const leastCertain = 20;

export async function creationRows(history: History, evidence: AnswerEvidence): Promise<Row[]> {
  const { total_sessions: wrong } = evidence.wrong;
  if (wrong.length === 0) return [];
  const creations = await history.rows(
    creationRow,
    `SELECT credential, product_id, status, count(*) AS sessions FROM requests
     WHERE endpoint = 'create-session' AND status BETWEEN 200 AND 499 AND product_id IS NOT NULL GROUP BY ALL`,
  );
  const sessions = Math.max(...wrong.map(tooMany));
  const statuses = [...new Set(creations.flatMap(({ status }) => (status >= 400 ? status : [])))];
  // Others that use the account would hardly create just as many.
  const price = sessions >= leastCertain ? 0 : 1;
  return [
    ...statuses.map((status) =>
      besideRow(
        creations,
        (each, product) => each.status === status && each.product_id === product,
        () => fits('rejections-have-effects', { sessions, status }),
        price,
      ),
    ),
    ...likeNamed(wrong, creations),
    ...moved(evidence),
  ];
}

/** Other creations count besides. */
function besideRow(
  creations: readonly CreationRow[],
  isCounted: (creation: CreationRow, product: string) => boolean,
  suspect: Row['suspect'],
  price: number,
): Row {
  return {
    suspect,
    price,
    fields: ['total_sessions'],
    fit: ({ row: { query, totalSessions } }) => {
      const { expected, returned, verdict } = totalSessions;
      if (expected === null || returned === null || (expected.max === 0 && verdict !== 'fail'))
        return 'unknown';
      const more = creations
        .filter(({ credential }) => credential === query.credential)
        .filter((each) => isCounted(each, query.productId ?? each.product_id))
        .reduce((sum, each) => sum + each.sessions, 0);
      return within(returned, { min: expected.min + more, max: expected.max + more }, 9) ? 'fits' : 'misfits';
    },
  };
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

/** Sessions of products whose ids are alike in one way. */
function likeNamed(wrong: readonly AnswerRow[], creations: readonly CreationRow[]): Row[] {
  const [product] = wrong.flatMap(({ query }) => query.productId ?? []);
  if (product === undefined) return [];
  return alike.flatMap((areAlike, at): Row[] => {
    const isCounted = ({ product_id, status }: CreationRow, asked: string): boolean =>
      isSuccessStatus(status) && product_id !== asked && areAlike(product_id, asked);
    const other = creations.find((each) => isCounted(each, product))?.product_id;
    return other === undefined
      ? []
      : [
          besideRow(
            creations,
            isCounted,
            () => fits('products-matched-loosely', { product, other }),
            1 + at / 100,
          ),
        ];
  });
}

/** Some products have too many, others as many too few, and all together have the right number. */
function moved({ table }: AnswerEvidence): Row[] {
  let sessions = 0;
  for (const { products, whole } of families(table.rows)) {
    const sum = products.reduce((net, row) => net + tooMany(row) - tooFew(row), 0);
    if (whole?.totalSessions.verdict === 'fail' || sum !== 0) return [];
    sessions = Math.max(
      sessions,
      products.reduce((most, row) => most + tooMany(row), 0),
    );
  }
  return sessions === 0
    ? []
    : [
        {
          suspect: () => fits('sessions-change-products', { sessions }),
          fields: ['total_sessions'],
          price: 1,
          fit: ({ row }) => (row.query.productId === null ? 'unknown' : 'fits'),
        },
      ];
}

const tooMany = ({ totalSessions: { expected, returned } }: AnswerRow): number =>
  Math.max(0, (returned ?? 0) - (expected?.max ?? 0));

const tooFew = ({ totalSessions: { expected, returned } }: AnswerRow): number =>
  Math.max(0, (expected?.min ?? 0) - (returned ?? 0));

import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { foldingNames, foldings } from '../../../model/alike.ts';
import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { fits } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import { type AnswerRow, families } from '../compare/answer-row.ts';
import { within } from '../compare/fit.ts';
import { type AnswerEvidence, asJudged, isTelling, ofWrong, type Row } from './row.ts';
import { isRightOtherwise } from './value-rows.ts';

/** Which sessions count: those of rejected requests and of other products, those of others on the account, and those whose ids are misread. */

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

/** What others do on the account, and ids that are misread: what answers of one kind have in common. */
export function kindRows(evidence: AnswerEvidence): Row[] {
  return [...withoutEvents(evidence), ...othersAtWork(evidence), ...unusualIds(evidence)];
}

/** Totals are right, and no event of their sessions counts anywhere: nothing else gives only zeros beside them. */
function withoutEvents({ answers, wrong }: AnswerEvidence): Row[] {
  const fields = ['avg_shades_per_session', 'cart_intent_rate', 'top_shades'] as const;
  const right = answers.flatMap(({ row }) =>
    row.totalSessions.verdict === 'fail' ? [] : (row.totalSessions.returned ?? 0),
  );
  const isAnyCounted = answers.some(({ row }) => fields.some((field) => isTelling(row, field)));
  const sessions = Math.max(0, ...right);
  if (sessions === 0 || wrong.total_sessions.length > 0 || isAnyCounted) return [];
  return [
    {
      suspect: () => fits('events-not-counted', { sessions }),
      fields,
      price: 0,
      isShownByZeros: true,
      fit: () => 'fits',
    },
  ];
}

/** Unfiltered answers have too much, and those of the run's own products are right: somebody else uses the account. */
function othersAtWork({ history: { profile }, wrong }: AnswerEvidence): Row[] {
  const { total_sessions: totals } = wrong;
  if (!profile.analytics.exclusive || profile.exclusive_keys || totals.length === 0) return [];
  const isMore = totals.every(
    ({ totalSessions: { expected, returned } }) =>
      (returned ?? 0) > (expected?.max ?? Number.POSITIVE_INFINITY),
  );
  // Sessions of others without any event would still change both means, unless these are zeros.
  const areMeansRight = totals.some(
    (row) => isRightOtherwise(row) && (row.avgShadesPerSession.returned ?? 0) > 0,
  );
  const isAnyOfProducts = answerFields.some((field) =>
    wrong[field].some(({ query }) => query.productId !== null),
  );
  if (!isMore || areMeansRight || isAnyOfProducts) return [];
  const found = 'false (sessions count that it did not create)';
  return [
    {
      suspect: () =>
        fits(
          'profile-false',
          { field: 'analytics.exclusive', told: 'true', found },
          totals.map(({ seq }) => seq),
        ),
      fields: answerFields,
      price: 2,
      fit: ofWrong(() => true),
    },
  ];
}

/** Ids that no software reads as anything but themselves. */
const plain = /^[\w-]+$/;

/**
 * Answers are wrong for products with unusual ids alone, and right for others: answers for all products are, too, or their totals
 * are wrong by as much as those of these products together.
 */
function unusualIds({ answers, wrong }: AnswerEvidence): Row[] {
  const areSums = sumsFit(wrong.total_sessions);
  const isUnusual = ({ query: { productId } }: AnswerRow): boolean =>
    productId !== null && !plain.test(productId);
  const all = answerFields.flatMap((field) => wrong[field]);
  const isPlain = (row: AnswerRow): boolean => row.query.productId !== null && !isUnusual(row);
  const products = [...new Set(all.filter(isUnusual).flatMap(({ query }) => query.productId ?? []))];
  const isOtherRight = (field: AnswerField): boolean =>
    answers.some((answer) => isPlain(answer.row) && asJudged(answer, field) === 'fits');
  return products.length === 0 || all.some(isPlain)
    ? []
    : [
        {
          suspect: () => fits('product-id-misread', { products: products.toSorted() }),
          fields: answerFields.filter((field) => wrong[field].some(isUnusual) && isOtherRight(field)),
          // What goes wrong with such ids, where nothing says how.
          ...{ price: 9, isLoose: true },
          isShownByZeros: true,
          fit: ofWrong((row) => isUnusual(row) || (areSums && row.query.productId === null)),
        },
      ];
}

/** Whether each wrong total of all products is off by what the wrong totals of single products are off by together. */
function sumsFit(wrong: readonly AnswerRow[]): boolean {
  const offBy = ({ totalSessions: { expected, returned } }: AnswerRow): number =>
    expected === null || returned === null || expected.min !== expected.max
      ? Number.NaN
      : expected.min - returned;
  const ofProducts = new Map(wrong.map((row) => [row.query.productId, offBy(row)]));
  ofProducts.delete(null);
  const sum = [...ofProducts.values()].reduce((total, each) => total + each, 0);
  const ofAll = wrong.filter(({ query }) => query.productId === null);
  return ofAll.length > 0 && ofAll.every((row) => offBy(row) === sum);
}

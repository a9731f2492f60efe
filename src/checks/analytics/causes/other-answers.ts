import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { roles } from '../../../vocabulary/roles.ts';
import { fits } from '../../causes/cause.ts';
import { admitted } from '../../core/found.ts';
import { type AnswerRow, cellNames } from '../compare/answer-row.ts';
import { type AnswerEvidence, asJudged, isTelling, ofWrong, type Row } from './row.ts';

/** Wrong answers that are right answers to another question, or to the same one before: caches, and parameters that are ignored. */

/** An answer that is word for word that to another request. */
const twinRow = z.object({
  seq: z.number(),
  other: z.number(),
  at_once: z.boolean(),
  earlier: z.boolean(),
  same_dates: z.boolean(),
  same_product: z.boolean(),
  lag_ms: z.number(),
  total: z.number(),
});
type Twin = z.output<typeof twinRow>;

export async function otherAnswerRows(history: History, evidence: AnswerEvidence): Promise<Row[]> {
  const wrong = new Set(answerFields.flatMap((field) => evidence.wrong[field]).map(({ seq }) => seq));
  if (wrong.size === 0) return [];
  const twins = await twinsOf(history, [...wrong]);
  const { freshness: promisedMs } = history.profile.analytics;
  const stale = twins.filter((each) => each.earlier && each.same_dates && each.same_product);
  const overtaken = stale.length === 0 ? new Set() : await overtakenBy(history, [...wrong], promisedMs);
  const { rows } = evidence.table;
  const isSomeRight = rows.some(
    ({ seq, totalSessions: { returned } }) => !wrong.has(seq) && (returned ?? 0) > 0,
  );
  const isOfAllWrong = rows.some(({ query, seq }) => query.productId === null && wrong.has(seq));
  const seqs = (some: readonly Twin[]): Set<number> => new Set(some.map(({ seq }) => seq));
  const aged = stale.filter(({ other, seq }) => overtaken.has(`${seq} ${other}`) && !wrong.has(other));
  const lagMs = Math.max(...aged.map(({ lag_ms }) => lag_ms));
  // Zeros are stale as well, but alike in much else that counts nothing.
  const isTold = aged.some(({ total }) => total > 0);
  return [
    {
      ...taken(
        isSomeRight ? seqs(aged) : new Set(),
        () => fits('stale-analytics', { lagMs, promisedMs }),
        isTold ? 0 : 1.8,
      ),
      isShownByZeros: true,
    },
    taken(
      seqs(
        twins.filter(
          (each) => each.at_once && !(each.same_dates && each.same_product) && !wrong.has(each.other),
        ),
      ),
      () => fits('answers-of-others-at-once', {}),
      0,
    ),
    // One of them is for all products, and has the numbers of one: a filter that is ignored, or too wide, gives no such answer.
    taken(
      isOfAllWrong
        ? seqs(twins.filter((each) => each.earlier && each.same_dates && !each.same_product))
        : new Set(),
      ({ fields }) => fits('answers-mixed-up', { fields }),
      0,
    ),
    ...takenFrom(evidence),
    ...unfiltered(evidence),
    lastDays(evidence),
  ];
}

/** Those answers, and no others, are taken from elsewhere. */
const taken = (seqs: ReadonlySet<number>, suspect: Row['suspect'], price: number): Row => ({
  ...{ suspect, price, fields: answerFields, isLoose: true },
  fit: ofWrong(({ seq }) => seqs.has(seq)),
});

/** SQL, after WITH: `asked`, every query of analytics that was answered, with its answer. */
const askedSql = `asked AS (
  SELECT seq, r.sent_ns, r.answered_ns, r.credential, a.body, a.query ->> 'start_date' AS start_date,
    a.query ->> 'end_date' AS end_date, a.query ->> 'product_id' AS product
  FROM answers a JOIN requests r USING (seq) WHERE r.endpoint = 'analytics' AND r.sent_ns IS NOT NULL)`;

/** Zeros are alike everywhere, and show nothing but of the same question. */
async function twinsOf(history: History, wrong: readonly number[]): Promise<Twin[]> {
  return history.rows(
    twinRow,
    `WITH ${askedSql}
     SELECT w.seq, e.seq AS other, e.sent_ns <= w.answered_ns AND w.sent_ns <= e.answered_ns AS at_once,
       e.credential = w.credential AND e.sent_ns < w.sent_ns AS earlier,
       (e.start_date, e.end_date) IS NOT DISTINCT FROM (w.start_date, w.end_date) AS same_dates,
       e.product IS NOT DISTINCT FROM w.product AS same_product, (w.sent_ns - e.answered_ns) / 1e6 AS lag_ms,
       TRY_CAST(w.body ->> 'total_sessions' AS DOUBLE) AS total
     FROM asked w JOIN asked e ON e.seq != w.seq AND e.body = w.body
     WHERE (total > 0 OR total = 0 AND earlier AND same_dates AND same_product) AND w.seq IN (${wrong.join(', ')})
     ORDER BY w.seq, e.seq`,
  );
}

/** Wrong answers, and earlier ones to the same question, between which a session was created: `SEQ OTHER`. */
async function overtakenBy(
  history: History,
  wrong: readonly number[],
  promisedMs: number,
): Promise<Set<string>> {
  const freshNs = promisedMs * 1e6;
  const found = await history.rows(
    z.object({ seq: z.number(), other: z.number() }),
    `WITH ${askedSql}
     SELECT w.seq, min(e.seq) AS other
     FROM asked w JOIN asked e ON e.credential = w.credential AND e.start_date = w.start_date AND e.end_date = w.end_date
       AND e.product IS NOT DISTINCT FROM w.product AND e.body = w.body AND e.answered_ns + ${freshNs} < w.sent_ns
     WHERE w.seq IN (${wrong.join(', ')}) AND EXISTS (
       FROM requests c WHERE c.endpoint = 'create-session' AND c.${admitted} AND c.credential = w.credential
         AND (w.product IS NULL OR c.product_id = w.product)
         AND c.sent_ns > e.answered_ns AND c.answered_ns + ${freshNs} < w.sent_ns)
     GROUP BY w.seq`,
  );
  return new Set(found.map(({ other, seq }) => `${seq} ${other}`));
}

const textOf = (row: AnswerRow, fields: readonly AnswerField[] = answerFields): string =>
  JSON.stringify(fields.map((field) => row[cellNames[field]].returned));

/** Wrong answers that are the answer to another question of the run, by how that differs from their own. */
function takenFrom({ table: { rows }, wrong }: AnswerEvidence): Row[] {
  const isRight = ({ totalSessions }: AnswerRow): boolean =>
    totalSessions.verdict === 'pass' && (totalSessions.returned ?? 0) > 0;
  const latest = rows
    .filter(isRight)
    .map(({ query }) => query.endDate)
    .reduce((one, other) => (other > one ? other : one), '');
  type IsOther = (row: AnswerRow, other: AnswerRow) => boolean;
  const isTaken = (row: AnswerRow, isOther: IsOther, fields: readonly AnswerField[]): boolean =>
    rows.some((other) => isOther(row, other) && textOf(other, fields) === textOf(row, fields));
  const from = (suspect: Row['suspect'], isOther: IsOther, isByField = false): Row => ({
    ...{ suspect, fields: answerFields, price: 1 },
    // Right answers to their own question say that it is so at times.
    isLoose: rows.some(
      (row) =>
        row.totalSessions.verdict === 'pass' &&
        rows.some((other) => isOther(row, other)) &&
        !isTaken(row, isOther, ['total_sessions']),
    ),
    fit: ofWrong((row, field) => isTaken(row, isOther, isByField ? [field] : answerFields)),
  });
  // Of all products, which the key of another account gets as well: the account is no part of that query.
  const isOfOtherKey = ({ query }: AnswerRow, other: AnswerRow): boolean =>
    query.productId === null &&
    other.query.productId === null &&
    other.query.credential !== query.credential &&
    isTelling(other, 'total_sessions');
  const shared = wrong.total_sessions.flatMap((row) => [
    row,
    ...rows.filter((other) => isOfOtherKey(row, other) && textOf(other) === textOf(row)).slice(0, 1),
  ]);
  const accounts = roles.filter((role) => shared.some(({ query }) => query.credential === role));
  return [
    // Of the product that was asked for just before. None is like any other, and shows nothing.
    from(
      ({ fields }) => fits('answers-mixed-up', { fields }),
      (row, before) =>
        rows[rows.indexOf(row) - 1] === before &&
        row.query.productId !== null &&
        before.query.productId !== null &&
        row.query.productId !== before.query.productId &&
        before.totalSessions.verdict === 'pass' &&
        (row.topShades.returned?.length ?? 0) > 0,
    ),
    // Of a longer period. One that names another period as well is rather the answer to another question.
    ...(['start_date', 'end_date'] as const).map((bound) =>
      from(
        () => fits('period-bound-ignored', { bound }),
        (row, longer) =>
          row.period.verdict !== 'fail' && isRight(longer) && isWithout(bound, row, longer, latest),
        true,
      ),
    ),
    from(() => fits('analytics-pool-accounts', { accounts }), isOfOtherKey),
  ];
}

/**
 * Whether an answer is that to the question of another one without a bound. Before the first session no start makes a difference,
 * and beyond the latest period with sessions no end does.
 */
function isWithout(
  bound: 'start_date' | 'end_date',
  { query }: AnswerRow,
  { query: longer }: AnswerRow,
  latest: string,
): boolean {
  if (query.credential !== longer.credential || query.productId !== longer.productId) return false;
  return bound === 'start_date'
    ? (query.endDate > latest ? latest : query.endDate) === longer.endDate &&
        longer.startDate < query.startDate
    : query.startDate <= longer.startDate && longer.endDate > query.endDate;
}

/**
 * The answer for all products in the same period, in each field that it is wrong in: in all answers for products, or in some. Where
 * no request was for all products in that period, the wrong answer is that of another one.
 */
function unfiltered({ table: { rows } }: AnswerEvidence): Row[] {
  const wholes = rows.filter(({ query }) => query.productId === null);
  return [false, true].map((isAtTimes) => ({
    suspect: ({ fields }) => fits('product-filter-ignored', { fields }),
    // Fractions of small numbers are equal by accident at times.
    fields: isAtTimes ? ['total_sessions', 'top_shades'] : answerFields,
    price: isAtTimes ? 2 : 1,
    fit: (answer, field) => {
      const { row } = answer;
      const judged = asJudged(answer, field);
      if (row.query.productId === null || (isAtTimes && judged !== 'misfits')) return judged;
      const own = wholes.filter(({ query }) => isSamePeriod(row, query));
      if (own.length === 0 && judged !== 'misfits') return judged;
      const asked =
        own.length > 0 ? own : wholes.filter(({ query }) => query.credential === row.query.credential);
      const isWhole = (whole: AnswerRow): boolean =>
        whole[cellNames[field]].verdict !== 'fail' && textOf(whole, [field]) === textOf(row, [field]);
      return asked.some(isWhole) ? 'fits' : 'misfits';
    },
  }));
}

const isSamePeriod = ({ query }: AnswerRow, other: AnswerRow['query']): boolean =>
  query.credential === other.credential &&
  query.startDate === other.startDate &&
  query.endDate === other.endDate;

/**
 * Totals of several days that lack just those of their last day, where that day alone has them. A convention would leave it
 * out of all periods.
 */
function lastDays({ table: { rows } }: AnswerEvidence): Row {
  const isLastDay = ({ query: { credential, endDate, productId } }: AnswerRow, day: AnswerRow): boolean =>
    day.query.startDate === endDate &&
    day.query.endDate === endDate &&
    day.query.credential === credential &&
    day.query.productId === productId &&
    day.totalSessions.verdict === 'pass' &&
    (day.totalSessions.expected?.min ?? 0) > 0;
  return {
    suspect: () => fits('last-day-left-out', {}),
    fields: ['total_sessions'],
    price: 1,
    isShownByZeros: true,
    fit: (answer, field) => {
      const { query, totalSessions } = answer.row;
      const day =
        query.startDate === query.endDate ? undefined : rows.find((each) => isLastDay(answer.row, each));
      if (day === undefined) return asJudged(answer, field);
      const [whole, last] = [totalSessions.expected, day.totalSessions.expected];
      if (whole === null || last === null || totalSessions.returned === null) return 'unknown';
      return totalSessions.returned >= whole.min - last.max && totalSessions.returned <= whole.max - last.min
        ? 'fits'
        : 'misfits';
    },
  };
}

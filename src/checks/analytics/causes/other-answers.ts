import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import { parsedJson } from '../../../target/json.ts';
import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { roles } from '../../../vocabulary/roles.ts';
import { fits } from '../../causes/cause.ts';
import { admitted } from '../../core/found.ts';
import { type AnswerRow, cellNames } from '../compare/answer-row.ts';
import { type Query, type Returned, returnedIn } from '../record/questions.ts';
import { type AnswerEvidence, asJudged, isTelling, ofWrong, type Row } from './row.ts';

/** Wrong answers that are right answers to another question, or to the same one before: caches, and parameters that are ignored. */

/** A question at some instant of the run, and its answer. */
interface GivenAnswer extends Pick<Query, 'credential' | 'startDate' | 'endDate' | 'productId'> {
  readonly seq: number;
  readonly sentNs: number;
  readonly answeredNs: number;
  readonly returned: Returned;
  /** Undefined where it is not judged: asked while sessions were created, or before. */
  readonly row: AnswerRow | undefined;
}

/** Where a wrong answer may come from. */
interface Source {
  readonly suspect: Row['suspect'];
  readonly isOf: (own: GivenAnswer, other: GivenAnswer) => boolean;
  readonly price: number;
  readonly fields?: readonly AnswerField[];
  /** Each field by itself: what is ignored for one may not be for another. */
  readonly isByField?: boolean;
  /** Right answers have to have it, too, or it is so at times alone. */
  readonly isRule?: boolean;
  readonly isShownByZeros?: boolean;
}

export async function otherAnswerRows(history: History, evidence: AnswerEvidence): Promise<Row[]> {
  const wrong = new Set(answerFields.flatMap((field) => evidence.wrong[field]).map(({ seq }) => seq));
  if (wrong.size === 0) return [];
  const asked = await askedIn(history, evidence, wrong);
  const bySeq = new Map(asked.map((each) => [each.seq, each]));
  const isTaken = (own: GivenAnswer, { isOf }: Source, fields: readonly AnswerField[]): boolean =>
    asked.some((other) => other !== own && isOf(own, other) && textOf(other, fields) === textOf(own, fields));
  const sources = [
    await before(history, evidence, asked, wrong),
    ...caches(asked, wrong),
    ...ignored(asked, wrong),
  ];
  const rows = sources.map((source): Row => {
    const { fields = answerFields, isByField = false, isOf, isRule = false, isShownByZeros = false } = source;
    return {
      ...{ suspect: source.suspect, fields, price: source.price, isShownByZeros },
      isLoose:
        !isRule ||
        asked.some(
          (own) =>
            own.row?.totalSessions.verdict === 'pass' &&
            asked.some((other) => other.row !== undefined && isOf(own, other)) &&
            !isTaken(own, source, ['total_sessions']),
        ),
      fit: ofWrong(({ seq }, field) => {
        const own = bySeq.get(seq);
        return own !== undefined && isTaken(own, source, isByField ? [field] : answerFields);
      }),
    };
  });
  return [...rows, lastDays(evidence)];
}

const askedRow = z.object({ seq: z.number(), sentNs: z.number(), answeredNs: z.number() }).extend({
  credential: z.enum(roles),
  startDate: z.string(),
  endDate: z.string(),
  productId: z.string().nullable(),
  body: z.string().transform((text) => returnedIn(parsedJson(text))),
});

/** The judged answers, and those that are word for word a wrong one, whenever they were asked for. */
async function askedIn(
  history: History,
  { table: { rows } }: AnswerEvidence,
  wrong: ReadonlySet<number>,
): Promise<GivenAnswer[]> {
  const byRow = new Map(rows.map((row) => [row.seq, row]));
  const found = await history.rows(
    askedRow,
    `SELECT seq, r.sent_ns AS sentNs, r.answered_ns AS answeredNs, r.credential, a.query ->> 'start_date' AS startDate,
       a.query ->> 'end_date' AS endDate, a.query ->> 'product_id' AS productId, CAST(a.body AS VARCHAR) AS body
     FROM answers a JOIN requests r USING (seq)
     WHERE r.endpoint = 'analytics' AND r.status BETWEEN 200 AND 299 AND startDate IS NOT NULL AND endDate IS NOT NULL
       AND r.credential IN (${roles.map((role) => sqlText(role)).join(', ')})
       AND (seq IN (${[...byRow.keys()].join(', ')}) OR a.body IN (SELECT body FROM answers WHERE seq IN (${[...wrong].join(', ')})))
     ORDER BY seq`,
  );
  return found.flatMap(({ body, ...each }) =>
    body === undefined ? [] : [{ ...each, returned: body, row: byRow.get(each.seq) }],
  );
}

const textOf = ({ returned }: GivenAnswer, fields: readonly AnswerField[]): string =>
  JSON.stringify(fields.map((field) => returned[cellNames[field]]));

const isSameKey = (one: GivenAnswer, other: GivenAnswer): boolean => one.credential === other.credential;
const isSameProduct = (one: GivenAnswer, other: GivenAnswer): boolean => one.productId === other.productId;
const areSameDates = (one: GivenAnswer, other: GivenAnswer): boolean =>
  one.startDate === other.startDate && one.endDate === other.endDate;
const isEarlier = (own: GivenAnswer, other: GivenAnswer): boolean => other.answeredNs < own.sentNs;
/** Its list names shades: no other question has it by accident. */
const isDistinct = ({ returned }: GivenAnswer): boolean => (returned.topShades?.length ?? 0) > 0;

/** The answer to the same question before, although a session has been created since. */
async function before(
  history: History,
  { table }: AnswerEvidence,
  asked: readonly GivenAnswer[],
  wrong: ReadonlySet<number>,
): Promise<Source> {
  const { freshness: promisedMs } = history.profile.analytics;
  const pairs = asked.flatMap((own) => {
    if (!wrong.has(own.seq)) return [];
    const other = asked.find(
      (each) =>
        each.answeredNs + promisedMs * 1e6 < own.sentNs &&
        isSameKey(own, each) &&
        isSameProduct(own, each) &&
        areSameDates(own, each) &&
        textOf(each, answerFields) === textOf(own, answerFields),
    );
    // In other periods it counted already.
    const isCounted = asked.some(
      (each) =>
        each.answeredNs < own.sentNs &&
        isSameKey(own, each) &&
        isSameProduct(own, each) &&
        !areSameDates(own, each) &&
        each.row?.totalSessions.verdict === 'pass' &&
        isTelling(each.row, 'total_sessions'),
    );
    const isStale =
      other !== undefined && !wrong.has(other.seq) && !(isCounted && own.returned.totalSessions === 0);
    return isStale ? [{ own, other }] : [];
  });
  // Where nothing counts at all, it may be late as well.
  const isSomeRight = table.rows.some(
    ({ seq, totalSessions: { returned } }) => !wrong.has(seq) && (returned ?? 0) > 0,
  );
  const isNothing = table.rows.every(({ totalSessions: { returned } }) => returned === 0);
  const overtaken =
    pairs.length === 0 || !(isSomeRight || isNothing)
      ? []
      : await history.rows(
          z.object({ own: z.number() }),
          `SELECT p.own FROM (VALUES ${pairs.map(({ other, own }) => `(${own.seq}, ${other.seq})`).join(', ')}) AS p(own, other)
           JOIN requests w ON w.seq = p.own JOIN requests e ON e.seq = p.other
           WHERE EXISTS (
             FROM requests c WHERE c.endpoint = 'create-session' AND c.${admitted} AND c.credential = w.credential
               AND (w.product_id IS NULL OR c.product_id = w.product_id)
               AND c.sent_ns > e.answered_ns AND c.answered_ns + ${promisedMs * 1e6} < w.sent_ns)`,
        );
  const aged = pairs.filter(({ own }) => overtaken.some((each) => each.own === own.seq));
  const lagMs = Math.max(...aged.map(({ other, own }) => (own.sentNs - other.answeredNs) / 1e6));
  return {
    suspect: () => fits('stale-analytics', { lagMs, promisedMs }),
    isOf: (own, other) => aged.some((pair) => pair.own === own && pair.other === other),
    // Zeros are stale as well, but alike in much else that counts nothing.
    price: aged.some(({ own }) => (own.returned.totalSessions ?? 0) > 0) ? 0 : 1.8,
    isShownByZeros: true,
  };
}

/** The answer to another question, which a cache without a part of the question gives, or one under way. */
function caches(asked: readonly GivenAnswer[], wrong: ReadonlySet<number>): Source[] {
  // An ignored filter gives products the answer for all of them; a cache gives that for a product, too.
  const isFilterIgnored = (own: GivenAnswer, other: GivenAnswer): boolean =>
    own.productId !== null && other.productId === null;
  const isBefore = (own: GivenAnswer, other: GivenAnswer): boolean =>
    isEarlier(own, other) && isSameKey(own, other) && isDistinct(other);
  const isOfProduct = (own: GivenAnswer, other: GivenAnswer): boolean =>
    isBefore(own, other) && areSameDates(own, other) && !isSameProduct(own, other);
  const isAlike = (own: GivenAnswer, other: GivenAnswer): boolean =>
    textOf(own, answerFields) === textOf(other, answerFields);
  // Where no answer for a product is right, all of them may just as well be those for all products.
  const isFiltered = asked.some(
    ({ productId, row }) =>
      productId !== null && row?.totalSessions.verdict === 'pass' && isTelling(row, 'total_sessions'),
  );
  const isUnfiltered = (own: GivenAnswer): boolean =>
    asked.some((all) => isFilterIgnored(own, all) && areSameDates(own, all) && isAlike(own, all));
  const isAnyOfProduct = asked.some(
    (own) =>
      wrong.has(own.seq) &&
      (isFiltered || !isUnfiltered(own)) &&
      asked.some((other) => isOfProduct(own, other) && !isFilterIgnored(own, other) && isAlike(own, other)),
  );
  const isOfDates = (own: GivenAnswer, other: GivenAnswer): boolean =>
    isBefore(own, other) && isSameProduct(own, other) && !areSameDates(own, other);
  const isNamed = asked.some(({ row }) => row?.period.verdict === 'fail');
  return [
    {
      suspect: ({ fields }) => fits('answers-mixed-up', { fields, lacks: 'product_id' }),
      // Once some list shows it, right zeros of another product are its answer as well.
      isOf: (own, other) =>
        isAnyOfProduct &&
        (isOfProduct(own, other) ||
          (isEarlier(own, other) &&
            isSameKey(own, other) &&
            areSameDates(own, other) &&
            other.row?.totalSessions.verdict === 'pass')),
      price: 0,
    },
    {
      suspect: ({ fields }) => fits('answers-mixed-up', { fields, lacks: 'dates' }),
      isOf: (own, other) =>
        isOfDates(own, other) && (!isNamed || own.returned.period === other.returned.period),
      // Many conventions make one period of another; none gives the name of it.
      price: isNamed ? 0 : 1.4,
    },
    {
      suspect: () => fits('answers-of-others-at-once', {}),
      isOf: (own, other) =>
        other.sentNs <= own.answeredNs &&
        own.sentNs <= other.answeredNs &&
        !(areSameDates(own, other) && isSameProduct(own, other)) &&
        (other.returned.totalSessions ?? 0) > 0 &&
        !wrong.has(other.seq),
      price: 0,
    },
  ];
}

/** The answer to the same question without one of its parameters. */
function ignored(asked: readonly GivenAnswer[], wrong: ReadonlySet<number>): Source[] {
  const isRight = ({ row }: GivenAnswer): boolean =>
    row?.totalSessions.verdict === 'pass' && (row.totalSessions.returned ?? 0) > 0;
  const right = asked.filter(isRight);
  const latest = right.map(({ endDate }) => endDate).reduce((one, other) => (other > one ? other : one), '');
  const earliest = right
    .map(({ startDate }) => startDate)
    .reduce((one, other) => (other < one ? other : one), latest);
  const isLongest = (own: GivenAnswer, other: GivenAnswer): boolean =>
    other.startDate === earliest &&
    other.endDate === latest &&
    isSameKey(own, other) &&
    isSameProduct(own, other) &&
    !areSameDates(own, other) &&
    isRight(other);
  const empty = asked.find(
    (own) =>
      own.row?.totalSessions.expected?.max === 0 &&
      (own.returned.totalSessions ?? 0) > 0 &&
      asked.some((other) => isLongest(own, other)),
  );
  // Of all products, which the key of another account gets as well: the account is no part of that query.
  const isOfOtherKey = (own: GivenAnswer, other: GivenAnswer): boolean =>
    own.productId === null &&
    other.productId === null &&
    !isSameKey(own, other) &&
    other.row !== undefined &&
    isTelling(other.row, 'total_sessions');
  const shared = asked.flatMap((own) => {
    if (!wrong.has(own.seq)) return [];
    const other = asked.find(
      (each) => isOfOtherKey(own, each) && textOf(each, answerFields) === textOf(own, answerFields),
    );
    return other === undefined ? [own] : [own, other];
  });
  const accounts = roles.filter((role) => shared.some(({ credential }) => credential === role));
  return [
    {
      suspect: ({ fields }) => fits('product-filter-ignored', { fields }),
      isOf: (own, other) =>
        own.productId !== null &&
        other.productId === null &&
        isSameKey(own, other) &&
        // Where no request was for all products in that period, it is the answer of another one.
        (areSameDates(own, other) ||
          !asked.some((each) => each.productId === null && isSameKey(own, each) && areSameDates(own, each))),
      // Fractions of small numbers are equal by accident at times.
      fields: ['total_sessions', 'top_shades'],
      price: 2,
      ...{ isByField: true, isRule: true },
    },
    {
      suspect: () =>
        fits('dates-ignored', {
          period: `${empty?.startDate} / ${empty?.endDate}`,
          sessions: empty?.returned.totalSessions ?? 0,
        }),
      isOf: (own, longer) =>
        empty !== undefined && own.row?.period.verdict !== 'fail' && isLongest(own, longer),
      price: 1.05,
      ...{ isByField: true, isRule: true },
    },
    // Of a longer period. One that names another period as well is rather the answer to another question.
    ...(['start_date', 'end_date'] as const).map(
      (bound): Source => ({
        suspect: () => fits('period-bound-ignored', { bound }),
        isOf: (own, longer) =>
          own.row?.period.verdict !== 'fail' && isRight(longer) && isWithout(bound, own, longer, latest),
        price: 1,
        ...{ isByField: true, isRule: true },
      }),
    ),
    {
      suspect: () => fits('analytics-pool-accounts', { accounts }),
      isOf: isOfOtherKey,
      ...{ price: 1, isRule: true },
    },
  ];
}

/**
 * Whether an answer is that to the question of another one without a bound. Before the first session no start makes a difference,
 * and beyond the latest period with sessions no end does.
 */
function isWithout(
  bound: 'start_date' | 'end_date',
  own: GivenAnswer,
  longer: GivenAnswer,
  latest: string,
): boolean {
  if (!isSameKey(own, longer) || !isSameProduct(own, longer)) return false;
  return bound === 'start_date'
    ? (own.endDate > latest ? latest : own.endDate) === longer.endDate && longer.startDate < own.startDate
    : own.startDate <= longer.startDate && longer.endDate > own.endDate;
}

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

import { answerFields, type MeanField, meanFields } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type AnswerRow, cellNames } from '../compare/answer-row.ts';
import { within } from '../compare/fit.ts';
import { type AnswerEvidence, asJudged, type Explained, type Row } from './row.ts';

/** Values that are written otherwise than they should be: each is a plain function of what is expected. */

/** Off by more than this, a total is no estimate. */
const mostOff = { oneSided: 0.05, both: 0.2 } as const;
/** To which a mean over another total is compared: rounding may be that coarse. */
const fewestDecimals = 2;
/** A part of the sessions is counted, and the count multiplied. */
const samples = [2, 3, 4, 5, 8, 10, 16, 20, 25, 50, 100];
/** Where counters begin again. */
const wraps = [2 ** 7, 2 ** 8, 2 ** 15, 2 ** 16];
/** Standard deviations that a sample may be off by. */
const mostDeviations = 4;

interface Written {
  readonly suspect: (explained: Explained) => Suspect;
  readonly fields: readonly (MeanField | 'total_sessions')[];
  readonly price: number;
  readonly isValue: (
    value: number,
    expected: Bounds,
    row: AnswerRow,
    field: MeanField | 'total_sessions',
  ) => boolean;
  /** Answers for all products are right. */
  readonly isOfProducts?: boolean;
}

export function valueRows(evidence: AnswerEvidence): Row[] {
  const { decimals } = evidence.history.profile.analytics;
  const written = [
    ...percentages(evidence, decimals),
    ...coarser(decimals),
    ...capped(evidence),
    ...estimates(evidence),
    ...wrapped(),
    notZero(decimals),
  ].map(writtenRow);
  return [...written, ...sampled(evidence)];
}

function writtenRow({ fields, isOfProducts = false, isValue, price, suspect }: Written): Row {
  return {
    suspect,
    fields,
    price,
    fit: (answer, field) => {
      if (field === 'top_shades') return 'unknown';
      const { expected, returned } = answer.row[cellNames[field]];
      if (isOfProducts && answer.row.query.productId === null) return asJudged(answer, field);
      if (returned === null || expected === null) return 'unknown';
      if (asJudged(answer, field) === 'unknown') return 'unknown';
      return isValue(returned, expected, answer.row, field) ? 'fits' : 'misfits';
    },
  };
}

function percentages({ wrong }: AnswerEvidence, decimals: number): Written[] {
  const values = wrong.cart_intent_rate.map(({ cartIntentRate: { returned } }) => returned ?? 0);
  // At most 1, it is a fraction.
  const got = values.find((value) => value > 1);
  return got === undefined
    ? []
    : [
        {
          suspect: () => fits('rate-as-percentage', { got }),
          fields: ['cart_intent_rate'],
          price: 1,
          // Of sessions that are not all known, it may be any.
          isValue: (value, expected, { totalSessions }) =>
            totalSessions.verdict === 'inconclusive' ? value <= 100 : within(value / 100, expected, decimals),
        },
      ];
}

/** The fraction cut off; rounded, or cut, to fewer decimals than are promised: to the most that explain every value. */
function coarser(promised: number): Written[] {
  const rounded = Array.from({ length: promised }, (_, less): Written => {
    const decimals = promised - 1 - less;
    const scale = 10 ** decimals;
    return {
      suspect: ({ fields }) => fits('rounded-too-far', { fields, decimals }),
      fields: meanFields,
      price: 1.5 + less / 100,
      isValue: (value, expected) =>
        Math.abs(value * scale - Math.round(value * scale)) < 1e-9 &&
        (within(value, expected, decimals) || within(value + 0.5 / scale, expected, decimals)),
    };
  });
  return [
    {
      suspect: ({ fields }) => fits('integer-division', { fields }),
      fields: meanFields,
      price: 1,
      isValue: (value, { max, min }) => Number.isInteger(value) && value <= max && value > min - 1,
    },
    ...rounded,
  ];
}

/** Wrong totals of different questions that are all one number. */
function capped({ wrong }: AnswerEvidence): Written[] {
  const { total_sessions: rows } = wrong;
  const most = rows[0]?.totalSessions.returned ?? 0;
  // The same sessions in two periods give one number without a cap.
  const questions = new Set(rows.map(({ totalSessions: { expected } }) => expected?.min)).size;
  if (most === 0 || questions < 2) return [];
  return [
    {
      suspect: () => fits('total-capped', { most }),
      fields: ['total_sessions'],
      price: 1,
      isOfProducts: rows.every(({ query }) => query.productId !== null),
      isValue: (value, { max, min }) => value >= Math.min(min, most) && value <= Math.min(max, most),
    },
  ];
}

/**
 * An estimate is as often too low as too high: this many that are all too low, or all too high, are no chance. Sessions without
 * events that are missing, or too many, change averages as an estimate would, but in one direction. Ours.
 */
const fewestOneSided = 6;

/** Totals that are off at random, in answers that are right otherwise: a session that is lost changes their averages, too. */
function estimates({ wrong }: AnswerEvidence): Written[] {
  const { total_sessions: rows } = wrong;
  const offBy = ({ totalSessions: { expected, returned } }: AnswerRow): number =>
    expected === null || returned === null || expected.max === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(expected.min - returned, returned - expected.max, 0) / expected.max;
  const isDivisor = !rows.every(isRightOtherwise);
  if (
    isDivisor &&
    !rows.every((row) => row.topShades.verdict === 'pass' && meanFields.every(isDividedIn(row)))
  )
    return [];
  const over = rows.flatMap(({ totalSessions: { expected, returned } }) =>
    returned !== null && expected !== null && returned > expected.max ? returned - expected.max : [],
  );
  const different = new Set(rows.map(({ totalSessions }) => JSON.stringify(totalSessions))).size;
  const isOneSided = over.length === 0 || over.length === rows.length;
  const most = isOneSided ? mostOff.oneSided : mostOff.both;
  return [
    {
      suspect: () => fits('total-approximate', { offBy: Math.max(...rows.map(offBy)) }),
      fields:
        isOneSided && (isDivisor || different >= fewestOneSided)
          ? []
          : ['total_sessions', ...(isDivisor ? meanFields : [])],
      price: 2,
      isValue: (value, { max, min }, row, field) =>
        field === 'total_sessions'
          ? value >= min * (1 - most) - 0.5 && value <= max * (1 + most) + 0.5
          : isDividedIn(row)(field),
    },
    {
      suspect: () => fits('sessions-counted-twice', { more: Math.max(...over) }),
      fields: over.length === rows.length && !isDivisor ? ['total_sessions'] : [],
      price: 2.5,
      isValue: (value, { max, min }) => value >= min && value <= 2 * max,
    },
  ];
}

/** Whether a mean is right over the total that its answer gives, be that wrong. */
function isDividedIn(row: AnswerRow): (field: MeanField) => boolean {
  const { expected: total, returned: divisor } = row.totalSessions;
  return (field) => {
    const { expected, returned } = row[cellNames[field]];
    if (expected === null || returned === null || total === null || !divisor) return true;
    const sum = { min: expected.min * total.min, max: expected.max * total.max };
    return within(returned, { min: sum.min / divisor, max: sum.max / divisor }, fewestDecimals);
  };
}

/** Numbers of a part of the sessions, multiplied: of all answers, or of those that are wrong. */
function sampled({ answers, wrong }: AnswerEvidence): Row[] {
  const rows = wrong.total_sessions;
  const isAlone = rows.every(isRightOtherwise);
  const numbersOf = ({ topShades, totalSessions }: AnswerRow): number[] => [
    totalSessions.returned ?? 0,
    ...(isAlone ? [] : (topShades.returned ?? []).map(({ selections }) => selections)),
  ];
  const numbers = (isAlone ? answers.map(({ row }) => row) : rows.slice(0, 1)).flatMap(numbersOf);
  const found = samples
    .toReversed()
    .filter(
      (every) =>
        numbers.every((number) => number % every === 0) && every ** numbers.filter(Boolean).length > 100,
    );
  return found.map((every) => ({
    suspect: () => fits('total-sampled', { every }),
    fields: isAlone ? ['total_sessions'] : answerFields,
    price: 1,
    fit: (answer, field) => {
      const judged = asJudged(answer, field);
      if (judged !== 'misfits' && !isAlone) return judged;
      const { expected, returned } = answer.row.totalSessions;
      if (expected === null || returned === null) return 'unknown';
      const slack = every + mostDeviations * Math.sqrt(expected.max * (every - 1));
      const isSample = returned >= expected.min - slack && returned <= expected.max + slack;
      return isSample && numbersOf(answer.row).every((number) => number % every === 0) ? 'fits' : 'misfits';
    },
  }));
}

/** Only the total is wrong: an average and a rate over other sessions would be others. */
export function isRightOtherwise({ avgShadesPerSession, cartIntentRate, topShades }: AnswerRow): boolean {
  return [avgShadesPerSession, cartIntentRate, topShades].every(({ verdict }) => verdict === 'pass');
}

/** A counter that begins again. */
function wrapped(): Written[] {
  return wraps.map((at) => ({
    suspect: () => fits('total-wraps', { at }),
    fields: ['total_sessions'],
    price: 1.2,
    isValue: (value, { max, min }) =>
      value >= -at &&
      value < at &&
      [min, max].some((end) => (((end - value) % at) + at) % at === 0 && max - min < at),
  }));
}

/** A mean over no session. */
function notZero(decimals: number): Written {
  return {
    suspect: ({ fields }) => fits('empty-answer-not-zero', { fields }),
    fields: meanFields,
    price: 1,
    isValue: (value, expected, { totalSessions: { returned } }) =>
      returned === 0 ? value !== 0 : within(value, expected, decimals),
  };
}

import type { History } from '../../../history/history.ts';
import { answerFields, type MeanField, type Measure, meanFields } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { fits } from '../../causes/cause.ts';
import { within } from '../compare/fit.ts';
import { cellNames, hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';

/** Totals, averages and rates that have a plain relation to what they should be. */
export function valueHypotheses(history: History, table: AnalyticsTable): SuspectHypothesis[] {
  const { decimals } = history.profile.analytics;
  return [
    ...percentages(table, decimals),
    ...wholeNumbers(table),
    ...roundings(table, decimals),
    ...copied(table, decimals),
    ...estimates(table),
    ...capped(table),
    ...withoutEvents(table),
    ...othersAtWork(history, table),
  ];
}

/** A value that came back, and what it should be. */
interface CheckedValue {
  readonly value: number;
  readonly expected: Bounds;
  readonly isWrong: boolean;
}

function pairsOf({ rows }: AnalyticsTable, field: MeanField): CheckedValue[] {
  return rows.flatMap((row): CheckedValue[] => {
    const { expected, returned, verdict } = row[cellNames[field]];
    return returned === null || expected === null
      ? []
      : [{ value: returned, expected, isWrong: verdict === 'fail' }];
  });
}

function percentages(table: AnalyticsTable, decimals: number): SuspectHypothesis[] {
  const wrong = pairsOf(table, 'cart_intent_rate').filter(({ isWrong }) => isWrong);
  const [first] = wrong;
  const areAll = wrong.every(
    ({ expected, value }) => value > expected.max && within(value / 100, expected, decimals),
  );
  return first === undefined || !areAll || !wrong.some(({ value }) => value > 1)
    ? []
    : hypotheses(table, ['cart_intent_rate'], (seqs) =>
        fits('rate-as-percentage', { got: first.value }, seqs),
      );
}

/** Fields all of whose values, the right ones too, satisfy something, and some of which are wrong. Zeros alone show nothing. */
function fieldsWhere(table: AnalyticsTable, holds: (pair: CheckedValue) => boolean): MeanField[] {
  return meanFields.filter((field) => {
    const pairs = pairsOf(table, field);
    return (
      pairs.some(({ isWrong }) => isWrong) && pairs.some(({ value }) => value !== 0) && pairs.every(holds)
    );
  });
}

/** The fraction cut off. */
function wholeNumbers(table: AnalyticsTable): SuspectHypothesis[] {
  const fields = fieldsWhere(
    table,
    ({ expected, value }) => Number.isInteger(value) && value <= expected.max && value > expected.min - 1,
  );
  const isTelling = fields.some((field) =>
    pairsOf(table, field).some(({ isWrong, value }) => isWrong && value !== 0),
  );
  return isTelling ? hypotheses(table, fields, (seqs) => fits('integer-division', { fields }, seqs)) : [];
}

/** Rounded, or cut, to fewer decimals than are promised: to the most that explain every value. */
function roundings(table: AnalyticsTable, promised: number): SuspectHypothesis[] {
  for (let decimals = promised - 1; decimals >= 0; decimals--) {
    const scale = 10 ** decimals;
    const fields = fieldsWhere(
      table,
      ({ expected, value }) =>
        Math.abs(value * scale - Math.round(value * scale)) < 1e-9 &&
        (within(value, expected, decimals) || within(value + 0.5 / scale, expected, decimals)),
    );
    if (fields.length > 0)
      return hypotheses(table, fields, (seqs) => fits('rounded-too-far', { fields, decimals }, seqs));
  }
  return [];
}

/** Averages that are right if repeated interaction ids are counted again. */
function copied(table: AnalyticsTable, decimals: number): SuspectHypothesis[] {
  const expectations = table.search?.chosen.evaluation.of.expectations ?? [];
  const measures: readonly Measure[] = ['copies/all', 'copies/with-shades'];
  const found = measures.some((measure) =>
    table.rows.every(({ avgShadesPerSession: { returned } }, index) => {
      const bounds = expectations[index]?.means[measure] ?? null;
      return returned === null || bounds === null || within(returned, bounds, decimals);
    }),
  );
  const wrong = wrongRows(table, 'avg_shades_per_session');
  const repeated = wrong.map((row) => repeatsIn(row)).reduce((most, each) => Math.max(most, each), 0);
  return !found || repeated === 0
    ? []
    : hypotheses(table, ['avg_shades_per_session'], (seqs) => fits('repeats-counted', { repeated }, seqs));
}

/** How many selections more there would be if repeated interaction ids were counted again. */
export function repeatsIn({ topShades: { expected } }: AnswerRow): number {
  return (expected ?? []).reduce((sum, { copies, max }) => sum + Math.max(0, copies - max), 0);
}

/** Wrong totals of different questions that are all one number, which no answer of their kind exceeds. */
function capped(table: AnalyticsTable): SuspectHypothesis[] {
  const wrong = wrongRows(table, 'total_sessions');
  const isOfProducts = wrong.every(({ query }) => query.productId !== null);
  const alike = table.rows.filter(({ query }) => !isOfProducts || query.productId !== null);
  const most = wrong[0]?.totalSessions.returned ?? 0;
  const isOne = wrong.every(
    ({ totalSessions: { expected, returned } }) => returned === most && most < (expected?.min ?? 0),
  );
  const isMost = alike.every(({ totalSessions }) => (totalSessions.returned ?? 0) <= most);
  // The same sessions in two periods give one number without a cap.
  const questions = new Set(wrong.map(({ totalSessions: { expected } }) => expected?.min)).size;
  return most === 0 || !isOne || !isMost || questions < 2
    ? []
    : hypotheses(table, ['total_sessions'], (seqs) => fits('total-capped', { most }, seqs));
}

/** Totals that are right, of sessions none of whose events counts anywhere. */
function withoutEvents(table: AnalyticsTable): SuspectHypothesis[] {
  const { rows } = table;
  const areSessionsCounted = rows.some(
    ({ totalSessions: { returned, verdict } }) => verdict !== 'fail' && (returned ?? 0) > 0,
  );
  const areEventsCounted = rows.some(
    ({ avgShadesPerSession, cartIntentRate, topShades }) =>
      (avgShadesPerSession.returned ?? 0) > 0 ||
      (cartIntentRate.returned ?? 0) > 0 ||
      (topShades.returned ?? []).length > 0,
  );
  if (!areSessionsCounted || areEventsCounted || wrongRows(table, 'total_sessions').length > 0) return [];
  const sessions = Math.max(...rows.map(({ totalSessions: { returned } }) => returned ?? 0));
  return hypotheses(table, ['avg_shades_per_session', 'cart_intent_rate', 'top_shades'], (seqs) =>
    fits('events-not-counted', { sessions }, seqs),
  ).map((hypothesis) => ({ ...hypothesis, isCertain: true }));
}

/** Off by more than this, a total is no estimate. */
const mostOff = 0.05;

/** Totals a little off, in answers that are right otherwise: a session that is lost changes their averages, too. */
function estimates(table: AnalyticsTable): SuspectHypothesis[] {
  const wrong = wrongRows(table, 'total_sessions');
  const off = wrong.map(({ totalSessions: { expected, returned } }) =>
    expected === null || returned === null || expected.max === 0
      ? Number.POSITIVE_INFINITY
      : (returned < expected.min ? returned - expected.min : returned - expected.max) / expected.max,
  );
  const isNear = off.every((share) => Math.abs(share) <= mostOff);
  const offBy = Math.max(...off.map(Math.abs));
  return !isNear || !wrong.every(isRightOtherwise)
    ? []
    : hypotheses(table, ['total_sessions'], (seqs) => fits('total-approximate', { offBy }, seqs));
}

/** Only the total is wrong: an average and a rate over other sessions would be others. */
function isRightOtherwise({ avgShadesPerSession, cartIntentRate, topShades }: AnswerRow): boolean {
  return [avgShadesPerSession, cartIntentRate, topShades].every(({ verdict }) => verdict === 'pass');
}

/** Unfiltered answers have too much, and those of the run's own products are right: somebody else uses the account. */
function othersAtWork({ profile }: History, table: AnalyticsTable): SuspectHypothesis[] {
  if (!profile.analytics.exclusive || profile.exclusive_keys) return [];
  const totals = wrongRows(table, 'total_sessions');
  const wrong = answerFields.flatMap((field) => wrongRows(table, field));
  const isMore = totals.every(
    ({ totalSessions: { expected, returned } }) =>
      expected !== null && returned !== null && returned > expected.max,
  );
  // Sessions of others without any event would still change both means, unless these are zeros.
  const areMeansRight = totals.some(
    (row) => isRightOtherwise(row) && (row.avgShadesPerSession.returned ?? 0) > 0,
  );
  return totals.length === 0 ||
    !isMore ||
    areMeansRight ||
    wrong.some(({ query }) => query.productId !== null)
    ? []
    : hypotheses(table, answerFields, () =>
        fits(
          'profile-false',
          {
            field: 'analytics.exclusive',
            told: 'true',
            found: 'false (sessions count that it did not create)',
          },
          totals.map(({ seq }) => seq),
        ),
      );
}

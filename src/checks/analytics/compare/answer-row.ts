import type { History } from '../../../history/history.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Allowed } from '../conventions/conventions.ts';
import { periodOf } from '../conventions/period.ts';
import type { Query, Questions } from '../record/questions.ts';
import type { Fit, Preconditions } from './fit.ts';
import type { Acts, AnswerCell, AnswerRow } from './rows.ts';
import type { Search } from './search.ts';
import { explainAverage, explainRate, explainSessions, explainTop } from './why.ts';

/** Everything that one row is made of. `index`: its place among the judged answers. */
interface RowInput {
  readonly history: History;
  readonly questions: Questions;
  readonly search: Search;
  readonly allowed: Allowed;
  readonly index: number;
  readonly acts: Acts;
}

/** One answer beside what it has to be, under the chosen conventions. */
export function answerRow({ history, questions, search, allowed, index, acts }: RowInput): AnswerRow {
  const answer = questions.judged[index];
  const query = answer === undefined ? undefined : questions.queries[answer.query];
  const { evaluation, average, rate } = search.chosen;
  const around = evaluation.of.circumstances[index];
  if (answer === undefined || query === undefined || around === undefined)
    throw new Error(`no judged answer ${index}`);
  const expectation = evaluation.of.expectations[index];
  const { returned } = answer;
  const why = { history, questions, search, allowed, index, query, expectation, around };
  const doubt = doubtsOf(around, acts, history);
  const cell = <Value, Expected>(
    fit: Fit | undefined,
    value: Value | null,
    expected: Expected | null | undefined,
    wrong: (value: Value) => readonly Reason[],
  ): AnswerCell<Value, Expected> => ({
    returned: value,
    expected: expected ?? null,
    verdict: fit === 'fits' ? 'pass' : fit === 'misfits' ? 'fail' : 'inconclusive',
    reasons:
      fit === 'fits'
        ? []
        : fit === 'misfits' && value !== null && expectation !== undefined
          ? wrong(value)
          : value === null
            ? [reason('answer-missing', { query: null })]
            : doubt(expected ?? null),
  });
  const knowable = acts.kind !== 'unknown';
  return {
    seq: answer.seq,
    query,
    timely: around.timely,
    period: periodCell(query, returned.period),
    totalSessions: cell(
      evaluation.totals[index],
      returned.totalSessions,
      expectation?.totalSessions,
      (value) => explainSessions(why, value),
    ),
    avgShadesPerSession: cell(
      evaluation.averages.get(average)?.[index],
      returned.avgShadesPerSession,
      knowable ? expectation?.means[average] : null,
      (value) => explainAverage(why, value),
    ),
    cartIntentRate: cell(
      evaluation.rates.get(rate)?.[index],
      returned.cartIntentRate,
      knowable ? expectation?.means[rate] : null,
      (value) => explainRate(why, value),
    ),
    topShades: cell(
      evaluation.tops[index],
      returned.topShades,
      knowable ? expectation?.shades : null,
      (value) => explainTop(why, value),
    ),
  };
}

/** Why a value that is not known to be right is not called wrong. */
function doubtsOf(
  { timely, population }: Preconditions,
  acts: Acts,
  { profile }: History,
): (expected: unknown) => readonly Reason[] {
  return (expected) => {
    if (acts.kind !== 'known' && acts.reasons.length > 0)
      return acts.kind === 'none' ? [...acts.reasons, reason('zeros-show-nothing')] : acts.reasons;
    if (expected === null) return [reason('answer-unknowable', { query: null })];
    if (!timely)
      return [reason('answer-too-soon', { query: null, freshnessMs: profile.analytics.freshness })];
    if (population.openBecause !== null)
      return [reason('answer-more-than-run', { query: null }), population.openBecause];
    return [reason('answer-dates-unreadable', { query: null })];
  };
}

/**
 * `<start_date> / <end_date>` as sent; where date-times were sent, their dates alone will do. What a service makes of dates in the
 * wrong order is open, so it may name them in the right one.
 */
function periodCell({ startDate, endDate }: Query, returned: string | null): AnswerCell<string, string> {
  const expected = `${startDate} / ${endDate}`;
  const dates = `${startDate.slice(0, 10)} / ${endDate.slice(0, 10)}`;
  const cut = periodOf(startDate, endDate, 'inclusive-day') !== undefined && returned === dates;
  const [from = '', to = ''] = (returned ?? '').split(' / ').map((text) => text.slice(0, 10));
  const turned = endDate < startDate && `${to} / ${from}` === dates;
  const verdict =
    returned === null ? 'inconclusive' : returned === expected || cut || turned ? 'pass' : 'fail';
  return {
    returned,
    expected,
    verdict,
    reasons:
      verdict === 'pass'
        ? []
        : returned === null
          ? [reason('answer-missing', { query: null })]
          : [reason('answer-period', { query: null, expected, returned })],
  };
}

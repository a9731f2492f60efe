import { number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import type { Allowed } from './conventions.ts';
import type { Expectation } from './expectation.ts';
import type { Circumstances, Fit } from './fit.ts';
import { periodOf } from './period.ts';
import type { Query, Questions } from './questions.ts';
import type { Search } from './search.ts';
import type { Acts, AnswerRow, Cell } from './table.ts';
import { explainAverage, explainRate, explainSessions, explainTop } from './why.ts';

/** Everything that one row is made of. `index`: its place among the judged answers. */
export interface RowInput {
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
  const doubt = doubtText(around, acts, history);
  const cell = <Value, Expected>(
    fit: Fit | undefined,
    value: Value | null,
    expected: Expected | null | undefined,
    wrong: (value: Value, expectation: Expectation) => string,
  ): Cell<Value, Expected> => ({
    returned: value,
    expected: expected ?? null,
    verdict: fit === 'fits' ? 'pass' : fit === 'misfits' ? 'fail' : 'inconclusive',
    explanation:
      fit === 'fits'
        ? null
        : fit === 'misfits' && value !== null && expectation !== undefined
          ? wrong(value, expectation)
          : value === null
            ? 'the field is missing or of another type'
            : doubt(expected ?? null),
  });
  const knowable = acts.kind !== 'unknown';
  return {
    seq: answer.seq,
    query,
    timely: around.timely,
    population: around.population.kind,
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
function doubtText(
  { timely, population }: Circumstances,
  acts: Acts,
  history: History,
): (expected: unknown) => string {
  return (expected) => {
    if (acts.kind !== 'known' && acts.reason !== null)
      return acts.kind === 'none' ? `${acts.reason}: zeros are right, but show nothing` : acts.reason;
    if (expected === null) return 'the sessions that the account held before the run make this unknowable';
    if (!timely)
      return `differs, but was asked sooner than ${number(history.profile.analytics.freshness)} ms after the last act, which is how long analytics may take (profile: analytics.freshness)`;
    if (population.openBecause !== null)
      return `more than the run did by itself, but ${population.openBecause}`;
    return 'the dates of the query could not be read';
  };
}

/** `<start_date> / <end_date>` as sent; where date-times were sent, their dates alone will do. */
function periodCell({ startDate, endDate }: Query, returned: string | null): Cell<string, string> {
  const expected = `${startDate} / ${endDate}`;
  const dates = `${startDate.slice(0, 10)} / ${endDate.slice(0, 10)}`;
  const cut = periodOf(startDate, endDate, 'inclusive-day') !== undefined && returned === dates;
  const verdict = returned === null ? 'inconclusive' : returned === expected || cut ? 'pass' : 'fail';
  return {
    returned,
    expected,
    verdict,
    explanation:
      verdict === 'pass'
        ? null
        : returned === null
          ? 'the field is missing or of another type'
          : `returned ${JSON.stringify(returned)}, expected ${JSON.stringify(expected)}`,
  };
}

import type { History } from '../../../history/history.ts';
import type { AnswerField } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import type { Role } from '../../../vocabulary/roles.ts';
import type { TopShade } from '../../../wire.ts';
import type { Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Allowed } from '../conventions/conventions.ts';
import type { KnownPair } from '../conventions/whose-data.ts';
import { periodOf } from '../conventions/zones.ts';
import type { ShadeBounds } from '../expect/expectation.ts';
import type { FactCounts } from '../expect/summary.ts';
import type { Query, Questions } from '../record/questions.ts';
import { type Fit, fitTopShades, type Preconditions } from './fit.ts';
import { fitsBy, type Search } from './search.ts';

/** Everything that one row is made of. `index`: its place among the judged answers. */
interface RowInput {
  readonly history: Pick<History, 'profile'>;
  readonly questions: Pick<Questions, 'queries' | 'judged'>;
  readonly search: Search;
  readonly index: number;
  readonly acts: Acts;
}

/** One answer beside what it has to be, under the chosen conventions. */
export function answerRow({ history, questions, search, index, acts }: RowInput): AnswerRow {
  const answer = questions.judged[index];
  const query = answer === undefined ? undefined : questions.queries[answer.query];
  const { evaluation, average, rate } = search.chosen;
  const fit = fitsBy(search.chosen);
  const around = evaluation.of.circumstances[index];
  if (answer === undefined || query === undefined || around === undefined)
    throw new Error(`no judged answer ${index}`);
  const expectation = evaluation.of.expectations[index];
  const { returned } = answer;
  const doubt = doubtsOf(around, acts, history);
  const cell = <Value, Expected>(
    found: Fit | undefined,
    value: Value | null,
    expected: Expected | null | undefined,
    wrong: (value: Value, due: Expected) => readonly Reason[],
  ): AnswerCell<Value, Expected> => ({
    returned: value,
    expected: expected ?? null,
    verdict: found === 'fits' ? 'pass' : found === 'misfits' ? 'fail' : 'inconclusive',
    reasons:
      found === 'fits'
        ? []
        : found === 'misfits' && value !== null && expected != null
          ? wrong(value, expected)
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
      fit.total_sessions[index],
      returned.totalSessions,
      expectation?.totalSessions,
      wrongTotal,
    ),
    avgShadesPerSession: cell(
      fit.avg_shades_per_session[index],
      returned.avgShadesPerSession,
      knowable ? expectation?.means[average] : null,
      wrongMean,
    ),
    cartIntentRate: cell(
      fit.cart_intent_rate[index],
      returned.cartIntentRate,
      knowable ? expectation?.means[rate] : null,
      wrongMean,
    ),
    topShades: cell(
      fit.top_shades[index],
      returned.topShades,
      knowable ? expectation?.shades : null,
      (list) => {
        if (expectation === undefined) return [];
        const { faults } = fitTopShades(list, expectation, evaluation.topLengths, around);
        const more = faults.length - mostFaults;
        return [
          ...faults.slice(0, mostFaults),
          ...(more > 0 ? [reason('top-more-faults', { faults: more })] : []),
        ];
      },
    ),
  };
}

/** Faults of a list that are told one by one. */
const mostFaults = 3;

function wrongTotal(returned: number, expected: Bounds): Reason[] {
  return Number.isInteger(returned)
    ? [reason('answer-total', { query: null, expected, returned })]
    : [reason('answer-total-fraction', { query: null, returned })];
}

function wrongMean(returned: number, expected: Bounds): Reason[] {
  return [reason('answer-value', { query: null, expected, returned })];
}

/** Why a value that is not known to be right is not called wrong. */
function doubtsOf(
  { timely, population }: Preconditions,
  acts: Acts,
  { profile }: Pick<History, 'profile'>,
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

/** One field of one answer: what came back, what it has to be, and whether it is. */
export interface AnswerCell<Value, Expected> {
  readonly returned: Value | null;
  /** Null where nothing can be said. */
  readonly expected: Expected | null;
  readonly verdict: Verdict;
  /** Why it is not a pass; none when it is. */
  readonly reasons: readonly Reason[];
}

/** One answer beside what it has to say, under the nearest conventions that the profile allows. */
export interface AnswerRow {
  readonly seq: number;
  readonly query: Query;
  /** Asked after the last event plus the freshness bound; a difference before that is inconclusive. */
  readonly timely: boolean;
  readonly period: AnswerCell<string, string>;
  readonly totalSessions: AnswerCell<number, Bounds>;
  readonly avgShadesPerSession: AnswerCell<number, Bounds>;
  readonly cartIntentRate: AnswerCell<number, Bounds>;
  /** `expected`: every SKU that may have been selected, most possible selections first. */
  readonly topShades: AnswerCell<readonly TopShade[], readonly ShadeBounds[]>;
}

/** The cell of a row for a field as the answer names it. */
export const cellNames = {
  total_sessions: 'totalSessions',
  avg_shades_per_session: 'avgShadesPerSession',
  cart_intent_rate: 'cartIntentRate',
  top_shades: 'topShades',
} as const satisfies Readonly<Record<AnswerField, keyof AnswerRow>>;

/** What is known of the shoppers' events, and why it is not enough where it is not. */
export interface Acts {
  readonly kind: 'known' | 'none' | 'unknown';
  readonly reasons: readonly Reason[];
}

/** An unfiltered answer with the filtered ones of the same key and period. */
interface AnswerFamily {
  readonly whole: AnswerRow | undefined;
  readonly products: readonly AnswerRow[];
}

/** Families of the last answers to each query, so that re-reads are not counted twice. */
export function families(rows: readonly AnswerRow[]): AnswerFamily[] {
  const last = new Map(rows.map((row) => [row.query.index, row]));
  const groups = Map.groupBy(last.values(), ({ query }) =>
    JSON.stringify([query.credential, query.startDate, query.endDate]),
  );
  return [...groups.values()].map((group) => ({
    whole: group.find((row) => row.query.productId === null),
    products: group.filter((row) => row.query.productId !== null),
  }));
}

/** Answers under the conventions that a search chose, with what rules conventions out. */
export interface JudgedAnswers {
  /** Every answer of phase `analytics`, in the order asked; a query asked twice has two rows. */
  readonly rows: readonly AnswerRow[];
  /** Undefined when there was no answer to judge, or no session to judge it by. */
  readonly search: Search | undefined;
  readonly allowed: Allowed;
  /** The keys that opened sessions or asked for analytics. */
  readonly keys: readonly Role[];
  /** What else than analytics says of their accounts. */
  readonly known: readonly KnownPair[];
  readonly acts: Acts;
  readonly facts: FactCounts;
}

import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { type Suspect, shown } from '../../causes/cause.ts';
import {
  type CheckFinding,
  evidenceIfAny,
  mergeVerdicts,
  type Shown,
  type Verdict,
} from '../../core/verdict.ts';
import { eachReasonOnce, type Reason, reason } from '../../reasons/reason.ts';
import type { CausesByField } from '../causes/causes.ts';
import { type AnswerRow, cellNames } from '../compare/answer-row.ts';
import type { AnalyticsTable } from './table.ts';

/** The verdict on each field of the answers, over all of them. */

/** A field of an answer, as rows have it. */
type RowField = 'period' | (typeof cellNames)[AnswerField];

const fieldChecks: readonly { readonly id: CheckId; readonly name: RowField }[] = [
  { id: 'analytics.period', name: 'period' },
  { id: 'analytics.total-sessions', name: 'totalSessions' },
  { id: 'analytics.avg-shades', name: 'avgShadesPerSession' },
  { id: 'analytics.cart-intent', name: 'cartIntentRate' },
  { id: 'analytics.top-shades', name: 'topShades' },
];

export function fieldResults(table: AnalyticsTable, causes: CausesByField): CheckFinding[] {
  const { questions, rows } = table;
  return fieldChecks.map(({ id, name }) => {
    const field = answerFields.find((each) => cellNames[each] === name);
    const worst = worstRows(table, name);
    const judged = fieldVerdict(rows, name);
    const verdict = questions.unanswered.length > 0 && judged === 'pass' ? 'inconclusive' : judged;
    const own = rows.filter((row) => row[name].verdict === (verdict === 'fail' ? 'fail' : 'inconclusive'));
    const suspects = field === undefined ? periodSuspects(table) : causes[field];
    const sides = (side: 'expected' | 'returned'): Shown =>
      Object.fromEntries(worst.map((row) => [row.query.label, shownValue(row[name][side])]));
    return {
      ...{ id, verdict, expected: sides('expected'), observed: sides('returned') },
      reasons: [
        ...(verdict === 'pass' ? passReasons(table, name) : troubles(table, own, field, verdict)),
        ...(verdict !== 'inconclusive' && worst.length < rows.length
          ? [reason('answers-shown', { answers: rows.length, queries: worst.length })]
          : []),
      ],
      evidence: evidenceIfAny(
        verdict === 'fail' ? 'answers that are wrong' : 'answers that cannot be judged',
        [...own.map((row) => row.seq), ...(verdict === 'inconclusive' ? questions.unanswered : [])],
      ),
      ...(verdict === 'fail' && suspects.length > 0 ? { causes: suspects } : {}),
    };
  });
}

/** The verdict on one field over all answers. */
export function fieldVerdict(rows: readonly AnswerRow[], name: RowField): Verdict {
  return mergeVerdicts(rows.map((row) => row[name].verdict));
}

/** Entries of top_shades that a result shows per query. */
const shownShades = 10;

function shownValue(value: AnswerRow[RowField]['expected' | 'returned']): Shown {
  if (value === null || typeof value !== 'object') return value;
  if ('min' in value) return { min: value.min, max: value.max };
  return value.slice(0, shownShades).map((shade) => ({
    sku: shade.sku,
    selections: 'min' in shade ? { min: shade.min, max: shade.max } : shade.selections,
  }));
}

/** One row for each query: the worst of its answers, which is the first that failed, if any did. */
function worstRows({ rows }: AnalyticsTable, name: RowField): AnswerRow[] {
  const ranks: readonly Verdict[] = ['pass', 'inconclusive', 'fail'];
  const rank = (row: AnswerRow): number => ranks.indexOf(row[name].verdict);
  return [...Map.groupBy(rows, ({ query }) => query.index).values()].flatMap(
    (own) => own.toSorted((a, b) => rank(b) - rank(a))[0] ?? [],
  );
}

/** Why periods are not those that were asked for. */
export function periodSuspects({ rows }: Pick<AnalyticsTable, 'rows'>): Suspect[] {
  const wrong = rows.filter(({ period }) => period.verdict === 'fail');
  const { expected, returned } = wrong[0]?.period ?? {};
  if (typeof expected !== 'string' || typeof returned !== 'string') return [];
  // Of another question: the answer is that one's.
  const asked = new Set(rows.map(({ period }) => period.expected));
  const isOfAnother = wrong.every(({ period }) => asked.has(period.returned));
  const seqs = wrong.map(({ seq }) => seq);
  return [
    isOfAnother
      ? shown('answers-mixed-up', { fields: ['period'] }, seqs)
      : shown('period-wrong', { got: returned, expected }, seqs),
  ];
}

/** Reasons of one answer, the first of which names its query. */
export function inQuery(label: string, [first, ...rest]: readonly Reason[]): Reason[] {
  if (first === undefined) return [];
  const params: object = first.params;
  if (!('query' in params)) return [first, ...rest];
  // The same code with the same parameters, but for the name of the query.
  return [{ ...first, params: { ...params, query: label } } as Reason, ...rest];
}

/** Reasons of several answers; what holds for all of them alike comes once, after them. */
export function inQueries(answers: readonly (readonly Reason[])[]): Reason[] {
  const keyed = answers.map((reasons) => reasons.map((each) => ({ each, key: JSON.stringify(each) })));
  const [first = [], ...others] = keyed;
  const common = first.filter(({ key }) => others.every((own) => own.some((one) => one.key === key)));
  const isCommon = ({ key }: { readonly key: string }): boolean => common.some((one) => one.key === key);
  const told = keyed.flatMap((own) => own.filter((one) => !isCommon(one)));
  return [...told, ...common].map(({ each }) => each);
}

/** Why a field is right in every answer. */
function passReasons({ facts, rows }: AnalyticsTable, name: RowField): Reason[] {
  const { ambiguousActs: events, ambiguousSessions: sessions } = facts;
  return [
    reason('field-right', { answers: rows.length }),
    ...(name !== 'period' && sessions + events > 0 ? [reason('field-bounded', { sessions, events })] : []),
  ];
}

/** Answers that are told one by one. */
const mostTold = 3;

/** What is wrong with a field, or open: `rows` are the answers concerned. */
function troubles(
  table: AnalyticsTable,
  rows: readonly AnswerRow[],
  field: AnswerField | undefined,
  verdict: Verdict,
): Reason[] {
  if (table.rows.length === 0) return [noAnswers(table)];
  const name = field === undefined ? 'period' : cellNames[field];
  const told = inQueries(rows.slice(0, mostTold).map((row) => inQuery(row.query.label, row[name].reasons)));
  const more = rows.length - mostTold;
  const { unanswered } = table.questions;
  return [
    // What leaves several answers open is often one and the same.
    ...(verdict === 'fail' ? told : eachReasonOnce(told)),
    ...(more > 0 ? [reason('more-answers', { answers: more, verdict })] : []),
    ...(verdict === 'fail' && field !== undefined ? readBackReasons(table) : []),
    ...(unanswered.length === 0 ? [] : [reason('queries-unanswered', { queries: unanswered.length })]),
  ];
}

/** Whether sessions that were read back are stored as the run has them: then not storage, but what counts them is wrong. */
function readBackReasons({ facts, reconciliation }: AnalyticsTable): Reason[] {
  const { actsExpected, actsFound, agree, readBack } = reconciliation;
  // Some were read too early to show all.
  if (agree === readBack && actsFound < actsExpected) return [];
  return [reason('fields-read-back', { sessions: facts.granted, readBack, agree })];
}

/** Why there is nothing to judge. */
export function noAnswers({ questions, facts }: AnalyticsTable): Reason {
  if (questions.judged.length > 0 && facts.certainSessions === 0) return reason('no-sure-session');
  return questions.unanswered.length > 0
    ? reason('no-readable-answer', { queries: questions.unanswered.length })
    : reason('analytics-not-queried');
}

import type { AnswerField } from '../../../vocabulary/analytics.ts';
import type { Verdict } from '../../core/verdict.ts';
import { eachReasonOnce, type Reason, reason } from '../../reasons/reason.ts';
import type { AnswerRow } from '../compare/answer-row.ts';
import { lossReasons } from './sources.ts';
import type { AnalyticsTable } from './table.ts';

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

/** The fields whose differences can be located. */
const answerNames: Partial<Record<RowField, AnswerField>> = {
  totalSessions: 'total_sessions',
  avgShadesPerSession: 'avg_shades_per_session',
  cartIntentRate: 'cart_intent_rate',
  topShades: 'top_shades',
};

/** A field of an answer, as rows have it. */
export type RowField = 'period' | 'totalSessions' | 'avgShadesPerSession' | 'cartIntentRate' | 'topShades';

/** Why a field is right in every answer. */
export function passReasons({ facts, rows }: AnalyticsTable, name: RowField): Reason[] {
  const { ambiguousActs: events, ambiguousSessions: sessions } = facts;
  return [
    reason('field-right', { answers: rows.length }),
    ...(name !== 'period' && sessions + events > 0 ? [reason('field-bounded', { sessions, events })] : []),
  ];
}

/** Answers that are told one by one. */
const mostTold = 3;

/** What is wrong with a field, or open: `rows` are the answers concerned. */
export function troubles(
  table: AnalyticsTable,
  rows: readonly AnswerRow[],
  { name, verdict }: { readonly name: RowField; readonly verdict: Verdict },
): Reason[] {
  if (table.rows.length === 0) return [noAnswers(table)];
  const told = inQueries(rows.slice(0, mostTold).map((row) => inQuery(row.query.label, row[name].reasons)));
  const more = rows.length - mostTold;
  const { unanswered } = table.questions;
  const field = answerNames[name];
  return [
    // What leaves several answers open is often one and the same.
    ...(verdict === 'fail' ? told : eachReasonOnce(told)),
    ...(more > 0 ? [reason('more-answers', { answers: more, verdict })] : []),
    ...(field === undefined ? [] : lossReasons(table.sources, field)),
    ...(unanswered.length === 0 ? [] : [reason('queries-unanswered', { queries: unanswered.length })]),
  ];
}

/** Why there is nothing to judge. */
export function noAnswers({ questions, facts }: AnalyticsTable): Reason {
  if (questions.judged.length > 0 && facts.certainSessions === 0) return reason('no-sure-session');
  return questions.unanswered.length > 0
    ? reason('no-readable-answer', { queries: questions.unanswered.length })
    : reason('analytics-not-queried');
}

import type { AnswerField } from '../../../vocabulary/analytics.ts';
import { type Suspect, shown } from '../../causes/cause.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Query, QueryAnswer } from '../record/questions.ts';
import type { Relation } from './product-filter.ts';
import type { AnalyticsTable } from './table.ts';

/** Changes that are told one by one. */
const mostTold = 3;

/** What the same question got differently. */
export interface Stability extends Relation {
  readonly changing: readonly AnswerField[];
}

/**
 * The same question, nothing having happened in between, gets the same answer, order included. Products are the run's
 * own, so that is so of every filtered answer; an unfiltered one may grow while others use the account.
 */
export function judgeStable(table: AnalyticsTable, exclusive: boolean): Stability {
  const { judged, early, queries } = table.questions;
  const settled = new Set(table.rows.filter((row) => row.timely).map((row) => row.seq));
  let same = 0;
  const seqs: number[] = [];
  const changes: ChangedAnswer[] = [];
  let doubtful = 0;
  let grown = 0;
  for (const query of queries) {
    const reads = judged.filter((answer) => answer.query === query.index && settled.has(answer.seq));
    const [first] = reads;
    if (first === undefined) continue;
    const closed = exclusive || query.productId !== null;
    const other = reads.find((answer, place) => {
      const before = reads[place - 1];
      return before !== undefined && !mayFollow(table, before, answer, closed);
    });
    // An early answer that is already complete is a read of the same data; one that differs may have been on its way.
    const before = early.filter((answer) => answer.query === query.index);
    if (other !== undefined) {
      const previous = reads[reads.indexOf(other) - 1] ?? first;
      seqs.push(previous.seq, other.seq);
      changes.push({ query, before: previous, after: other });
    } else if (reads.some((answer) => fieldsText(answer) !== fieldsText(first))) grown++;
    else if (reads.length > 1 || before.some((answer) => fieldsText(answer) === fieldsText(first))) same++;
    else doubtful++;
  }
  if (changes.length > 0)
    return {
      verdict: 'fail',
      reasons: [reason('stable-differs'), ...changes.slice(0, mostTold).map(changeReason)],
      seqs,
      ...changedFields(changes),
    };
  if (same === 0)
    return {
      verdict: 'inconclusive',
      reasons: [reason(doubtful + grown === 0 ? 'stable-not-fresh' : 'stable-not-repeated', {})],
      changing: [],
    };
  return {
    verdict: 'pass',
    reasons: [
      reason('stable-same', { queries: same }),
      ...(grown === 0 ? [] : [reason('stable-grown', { queries: grown })]),
    ],
    changing: [],
  };
}

/** Two answers to the same question that differ. */
interface ChangedAnswer {
  readonly query: Query;
  readonly before: QueryAnswer;
  readonly after: QueryAnswer;
}

const fieldsCompared = [
  ['period', 'period'],
  ['total_sessions', 'totalSessions'],
  ['avg_shades_per_session', 'avgShadesPerSession'],
  ['cart_intent_rate', 'cartIntentRate'],
  ['top_shades', 'topShades'],
] as const;

/** The fields that differ, those whose ties alone are in another order apart. */
function changedFields(changes: readonly ChangedAnswer[]): { changing: AnswerField[]; causes: Suspect[] } {
  const text = (value: unknown): string => JSON.stringify(value);
  const isTie = ({ after, before }: ChangedAnswer): boolean => {
    const sorted = ({ returned: { topShades } }: QueryAnswer): string =>
      text(topShades?.map(({ selections, sku }) => `${selections} ${sku}`).toSorted());
    return sorted(before) === sorted(after);
  };
  const fields = fieldsCompared.flatMap(([field, name]) => {
    const differing = changes.filter(
      ({ after, before }) => text(before.returned[name]) !== text(after.returned[name]),
    );
    return differing.length === 0 || (field === 'top_shades' && differing.every(isTie)) ? [] : [field];
  });
  const seqs = changes.flatMap(({ after, before }) => [before.seq, after.seq]);
  return {
    changing: fields.filter((field) => field !== 'period'),
    causes: [
      fields.length > 0
        ? shown('answers-vary', { fields }, seqs)
        : shown('order-varies', { what: 'Shades with equal selections' }, seqs),
    ],
  };
}

/** Whether `after` may come after `before`. Others only ever add sessions; a total that shows none of theirs is ours alone. */
function mayFollow(table: AnalyticsTable, before: QueryAnswer, after: QueryAnswer, closed: boolean): boolean {
  if (fieldsText(before) === fieldsText(after)) return true;
  if (closed || (isOwnAlone(table, before) && isOwnAlone(table, after))) return false;
  if (before.returned.period !== after.returned.period) return false;
  const [earlier, later] = [before.returned.totalSessions, after.returned.totalSessions];
  return earlier === null || later === null || later >= earlier;
}

/** The answer's total leaves no room for sessions of others. */
function isOwnAlone(table: AnalyticsTable, answer: QueryAnswer): boolean {
  const place = table.questions.judged.indexOf(answer);
  return table.search?.chosen.evaluation.of.circumstances[place]?.noForeign ?? false;
}

function fieldsText({ returned }: QueryAnswer): string {
  return JSON.stringify(returned);
}

function changeReason({ after, before, query: { label } }: ChangedAnswer): Reason {
  const changes = fieldsCompared.flatMap(([field, name]) => {
    if (name === 'topShades' || before.returned[name] === after.returned[name]) return [];
    return [{ field, before: before.returned[name], after: after.returned[name] }];
  });
  if (changes.length > 0) return reason('stable-changed', { query: label, changes });
  const listed = ({ returned }: QueryAnswer, of: 'sku' | 'selections'): string =>
    JSON.stringify(returned.topShades?.map((shade) => shade[of]));
  const isTie =
    listed(before, 'selections') === listed(after, 'selections') &&
    listed(before, 'sku') !== listed(after, 'sku');
  return reason(isTie ? 'stable-ties-moved' : 'stable-top-changed', { query: label });
}

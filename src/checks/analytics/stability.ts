import { counted, number, verb } from '../../amounts.ts';
import { type Suspect, shown } from '../diagnosis/cause.ts';
import type { Answer } from './questions.ts';
import type { Relation } from './relations.ts';
import type { AnswerField } from './sources.ts';
import type { AnalyticsTable } from './table.ts';

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
  const changed: string[] = [];
  const seqs: number[] = [];
  const changes: Change[] = [];
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
      changed.push(`${query.label}: ${changeText(previous, other)}`);
      seqs.push(previous.seq, other.seq);
      changes.push({ before: previous, after: other });
    } else if (reads.some((answer) => fieldsText(answer) !== fieldsText(first))) grown++;
    else if (reads.length > 1 || before.some((answer) => fieldsText(answer) === fieldsText(first))) same++;
    else doubtful++;
  }
  if (changed.length > 0)
    return {
      verdict: 'fail',
      explanation: `The same query was answered differently though nothing happened in between: ${changed.slice(0, 3).join('; ')}.`,
      seqs,
      ...changedFields(changes),
    };
  if (same === 0)
    return {
      verdict: 'inconclusive',
      explanation:
        doubtful + grown === 0
          ? 'No query was answered after the freshness bound.'
          : 'No query was answered twice on what is certainly the same data.',
      seqs: [],
      changing: [],
    };
  const others =
    grown === 0
      ? ''
      : ` ${number(grown)} unfiltered ${grown === 1 ? 'query' : 'queries'} changed meanwhile, as others may use the account (profile: analytics.exclusive is false).`;
  return {
    verdict: 'pass',
    explanation: `${counted(same, 'query', 'queries')} ${verb(same, 'was', 'were')} answered alike each time they were asked, order of top_shades included.${others}`,
    seqs: [],
    changing: [],
  };
}

/** Two answers to the same question that differ. */
interface Change {
  readonly before: Answer;
  readonly after: Answer;
}

const fieldsCompared = [
  ['period', 'period'],
  ['total_sessions', 'totalSessions'],
  ['avg_shades_per_session', 'avgShadesPerSession'],
  ['cart_intent_rate', 'cartIntentRate'],
  ['top_shades', 'topShades'],
] as const;

/** The fields that differ, those whose ties alone are in another order apart. */
function changedFields(changes: readonly Change[]): { changing: AnswerField[]; causes: Suspect[] } {
  const text = (value: unknown): string => JSON.stringify(value);
  const isTie = ({ after, before }: Change): boolean => {
    const sorted = ({ returned: { topShades } }: Answer): string =>
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
function mayFollow(table: AnalyticsTable, before: Answer, after: Answer, closed: boolean): boolean {
  if (fieldsText(before) === fieldsText(after)) return true;
  if (closed || (isOwnAlone(table, before) && isOwnAlone(table, after))) return false;
  if (before.returned.period !== after.returned.period) return false;
  const [earlier, later] = [before.returned.totalSessions, after.returned.totalSessions];
  return earlier === null || later === null || later >= earlier;
}

/** The answer's total leaves no room for sessions of others. */
function isOwnAlone(table: AnalyticsTable, answer: Answer): boolean {
  const place = table.questions.judged.indexOf(answer);
  return table.search?.chosen.evaluation.of.circumstances[place]?.noForeign ?? false;
}

function fieldsText({ returned }: Answer): string {
  return JSON.stringify(returned);
}

function changeText(a: Answer, b: Answer): string {
  const skus = (answer: Answer): string =>
    JSON.stringify(answer.returned.topShades?.map((shade) => shade.sku));
  const names = (['period', 'totalSessions', 'avgShadesPerSession', 'cartIntentRate'] as const).filter(
    (name) => a.returned[name] !== b.returned[name],
  );
  if (names.length > 0)
    return names.map((name) => `${name} ${a.returned[name]}, then ${b.returned[name]}`).join(', ');
  const counts = (answer: Answer): string =>
    JSON.stringify(answer.returned.topShades?.map((shade) => shade.selections));
  return counts(a) === counts(b) && skus(a) !== skus(b)
    ? 'shades with equally many selections changed places in top_shades'
    : 'top_shades changed';
}

/** How soon the answers were right: from the early answers and the judged ones, in words. */
export function freshnessText({ questions, facts }: AnalyticsTable): string {
  const { early, judged, queries } = questions;
  const lastNs = facts.lastActNs;
  if (lastNs === null || early.length === 0) return 'Freshness was not measured: no query was asked early.';
  let immediate = 0;
  let later = 0;
  let firstNs = Number.POSITIVE_INFINITY;
  let latestNs = 0;
  for (const query of queries) {
    const final = judged.findLast((answer) => answer.query === query.index);
    const first = early.find((answer) => answer.query === query.index);
    if (final === undefined || first === undefined) continue;
    firstNs = Math.min(firstNs, first.sentNs);
    latestNs = Math.max(latestNs, final.sentNs);
    if (fieldsText(first) === fieldsText(final)) immediate++;
    else later++;
  }
  const seconds = (ns: number): string => `${((ns - lastNs) / 1e9).toFixed(1)} s`;
  if (immediate + later === 0)
    return 'Freshness was not measured: no query was answered both early and late.';
  if (later === 0)
    return `Everything was already visible when first asked, ${seconds(firstNs)} after the last act.`;
  return `${number(immediate)} of ${counted(immediate + later, 'query', 'queries')} ${verb(immediate, 'was', 'were')} complete when first asked, ${seconds(firstNs)} after the last act; the others were by ${seconds(latestNs)} at the latest.`;
}

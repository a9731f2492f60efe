import { counted, number } from '../amounts.ts';
import type { History } from '../history/history.ts';
import { judgeAdditivity } from './analytics/additivity.ts';
import { conventionsResult } from './analytics/discovered.ts';
import type { Bounds } from './analytics/expectation.ts';
import { freshnessOf } from './analytics/freshness.ts';
import { freshnessResult, placedBy, withAge } from './analytics/freshness-verdict.ts';
import { judgeProductFilter } from './analytics/product-filter.ts';
import type { Relation } from './analytics/relations.ts';
import { sessionsResult } from './analytics/sessions.ts';
import { type AnswerField, locatedText } from './analytics/sources.ts';
import { freshnessText, judgeStable } from './analytics/stability.ts';
import { eachOnce, suspectsByField } from './analytics/suspects.ts';
import {
  type AnalyticsTable,
  type AnswerRow,
  analyticsTable,
  type Cell,
  fieldVerdict,
} from './analytics/table.ts';
import type { CheckId } from './check-ids.ts';
import { type Suspect, shown } from './diagnosis/cause.ts';
import { type CheckResult, type Evidence, evidence, type Shown, type Verdict } from './verdict.ts';

/** Entries of top_shades that a result shows per query. */
const shownShades = 10;

/**
 * Judges every answer of GET /analytics/sessions against what the history says it has to be, as intervals, and the
 * histories that GET /sessions/{id} returned against the acts of the run.
 */
export async function checkAnalytics(history: History): Promise<CheckResult[]> {
  const freshness = await freshnessOf(history);
  const table = placedBy(freshness, await analyticsTable(history));
  const { decimals, exclusive } = history.profile.analytics;
  const stability = judgeStable(table, exclusive);
  const suspects = suspectsByField(history, table, stability.changing);
  const falsePromises = eachOnce(Object.values(suspects).flat()).filter(
    ({ cause }) => cause.code === 'profile-false',
  );
  const results = [
    fieldResult(
      table,
      'analytics.period',
      'period repeats the requested dates',
      'period',
      (text) => text,
      (text) => text,
      periodSuspects(table),
    ),
    fieldResult(
      table,
      'analytics.total-sessions',
      'total_sessions counts every session once',
      'totalSessions',
      asShown,
      (n) => n,
      suspects.total_sessions,
    ),
    fieldResult(
      table,
      'analytics.avg-shades',
      'avg_shades_per_session is right',
      'avgShadesPerSession',
      asShown,
      (n) => n,
      suspects.avg_shades_per_session,
    ),
    fieldResult(
      table,
      'analytics.cart-intent',
      'cart_intent_rate is right',
      'cartIntentRate',
      asShown,
      (n) => n,
      suspects.cart_intent_rate,
    ),
    fieldResult(
      table,
      'analytics.top-shades',
      'top_shades has the right shades and numbers',
      'topShades',
      (shades) =>
        shades.slice(0, shownShades).map((shade) => ({ sku: shade.sku, selections: asShown(shade) })),
      (shades) => shades.slice(0, shownShades).map(({ sku, selections }) => ({ sku, selections })),
      suspects.top_shades,
    ),
    relationResult(
      table,
      'analytics.product-filter',
      'product_id restricts every field',
      'sessions of that product alone',
      judgeProductFilter(table),
      falsePromises,
    ),
    relationResult(
      table,
      'analytics.additivity',
      'Single products add up to all products',
      'the sum over all products',
      judgeAdditivity(table, decimals),
      falsePromises,
    ),
    stableResult(table, stability, exclusive),
    freshnessResult(freshness),
    sessionsResult(history, table),
    conventionsResult(history, table, { suspects, changing: stability.changing }),
  ];
  return results.map((result) => withAge(freshness, result));
}

/** The fields whose differences can be located. */
const answerNames: Partial<Record<Field, AnswerField>> = {
  totalSessions: 'total_sessions',
  avgShadesPerSession: 'avg_shades_per_session',
  cartIntentRate: 'cart_intent_rate',
  topShades: 'top_shades',
};

type Field = 'period' | 'totalSessions' | 'avgShadesPerSession' | 'cartIntentRate' | 'topShades';

function fieldResult<Name extends Field>(
  table: AnalyticsTable,
  id: CheckId,
  title: string,
  name: Name,
  expectedShown: (expected: NonNullable<AnswerRow[Name]['expected']>) => Shown,
  returnedShown: (returned: NonNullable<AnswerRow[Name]['returned']>) => Shown,
  causes: readonly Suspect[],
): CheckResult {
  const { unanswered } = table.questions;
  const worst = worstRows(table, name);
  const expected: Record<string, Shown> = {};
  const observed: Record<string, Shown> = {};
  for (const row of worst) {
    const cell: { expected: AnswerRow[Name]['expected']; returned: AnswerRow[Name]['returned'] } = row[name];
    expected[row.query.label] = cell.expected === null ? null : expectedShown(cell.expected);
    observed[row.query.label] = cell.returned === null ? null : returnedShown(cell.returned);
  }
  const judged = fieldVerdict(table.rows, name);
  const verdict = unanswered.length > 0 && judged === 'pass' ? 'inconclusive' : judged;
  const wrong = table.rows.filter((row) => row[name].verdict === 'fail');
  const doubtful = table.rows.filter((row) => row[name].verdict === 'inconclusive');
  const cells = verdict === 'fail' ? wrong : doubtful;
  return {
    id,
    title,
    verdict,
    expected,
    observed,
    explanation: verdict === 'pass' ? passText(table, name) : trouble(table, cells, name),
    evidence: evidences(verdict === 'fail' ? 'answers that are wrong' : 'answers that cannot be judged', [
      ...cells.map((row) => row.seq),
      ...(verdict === 'inconclusive' ? unanswered : []),
    ]),
    ...causesOf(verdict, causes),
  };
}

function causesOf(verdict: Verdict, causes: readonly Suspect[]): Pick<CheckResult, 'causes'> {
  return verdict === 'fail' && causes.length > 0 ? { causes } : {};
}

function periodSuspects({ rows }: AnalyticsTable): Suspect[] {
  const wrong = rows.filter(({ period }) => period.verdict === 'fail');
  const { expected, returned } = wrong[0]?.period ?? {};
  if (typeof expected !== 'string' || typeof returned !== 'string') return [];
  return [
    shown(
      'period-wrong',
      { got: returned, expected },
      wrong.map(({ seq }) => seq),
    ),
  ];
}

function evidences(what: string, seqs: readonly number[]): Evidence[] {
  return seqs.length === 0 ? [] : [evidence(what, seqs)];
}

/** One row for each query: the worst of its answers, which is the first that failed, if any did. */
function worstRows(table: AnalyticsTable, name: Field): AnswerRow[] {
  const rank: Readonly<Record<Cell<unknown, unknown>['verdict'], number>> = {
    pass: 0,
    inconclusive: 1,
    fail: 2,
  };
  const worst = new Map<number, AnswerRow>();
  for (const row of table.rows) {
    const known = worst.get(row.query.index);
    if (known === undefined || rank[row[name].verdict] > rank[known[name].verdict])
      worst.set(row.query.index, row);
  }
  return [...worst.values()];
}

function passText(table: AnalyticsTable, name: Field): string {
  const { rows, facts } = table;
  const bounded = name !== 'period' && facts.ambiguousSessions + facts.ambiguousActs > 0;
  const ambiguous = bounded
    ? ` ${counted(facts.ambiguousSessions, 'session')} and ${counted(facts.ambiguousActs, 'act')} may or may not have happened, so that each has to lie in an interval.`
    : '';
  return `Right in ${counted(rows.length, 'answer')}.${ambiguous}`;
}

function trouble(table: AnalyticsTable, rows: readonly AnswerRow[], name: Field): string {
  if (table.rows.length === 0) return noAnswersText(table);
  const shown = rows.slice(0, 3).map((row) => `${row.query.label}: ${row[name].explanation}.`);
  const more = rows.length > 3 ? [`And ${number(rows.length - 3)} more answers.`] : [];
  const { unanswered } = table.questions;
  const field = answerNames[name];
  const located = field === undefined ? undefined : locatedText(table.sources, field);
  const missing =
    unanswered.length === 0
      ? []
      : [`${counted(unanswered.length, 'query', 'queries')} got no readable 2xx answer.`];
  const where = located === undefined ? [] : [`${located.charAt(0).toUpperCase()}${located.slice(1)}.`];
  return [...shown, ...more, ...where, ...missing].join(' ');
}

/** Why there is nothing to judge. */
function noAnswersText({ questions, facts }: AnalyticsTable): string {
  if (questions.judged.length > 0 && facts.certainSessions === 0)
    return 'The run has no session that certainly exists, so there is nothing to expect.';
  return questions.unanswered.length > 0
    ? `None of ${number(questions.unanswered.length)} analytics queries got a readable 2xx answer.`
    : 'Analytics were not asked.';
}

function asShown({ min, max }: Bounds): Shown {
  return { min, max };
}

function relationResult(
  table: AnalyticsTable,
  id: CheckId,
  title: string,
  expected: string,
  relation: Relation,
  otherwise: readonly Suspect[],
): CheckResult {
  const totals = Object.fromEntries(
    table.rows.map((row): [string, Shown] => [row.query.label, row.totalSessions.returned]),
  );
  return {
    id,
    title,
    verdict: relation.verdict,
    expected,
    observed: totals,
    explanation: table.rows.length === 0 ? noAnswersText(table) : relation.explanation,
    evidence: evidences('answers that show it', relation.seqs),
    ...causesOf(relation.verdict, relation.causes ?? otherwise),
  };
}

function stableResult(table: AnalyticsTable, relation: Relation, exclusive: boolean): CheckResult {
  const freshness = freshnessText(table);
  return {
    id: 'analytics.stable',
    title: 'The same query gets the same answer',
    verdict: relation.verdict,
    expected: exclusive
      ? 'identical answers while nothing happens'
      : 'identical answers for each product of the run; unfiltered ones may grow by what others do',
    observed: freshness,
    explanation: table.rows.length === 0 ? noAnswersText(table) : `${relation.explanation} ${freshness}`,
    evidence: evidences('answers that differ', relation.seqs),
    ...causesOf(relation.verdict, relation.causes ?? []),
  };
}

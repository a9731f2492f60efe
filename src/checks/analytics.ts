import type { History } from '../history/history.ts';
import type { Bounds } from '../vocabulary/bounds.ts';
import type { CheckId } from '../vocabulary/check-ids.ts';
import { causesByField, eachOnce } from './analytics/causes/causes.ts';
import type { AnswerCell, AnswerRow } from './analytics/compare/answer-row.ts';
import { freshnessOf } from './analytics/freshness/freshness.ts';
import { freshnessResult, placedBy, withAge } from './analytics/freshness/freshness-verdict.ts';
import { checkClockSet } from './analytics/record/clock.ts';
import { judgeAdditivity } from './analytics/results/additivity.ts';
import { conventionsResult } from './analytics/results/discovered.ts';
import { noAnswers, passReasons, type RowField, troubles } from './analytics/results/field-reasons.ts';
import { judgeProductFilter, type Relation } from './analytics/results/product-filter.ts';
import { sessionsResult } from './analytics/results/sessions.ts';
import { judgeStable, type Stability } from './analytics/results/stability.ts';
import { type AnalyticsTable, analyticsTable, fieldVerdict } from './analytics/results/table.ts';
import { type Suspect, shown } from './causes/cause.ts';
import { type CheckFinding, evidenceIfAny, type Shown, type Verdict } from './core/verdict.ts';
import { type Expects, expects } from './reasons/expected.ts';
import { reason } from './reasons/reason.ts';

/** Entries of top_shades that a result shows per query. */
const shownShades = 10;

/**
 * Judges every answer of GET /analytics/sessions against what the history says it has to be, as intervals, and the
 * histories that GET /sessions/{id} returned against the events of the run.
 */
export async function checkAnalytics(history: History): Promise<CheckFinding[]> {
  const freshness = await freshnessOf(history);
  const table = placedBy(freshness, await analyticsTable(history));
  const { decimals, exclusive } = history.profile.analytics;
  const stability = judgeStable(table, exclusive);
  const suspects = await causesByField(history, table, stability.changing);
  const falsePromises = eachOnce(Object.values(suspects).flat()).filter(
    ({ cause }) => cause.code === 'profile-false',
  );
  const results = [
    fieldResult(
      table,
      {
        id: 'analytics.period',
        name: 'period',
        expected: (text) => text,
        returned: (text) => text,
      },
      periodSuspects(table),
    ),
    fieldResult(
      table,
      { id: 'analytics.total-sessions', name: 'totalSessions', expected: asShown, returned: (n) => n },
      suspects.total_sessions,
    ),
    fieldResult(
      table,
      { id: 'analytics.avg-shades', name: 'avgShadesPerSession', expected: asShown, returned: (n) => n },
      suspects.avg_shades_per_session,
    ),
    fieldResult(
      table,
      { id: 'analytics.cart-intent', name: 'cartIntentRate', expected: asShown, returned: (n) => n },
      suspects.cart_intent_rate,
    ),
    fieldResult(
      table,
      {
        id: 'analytics.top-shades',
        name: 'topShades',
        expected: (shades) =>
          shades.slice(0, shownShades).map((shade) => ({ sku: shade.sku, selections: asShown(shade) })),
        returned: (shades) =>
          shades.slice(0, shownShades).map(({ sku, selections }) => ({ sku, selections })),
      },
      suspects.top_shades,
    ),
    relationResult(
      table,
      { id: 'analytics.product-filter', expected: expects('analytics.product-filter') },
      judgeProductFilter(table, suspects),
      falsePromises,
    ),
    relationResult(
      table,
      { id: 'analytics.additivity', expected: expects('analytics.additivity') },
      judgeAdditivity(table, decimals),
      falsePromises,
    ),
    stableResult(table, stability, exclusive),
    freshnessResult(freshness, fieldVerdict(table.rows, 'totalSessions')),
    sessionsResult(history, table),
    conventionsResult(history, table, suspects),
  ];
  return [...results.map((result) => withAge(freshness, result)), ...(await checkClockSet(history))];
}

/** A check of one field, and how its two sides are shown. */
interface FieldCheck<Name extends RowField> {
  readonly id: CheckId;
  readonly name: Name;
  readonly expected: (expected: NonNullable<AnswerRow[Name]['expected']>) => Shown;
  readonly returned: (returned: NonNullable<AnswerRow[Name]['returned']>) => Shown;
}

function fieldResult<Name extends RowField>(
  table: AnalyticsTable,
  { expected: expectedShown, id, name, returned: returnedShown }: FieldCheck<Name>,
  causes: readonly Suspect[],
): CheckFinding {
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
    verdict,
    expected,
    observed,
    reasons: [
      ...(verdict === 'pass' ? passReasons(table, name) : troubles(table, cells, { name, verdict })),
      ...(verdict !== 'inconclusive' && worst.length < table.rows.length
        ? [reason('answers-shown', { answers: table.rows.length, queries: worst.length })]
        : []),
    ],
    evidence: evidenceIfAny(verdict === 'fail' ? 'answers that are wrong' : 'answers that cannot be judged', [
      ...cells.map((row) => row.seq),
      ...(verdict === 'inconclusive' ? unanswered : []),
    ]),
    ...causesOf(verdict, causes),
  };
}

function causesOf(verdict: Verdict, causes: readonly Suspect[]): Pick<CheckFinding, 'causes'> {
  return verdict === 'fail' && causes.length > 0 ? { causes } : {};
}

function periodSuspects({ rows }: AnalyticsTable): Suspect[] {
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

/** One row for each query: the worst of its answers, which is the first that failed, if any did. */
function worstRows(table: AnalyticsTable, name: RowField): AnswerRow[] {
  const rank: Readonly<Record<AnswerCell<unknown, unknown>['verdict'], number>> = {
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

function asShown({ min, max }: Bounds): Shown {
  return { min, max };
}

function relationResult(
  table: AnalyticsTable,
  { expected, id }: { readonly id: CheckId; readonly expected: Expects },
  { causes, reasons, seqs: shownBy = [], verdict }: Relation,
  otherwise: readonly Suspect[],
): CheckFinding {
  // Of a failure, only what shows it, beside the answers for all products.
  const told = table.rows.filter(
    ({ query, seq }) => verdict !== 'fail' || query.productId === null || shownBy.includes(seq),
  );
  const totals = Object.fromEntries(
    told.map(({ query, topShades, totalSessions }): [string, Shown] => {
      const [first] = topShades.returned ?? [];
      return [
        query.label,
        {
          total_sessions: totalSessions.returned,
          ...(first === undefined ? {} : { 'first of top_shades': `${first.sku}: ${first.selections}` }),
        },
      ];
    }),
  );
  return {
    id,
    verdict,
    expected,
    observed: totals,
    reasons: table.rows.length === 0 ? [noAnswers(table)] : reasons,
    evidence: evidenceIfAny('answers that show it', shownBy),
    ...causesOf(verdict, causes ?? otherwise),
  };
}

function stableResult(table: AnalyticsTable, stability: Stability, exclusive: boolean): CheckFinding {
  return {
    id: 'analytics.stable',
    verdict: stability.verdict,
    expected: expects('analytics.stable', { exclusive }),
    observed: null,
    reasons: table.rows.length === 0 ? [noAnswers(table)] : stability.reasons,
    evidence: evidenceIfAny('answers that differ', stability.seqs ?? []),
    ...causesOf(stability.verdict, stability.causes ?? []),
  };
}

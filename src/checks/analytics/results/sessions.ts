import type { History } from '../../../history/history.ts';
import { historyOrders } from '../../../vocabulary/analytics.ts';
import { parseAssurance, samplesFor } from '../../../vocabulary/quantities.ts';
import { caused } from '../../causes/cause.ts';
import { type CheckFinding, evidence, type Verdict } from '../../core/verdict.ts';
import { differenceLabels, ordersText } from '../../reasons/analytics.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { AnalyticsTable } from './table.ts';

/** The verdict on `GET /sessions/{id}`, session by session, against what the run did. */
export function sessionsResult(history: History, table: AnalyticsTable): CheckFinding {
  const { actsExpected, actsFound, causes, certainSessions, order, readBack, withHistory } =
    table.reconciliation;
  const differences = [
    ...table.reconciliation.differences.map((each) => ({ ...each, reasons: [] })),
    ...(order.broken === null ? [] : [{ kind: 'order' as const, ...order.broken }]),
  ];
  const counts = Object.fromEntries(differences.map(({ kind, count }) => [kind, count]));
  const base = {
    id: 'analytics.sessions',
    observed: {
      sessions: certainSessions,
      read_back: readBack,
      with_history: withHistory,
      interactions_expected: actsExpected,
      interactions_found: actsFound,
      ...(order.fitting.length < historyOrders.length ? { order: ordersText(order.fitting) } : {}),
      ...counts,
    },
  } as const;
  if (differences.length === 0) return { ...base, ...withoutDifference(history, table), evidence: [] };
  return {
    ...base,
    verdict: 'fail',
    reasons: [
      ...differences.flatMap(({ kind, count, reasons }) => [
        reason('sessions-differ', { kind, count }),
        ...reasons,
      ]),
      reason('sessions-read-back', { readBack, sessions: certainSessions }),
      ...notInFull(table.reconciliation.illegible),
    ],
    evidence: differences.map(({ kind, count, seqs }) => ({
      ...evidence(labelOf(kind), seqs),
      total: count,
    })),
    ...caused(causes),
  };
}

/** As every other evidence is called: without a capital. */
function labelOf(kind: keyof typeof differenceLabels): string {
  const label = differenceLabels[kind];
  return `${label.charAt(0).toLowerCase()}${label.slice(1)}`;
}

function notInFull(illegible: readonly Reason[]): Reason[] {
  return illegible.length === 0 ? [] : [...illegible, reason('sessions-not-compared-in-full')];
}

/** What the sample excludes, and whether that is what the profile asks for. */
function excluded(
  { profile, run }: History,
  { certainSessions, readBack }: AnalyticsTable['reconciliation'],
): { readonly isEnough: boolean; readonly reasons: readonly Reason[] } {
  const assurance = profile.assurance === undefined ? undefined : parseAssurance(profile.assurance);
  if (readBack >= certainSessions)
    return { isEnough: true, reasons: [reason('sessions-all-read', { sessions: readBack })] };
  // Sessions that were read for other reasons are no random sample.
  const drawn = Math.min(readBack, run.read_back ?? readBack);
  const needed = assurance === undefined ? 0 : samplesFor(assurance);
  return {
    isEnough: drawn >= needed,
    reasons: [
      reason('sessions-read-back', { readBack, sessions: certainSessions }),
      reason('sessions-excluded', { drawn, confidence: assurance?.confidence ?? 0.95 }),
      ...(drawn >= needed ? [] : [reason('sessions-assurance-unmet', { drawn, needed })]),
    ],
  };
}

function withoutDifference(
  history: History,
  { acts, facts, reconciliation }: AnalyticsTable,
): { readonly verdict: Verdict; readonly reasons: readonly Reason[] } {
  const { profile } = history;
  const { actsExpected, actsFound, certainSessions, illegible, order, orderShown, readBack, withHistory } =
    reconciliation;
  if (readBack === 0)
    return {
      verdict: 'inconclusive',
      reasons: [reason(certainSessions === 0 ? 'sessions-none-created' : 'sessions-none-read', {})],
    };
  const sample = reason('sessions-read-back', { readBack, sessions: certainSessions });
  const { id, list } = profile.session_history;
  if (withHistory === 0 && facts.certainActs + facts.ambiguousActs > 0)
    return { verdict: 'inconclusive', reasons: [sample, reason('sessions-no-list', { list })] };
  if (illegible.length > 0) return { verdict: 'inconclusive', reasons: [sample, ...notInFull(illegible)] };
  const isOrderCompared = actsFound === 0 || orderShown;
  // Oldest first by arrival is what anyone would take for granted.
  const isUsual = order.fitting.includes('arrival');
  const { isEnough, reasons } = excluded(history, reconciliation);
  return {
    verdict: isEnough ? 'pass' : 'inconclusive',
    reasons: [
      ...reasons,
      reason('sessions-agree', { readBack, interactions: actsFound }),
      ...(isOrderCompared ? [] : [reason('sessions-order-not-compared', { name: id })]),
      ...(isOrderCompared && !isUsual ? [reason('sessions-order', { orders: order.fitting })] : []),
      ...(actsExpected === 0 ? [reason('sessions-no-interactions'), ...acts.reasons] : []),
    ],
  };
}

import { counted, number, verb } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { caused } from '../diagnosis/cause.ts';
import { type CheckResult, evidence } from '../verdict.ts';
import type { DifferenceKind } from './differences.ts';
import { historyOrders, ordersText, orderText } from './history-order.ts';
import { locatedText } from './sources.ts';
import type { AnalyticsTable } from './table.ts';

/** What each difference between a run and a history that was read back means: of one, and of several. */
const words: Readonly<Record<DifferenceKind, readonly [one: string, many: string]>> = {
  'not-found': [
    'read of a session that was granted answered 404',
    'reads of sessions that were granted answered 404',
  ],
  'same-id': sessions('granted with the id of an earlier one'),
  'session-id': sessions('read back under another session_id'),
  product: sessions('read back with another product_id'),
  locale: sessions('read back with another locale'),
  catalog: sessions('read back with another catalog_id'),
  'shade-count': sessions('read back with another shade_count than granted'),
  lost: [
    'interaction was acknowledged but is lost from the history',
    'interactions were acknowledged but are lost from the history',
  ],
  duplicate: interactions('more than once (duplicates)'),
  foreign: interactions('that this session never made'),
  refused: interactions(
    'although it was refused or never arrived',
    'although they were refused or never arrived',
  ),
  altered: interactions('with another type or SKU'),
  moment: interactions(
    'with an instant at which it was neither made nor taken in',
    'with an instant at which they were neither made nor taken in',
  ),
};

function sessions(what: string): readonly [string, string] {
  return [`session was ${what}`, `sessions were ${what}`];
}

function interactions(one: string, many = one): readonly [string, string] {
  return [`interaction stands in the history ${one}`, `interactions stand in the history ${many}`];
}

/** The verdict on `GET /sessions/{id}`, session by session, against what the run did. */
export function sessionsResult(
  history: History,
  { reconciliation, acts, facts, sources }: AnalyticsTable,
): CheckResult {
  const { readBack, withHistory, certainSessions, illegible, order } = reconciliation;
  const { broken } = order;
  const differences = [
    ...reconciliation.differences.map((one) => ({ ...one, words: words[one.kind] })),
    ...(broken === null ? [] : [{ kind: 'order', ...broken, words: interactions(broken.words) }]),
  ];
  const counts = Object.fromEntries(differences.map(({ kind, count }) => [kind, count]));
  const sample = `${number(readBack)} of ${counted(certainSessions, 'session')} ${verb(readBack, 'was', 'were')} read back`;
  const list = history.profile.session_history.list;
  const base = {
    id: 'analytics.sessions',
    title: 'Sessions read back as they were created',
    expected:
      'product, locale and catalog as created; every acknowledged interaction once, in one order for all sessions, and no other',
    observed: {
      sessions: certainSessions,
      read_back: readBack,
      with_history: withHistory,
      interactions_expected: reconciliation.actsExpected,
      interactions_found: reconciliation.actsFound,
      ...(order.fitting.length < historyOrders.length ? { order: ordersText(order.fitting) } : {}),
      ...counts,
    },
  } as const;
  if (differences.length > 0) {
    const located = locatedText(sources);
    return {
      ...base,
      verdict: 'fail',
      explanation: `${differences.map(({ count, words: [one, many] }) => counted(count, one, many)).join('; ')}. ${sample}.${located === undefined ? '' : ` In analytics, ${located}.`}${illegible === null ? '' : ` Interactions were not compared in full, since ${illegible}.`}`,
      evidence: differences.map(({ words: [, text], count, seqs }) => ({
        ...evidence(text, seqs),
        total: count,
      })),
      ...caused(reconciliation.causes),
    };
  }
  if (readBack === 0)
    return {
      ...base,
      verdict: 'inconclusive',
      explanation: certainSessions === 0 ? 'No session was granted.' : 'No session was read back.',
      evidence: [],
    };
  if (withHistory === 0 && facts.certainActs + facts.ambiguousActs > 0)
    return {
      ...base,
      verdict: 'inconclusive',
      explanation: `${sample}, but none shows a list named ${JSON.stringify(list)} (profile: session_history.list), so that the interactions cannot be compared.`,
      evidence: [],
    };
  if (illegible !== null)
    return {
      ...base,
      verdict: 'inconclusive',
      explanation: `${sample}, but ${illegible}, so that the interactions cannot be compared in full.`,
      evidence: [],
    };
  const inOrder =
    reconciliation.actsFound === 0 || reconciliation.orderShown
      ? orderText(order)
      : ` Their order was not compared: no entry carries the id of an interaction under ${JSON.stringify(history.profile.session_history.id)} (profile: session_history.id).`;
  const nothing =
    reconciliation.actsExpected === 0
      ? ` No interactions to compare${acts.reason === null ? '' : `: ${acts.reason}`}.`
      : '';
  return {
    ...base,
    verdict: 'pass',
    explanation: `${sample} and ${verb(readBack, 'agrees', 'agree')} with what was done: ${counted(reconciliation.actsFound, 'interaction')}, none lost, doubled or foreign.${inOrder}${nothing}`,
    evidence: [],
  };
}

import { counted, noneOf, number, range } from '../../amounts.ts';
import type { DifferenceKind, HistoryOrder } from '../../vocabulary/analytics.ts';
import type { Interval } from '../../vocabulary/bounds.ts';
import { answerReasons } from './analytics/answers.ts';
import { conventionReasons } from './analytics/conventions.ts';
import { relationReasons } from './analytics/relations.ts';
import { about, either, type InQuery, ofAnswer } from './analytics/words.ts';

/** What is wrong with a list of shades. */
const topShadesReasons = {
  'top-shade-twice': ofAnswer('Shade {sku:text} is listed twice.'),
  'top-unsorted': ofAnswer(
    'Shade {sku:text} with {selections:count selection} comes after a shade with {before}.',
  ),
  'top-too-few': ofAnswer(
    'Expected at least {atLeast:count selection} of shade {sku:text}, got {selections}.',
  ),
  'top-too-many': ({
    atMost,
    hasRepeats,
    selections,
    sku,
    ...of
  }: InQuery & { sku: string; selections: number; atMost: number; hasRepeats: boolean }) =>
    about(
      of,
      `Expected ${atMost === 0 ? 'no selection' : `at most ${counted(atMost, 'selection')}`} of shade ${sku}, got ${number(selections)}.${hasRepeats ? ' Repeated event ids, counted again, explain the number.' : ''}`,
    ),
  'top-missing': ({
    atLeast,
    last,
    sku,
    ...of
  }: InQuery & { sku: string; atLeast: number; last: { sku: string; selections: number } | null }) =>
    about(
      of,
      `Shade ${sku} with at least ${counted(atLeast, 'selection')} is not listed${last === null ? '' : `, but ${last.sku} with ${number(last.selections)} is`}.`,
    ),
  'top-too-long': ofAnswer('Expected at most {atMost:count shade} in the list, got {shades}.'),
  'top-too-short': ofAnswer('Expected {expected:count shade} in the list, got {shades}.'),
  'top-more-faults': 'The list has {faults:count more fault/more faults}.',
} as const;

/** A lag that is known within bounds. */
function lagText({ min = 0, max }: Interval): string {
  if (max === undefined) return `over ${number(min)} ms`;
  return min < 1 ? `at most ${number(max)} ms` : `${range({ min, max })} ms`;
}

/** How soon analytics show new sessions. */
const freshnessReasons = {
  'freshness-fresh':
    'In {polls:count poll} of product {productId:text}, no session was missing {boundMs:span} after it was created.',
  'freshness-late':
    'Expected new sessions within {boundMs:span} (profile: analytics.freshness), but some appeared only after {atLeastMs:span}. All of them appeared in the end, so none is lost.',
  'freshness-lag-grows':
    'Analytics get older during the load, at the same request rate: {beforeMs:span} old in its first quarter, {afterMs:span} in its last (medians).',
  'freshness-stale':
    'Expected new sessions within {boundMs:span} (profile: analytics.freshness), but answers are at least {atLeastMs:span} old.',
  'freshness-stale-since':
    'Analytics of {products:count product} lack exactly the {lacking:count session} created after {asOfMs:span} of the run. Nothing shows that a session is lost.',
  'freshness-shows-nothing':
    'Expected new sessions within {boundMs:span} (profile: analytics.freshness), but {products:count product} {products:has|have} none after {atLeastMs:span}. Analytics lag by more than that, or count nothing.',
  'freshness-missing':
    'Analytics lack {lacking:count session} to the end, and not only the newest, so sessions are lost and not late. See analytics.total-sessions.',
  'freshness-unclear':
    'The last poll lacked {lacking:count session}. Late and lost sessions look alike here, as the newest ones or any others may be missing.',
  'freshness-surplus':
    'An answer counted {sessions:count session} of a product when at most {opened} had been created, and a later one {later}.',
  'freshness-beyond':
    'Analytics show more sessions than the run created, so their number does not show their age.',
  'freshness-not-polled': 'Analytics were not polled while sessions were created or afterwards.',
  'freshness-lag': (params: { sessions: number; p50Ms: Interval; p99Ms: Interval; maxMs: Interval }) =>
    `Lag of ${counted(params.sessions, 'session')} until visible: median ${lagText(params.p50Ms)}, p99 ${lagText(params.p99Ms)}, longest ${lagText(params.maxMs)}.`,
  'freshness-lag-uncertain':
    'Each lag includes the time until the next poll, so a lag of {maxMs} ms may really be within {boundMs} ms.',
  'answers-stale':
    'Analytics are stale by at least {atLeastMs:span}, which may explain this failure: see analytics.freshness.',
} as const;

/** What each difference between a session as it was created and as it was read back is called. */
export const differenceLabels: Readonly<Record<DifferenceKind | 'order', string>> = {
  'not-found': 'Reads of created sessions that got a 404',
  'same-id': 'Sessions created with the id of an earlier session',
  'session-id': 'Sessions read back with another session_id',
  product: 'Sessions read back with another product_id',
  locale: 'Sessions read back with another locale',
  catalog: 'Sessions read back with another catalog_id',
  'shade-count': 'Sessions read back with another shade_count than at creation',
  lost: 'Acknowledged events that are missing from the history',
  duplicate: 'Events that are in the history more than once',
  foreign: 'Events in the history that the run never sent to that session',
  refused: 'Events in the history that were rejected or never arrived',
  altered: 'Events in the history with another type or SKU',
  'no-shade': 'Events in the history that look the same as events on other shades',
  moment: 'Events in the history with a time at which they were neither sent nor stored',
  order: 'Events in the history that are out of order',
};

const orderNames: Readonly<Record<HistoryOrder, string>> = {
  arrival: 'oldest first by arrival',
  at: 'oldest first by their own time',
  'arrival-descending': 'newest first by arrival',
  'at-descending': 'newest first by their own time',
};

/** Orders that are possible: `oldest first by arrival or newest first by arrival`. */
export function ordersText(orders: readonly HistoryOrder[]): string {
  return orders.length === 0 ? 'none' : either(orders.map((order) => orderNames[order]));
}

/** Whether sessions read back as they were created. */
const sessionReasons = {
  'sessions-differ': ({ count, kind }: { kind: DifferenceKind | 'order'; count: number }) =>
    `${differenceLabels[kind]}: ${number(count)}.`,
  'sessions-order-nearest': ({ order }: { order: HistoryOrder }) =>
    `The nearest order is ${ordersText([order])}.`,
  'sessions-order-otherwise': ({ orders, promised }: { orders: readonly HistoryOrder[]; promised: string }) =>
    `Every history is ${ordersText(orders)}, but the profile says ${promised} (session_history.order).`,
  'sessions-orders-vary': 'Each history is in some order, but no single order fits all.',
  'sessions-no-order': 'No other order fits either.',
  'sessions-read-back': 'Of {sessions:count session}, {readBack} {readBack:was|were} read back.',
  'sessions-agree':
    'The fields of {readBack:count session} and {interactions:count event} agree with the run: no event is lost, duplicated or foreign.',
  'sessions-all-read': 'The run read back {sessions:count session} and left out none.',
  'sessions-excluded': ({ confidence, drawn }: { drawn: number; confidence: number }) =>
    `Of sessions that are not stored correctly, ${noneOf(drawn, confidence)}.`,
  'sessions-assurance-unmet':
    "The profile's assurance needs a sample of {needed:count session}; {drawn} {drawn:was|were} read back.",
  'sessions-none-created': 'No session was created.',
  'sessions-none-read': 'No session was read back.',
  'sessions-no-list':
    'No session has a list “{list:text}” (profile: session_history.list), so the events cannot be compared.',
  'sessions-not-compared-in-full': 'The events cannot be compared in full.',
  'history-without-types':
    'No entry of any history has the type shade_selected or cart_intent in “{name:text}” (profile: session_history.type).',
  'history-without-skus':
    'No entry of any history has a SKU in “{name:text}” (profile: session_history.sku).',
  'sessions-order-not-compared':
    'The order was not compared, because no entry has the id of an event in “{name:text}” (profile: session_history.id).',
  'sessions-order': ({ orders }: { orders: readonly HistoryOrder[] }) =>
    `Histories are ${ordersText(orders)}.`,
  'sessions-no-interactions': 'There are no events to compare.',
} as const;

/** Reasons of the analytics checks. */
export const analyticsReasons = {
  ...answerReasons,
  ...topShadesReasons,
  ...relationReasons,
  ...conventionReasons,
  ...freshnessReasons,
  ...sessionReasons,
} as const;

import { counted, number, verb } from '../../../amounts.ts';
import type { DifferenceKind, HistoryOrder } from '../../analytics/vocabulary.ts';
import { wording } from '../wording.ts';
import { either } from './words.ts';

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
export const sessionReasons = {
  'sessions-differ': wording<{ kind: DifferenceKind | 'order'; count: number }>(
    { kind: 'moment', count: 3 },
    ({ count, kind }) => `${differenceLabels[kind]}: ${number(count)}.`,
  ),
  'sessions-order-nearest': wording<{ order: HistoryOrder }>(
    { order: 'arrival-descending' },
    ({ order }) => `The nearest order is ${ordersText([order])}.`,
  ),
  'sessions-order-otherwise': wording<{ orders: readonly HistoryOrder[]; promised: string }>(
    { orders: ['arrival', 'arrival-descending'], promised: 'at' },
    ({ orders, promised }) =>
      `Every history is ${ordersText(orders)}, but the profile says ${promised} (session_history.order).`,
  ),
  'sessions-orders-vary': wording(
    {},
    () => 'Each history by itself is in some order, but no single order fits all.',
  ),
  'sessions-no-order': wording({}, () => 'No other order fits either.'),
  'sessions-read-back': wording(
    { readBack: 3, sessions: 5 },
    ({ readBack, sessions }) =>
      `Of ${counted(sessions, 'session')}, ${number(readBack)} ${verb(readBack, 'was', 'were')} read back.`,
  ),
  'sessions-agree': wording(
    { readBack: 3, interactions: 12 },
    ({ interactions, readBack }) =>
      `The fields of ${counted(readBack, 'session')} and ${counted(interactions, 'event')} agree with the run: no event is lost, duplicated or foreign.`,
  ),
  'sessions-none-created': wording({}, () => 'No session was created.'),
  'sessions-none-read': wording({}, () => 'No session was read back.'),
  'sessions-no-list': wording(
    { list: 'interactions' },
    ({ list }) =>
      `No session has a list “${list}” (profile: session_history.list), so the events cannot be compared.`,
  ),
  'sessions-not-compared-in-full': wording({}, () => 'The events cannot be compared in full.'),
  'history-without-types': wording(
    { name: 'type' },
    ({ name }) =>
      `No entry of any history has the type shade_selected or cart_intent in “${name}” (profile: session_history.type).`,
  ),
  'history-without-skus': wording(
    { name: 'sku' },
    ({ name }) => `No entry of any history has a SKU in “${name}” (profile: session_history.sku).`,
  ),
  'sessions-order-not-compared': wording(
    { name: 'id' },
    ({ name }) =>
      `The order was not compared, because no entry has the id of an event in “${name}” (profile: session_history.id).`,
  ),
  'sessions-order': wording<{ orders: readonly HistoryOrder[] }>(
    { orders: ['arrival-descending'] },
    ({ orders }) => `Histories are ${ordersText(orders)}.`,
  ),
  'sessions-no-interactions': wording({}, () => 'There are no events to compare.'),
} as const;

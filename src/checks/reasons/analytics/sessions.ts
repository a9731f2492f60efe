import { counted, noneOf, number, verb } from '../../../amounts.ts';
import type { DifferenceKind, HistoryOrder } from '../../../vocabulary/analytics.ts';
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
export const sessionReasons = {
  'sessions-differ': ({ count, kind }: { kind: DifferenceKind | 'order'; count: number }) =>
    `${differenceLabels[kind]}: ${number(count)}.`,
  'sessions-order-nearest': ({ order }: { order: HistoryOrder }) =>
    `The nearest order is ${ordersText([order])}.`,
  'sessions-order-otherwise': ({ orders, promised }: { orders: readonly HistoryOrder[]; promised: string }) =>
    `Every history is ${ordersText(orders)}, but the profile says ${promised} (session_history.order).`,
  'sessions-orders-vary': 'Each history by itself is in some order, but no single order fits all.',
  'sessions-no-order': 'No other order fits either.',
  'sessions-read-back': ({ readBack, sessions }: { readBack: number; sessions: number }) =>
    `Of ${counted(sessions, 'session')}, ${number(readBack)} ${verb(readBack, 'was', 'were')} read back.`,
  'sessions-agree': ({ interactions, readBack }: { readBack: number; interactions: number }) =>
    `The fields of ${counted(readBack, 'session')} and ${counted(interactions, 'event')} agree with the run: no event is lost, duplicated or foreign.`,
  'sessions-all-read': ({ sessions }: { sessions: number }) =>
    `The run read back ${counted(sessions, 'session')} and left out none.`,
  'sessions-excluded': ({ confidence, drawn }: { drawn: number; confidence: number }) =>
    `Of sessions that are not stored correctly, ${noneOf(drawn, confidence)}.`,
  'sessions-assurance-unmet': ({ drawn, needed }: { drawn: number; needed: number }) =>
    `The profile's assurance needs a sample of ${counted(needed, 'session')}; ${number(drawn)} ${verb(drawn, 'was', 'were')} read back.`,
  'sessions-none-created': 'No session was created.',
  'sessions-none-read': 'No session was read back.',
  'sessions-no-list': ({ list }: { list: string }) =>
    `No session has a list “${list}” (profile: session_history.list), so the events cannot be compared.`,
  'sessions-not-compared-in-full': 'The events cannot be compared in full.',
  'history-without-types': ({ name }: { name: string }) =>
    `No entry of any history has the type shade_selected or cart_intent in “${name}” (profile: session_history.type).`,
  'history-without-skus': ({ name }: { name: string }) =>
    `No entry of any history has a SKU in “${name}” (profile: session_history.sku).`,
  'sessions-order-not-compared': ({ name }: { name: string }) =>
    `The order was not compared, because no entry has the id of an event in “${name}” (profile: session_history.id).`,
  'sessions-order': ({ orders }: { orders: readonly HistoryOrder[] }) =>
    `Histories are ${ordersText(orders)}.`,
  'sessions-no-interactions': 'There are no events to compare.',
} as const;

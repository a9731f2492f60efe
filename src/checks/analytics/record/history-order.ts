import type { History } from '../../../history/history.ts';
import type { Profile } from '../../../target/profile.ts';
import { type HistoryOrder, historyOrders } from '../../../vocabulary/analytics.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { ReadBack } from './read-back.ts';

/**
 * The order in which GET /sessions/{id} lists what happened. The interface promises the full history and no order, so
 * any one order is right that every history of the run fits.
 */

/** What the histories that were read back show of their order. */
export interface OrderFound {
  /** The orders that every history fits. */
  readonly fitting: readonly HistoryOrder[];
  /** Entries out of order, by the nearest order that the profile allows; null where one fits. */
  readonly broken: {
    readonly count: number;
    readonly seqs: readonly number[];
    /** The order that they are nearest to, and why no other is right. */
    readonly reasons: readonly Reason[];
  } | null;
}

/** Where nothing is compared, every order fits. */
export const anyOrder: OrderFound = { fitting: historyOrders, broken: null };

/** What entries are in order of, without the direction: as the profile has it. */
type OrderedBy = Exclude<Profile['session_history']['order'], 'discover'>;

export function orderedBy(order: HistoryOrder): OrderedBy {
  return order.startsWith('at') ? 'at' : 'arrival';
}

/** What the histories are in order of; undefined where this run cannot tell. */
export function orderKnown({ fitting }: OrderFound): OrderedBy | undefined {
  const [one, other] = new Set(fitting.map(orderedBy));
  return other === undefined ? one : undefined;
}

/** Holds every history against each order. */
export async function historyOrder(history: History, readBack: ReadBack): Promise<OrderFound> {
  const places = disorderIn(await history.columns(matchedSql(readBack)));
  const broken = [...Map.groupBy(places, ({ seq }) => seq).values()].map(
    (of) => new Set(of.map(({ order }) => order)),
  );
  const fitting = historyOrders.filter((order) => broken.every((orders) => !orders.has(order)));
  const promised = history.profile.session_history.order;
  const allowed = historyOrders.filter((order) => promised === 'discover' || orderedBy(order) === promised);
  if (allowed.some((order) => fitting.includes(order))) return { fitting, broken: null };
  const [nearest] = allowed
    .map((order) => ({ order, of: places.filter((place) => place.order === order) }))
    .toSorted((a, b) => a.of.length - b.of.length);
  if (nearest === undefined) throw new Error('no order is allowed');
  const { order, of } = nearest;
  const seqs = [...new Set(of.map(({ seq }) => seq))].toSorted((a, b) => a - b);
  return {
    fitting,
    broken: {
      count: of.length,
      seqs: seqs.slice(0, 10),
      reasons: [
        reason('sessions-order-nearest', { order }),
        fitting.length > 0
          ? reason('sessions-order-otherwise', { orders: fitting, promised })
          : broken.every((orders) => orders.size < historyOrders.length)
            ? reason('sessions-orders-vary')
            : reason('sessions-no-order'),
      ],
    },
  };
}

/** SQL: the entries that are matched by id, in the order listed, as columns of numbers. Windows of SQL would take 3 ms each. */
const matchedSql = ({ due, entries, reads }: ReadBack): string => `
  SELECT ${[
    'r.seq',
    'a.first_sent_ns',
    'a.arrived_ns',
    'a.place',
    'least(a.first_at_ms, e.at_ms)',
    'greatest(a.last_at_ms, e.at_ms)',
  ]
    .map((column) => `CAST(${column} AS DOUBLE)`)
    .join(', ')}
  FROM ${entries} e JOIN ${due} a ON a.session = e.session AND a.id = e.act_id JOIN ${reads} r ON r.session = e.session
  WHERE a.state = 2 AND e.by_id ORDER BY r.seq, e.pos`;

/** An entry that a history shows on the wrong side of another by an order; `seq` is the read. */
interface Misplaced {
  readonly order: HistoryOrder;
  readonly seq: number;
}

/**
 * Requests that overlapped may have arrived in either order, and events of one instant may stand in either. An event's own
 * instant is the one that was sent or the one that is shown, which may be rounded: it lies between.
 */
function disorderIn(columns: readonly Float64Array[]): Misplaced[] {
  const [seqs = new Float64Array()] = columns;
  const rows = [...seqs.keys()];
  return [
    ...misplaced(columns, rows.toReversed(), 'arrival', 'at'),
    ...misplaced(columns, rows, 'arrival-descending', 'at-descending'),
  ];
}

/** Of `rows`, those that have to stand on the other side of one that comes before them. Nothing is less than what is unknown. */
function misplaced(
  columns: readonly Float64Array[],
  rows: readonly number[],
  byArrival: HistoryOrder,
  byInstant: HistoryOrder,
): Misplaced[] {
  const found: Misplaced[] = [];
  let read = Number.NaN;
  let arrived = Number.POSITIVE_INFINITY;
  let instant = Number.POSITIVE_INFINITY;
  /** The least place, of the events of one request. */
  const places = new Map<string, number>();
  for (const row of rows) {
    const at = (k: number): number => columns[k]?.[row] ?? Number.NaN;
    const [seq, sentNs, arrivedNs, place, fromMs, toMs] = [at(0), at(1), at(2), at(3), at(4), at(5)];
    if (seq !== read) {
      read = seq;
      arrived = instant = Number.POSITIVE_INFINITY;
      places.clear();
    }
    const request = `${sentNs} ${arrivedNs}`;
    const least = places.get(request) ?? Number.POSITIVE_INFINITY;
    if (arrived < sentNs || least < place) found.push({ order: byArrival, seq });
    if (instant < fromMs) found.push({ order: byInstant, seq });
    places.set(request, Math.min(least, place));
    if (arrivedNs < arrived) arrived = arrivedNs;
    if (toMs < instant) instant = toMs;
  }
  return found;
}

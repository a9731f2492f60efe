import { z } from 'zod';
import type { Tables } from '../../history/tables.ts';
import type { Profile } from '../../target/profile.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import type { ReadBack } from './read-back.ts';
import { type HistoryOrder, historyOrders } from './vocabulary.ts';

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
export type OrderedBy = Exclude<Profile['session_history']['order'], 'discover'>;

export function orderedBy(order: HistoryOrder): OrderedBy {
  return order.startsWith('at') ? 'at' : 'arrival';
}

/** What the histories are in order of; undefined where this run cannot tell. */
export function orderKnown({ fitting }: OrderFound): OrderedBy | undefined {
  const [one, other] = new Set(fitting.map(orderedBy));
  return other === undefined ? one : undefined;
}

const allOf = z.object({ orders: z.array(z.enum(historyOrders)), reads: z.number(), entries: z.number() });
const placesOf = z.object({ n: z.number(), seqs: z.array(z.number()) });

/** Holds every history against each order. */
export async function historyOrder(tables: Tables, readBack: ReadBack): Promise<OrderFound> {
  const { history } = tables;
  const disorder = await tables.make('disorder', 'kind seq', disorderSql(readBack));
  const groups = await history.rows(
    allOf,
    `SELECT orders, count(*) AS reads, sum(entries) AS entries FROM (
       SELECT seq, list(DISTINCT kind ORDER BY kind) AS orders, count(*) AS entries FROM ${disorder} GROUP BY seq
     ) GROUP BY orders ORDER BY reads DESC`,
  );
  const fitting = historyOrders.filter((order) => groups.every(({ orders }) => !orders.includes(order)));
  const promised = history.profile.session_history.order;
  const allowed = historyOrders.filter((order) => promised === 'discover' || orderedBy(order) === promised);
  if (allowed.some((order) => fitting.includes(order))) return { fitting, broken: null };
  const places = await Promise.all(
    allowed.map(async (order) => {
      const [found] = await history.rows(
        placesOf,
        `SELECT count(*) AS n, list_slice(list(DISTINCT CAST(seq AS DOUBLE) ORDER BY CAST(seq AS DOUBLE)), 1, 10) AS seqs
         FROM ${disorder} WHERE kind = '${order}'`,
      );
      return { order, count: found?.n ?? 0, seqs: found?.seqs ?? [] };
    }),
  );
  const [nearest] = places.toSorted((a, b) => a.count - b.count);
  if (nearest === undefined) throw new Error('no order is allowed');
  const { order, count, seqs } = nearest;
  return {
    fitting,
    broken: {
      count,
      seqs,
      reasons: [
        reason('sessions-order-nearest', { order }),
        fitting.length > 0
          ? reason('sessions-order-otherwise', { orders: fitting, promised })
          : groups.every(({ orders }) => orders.length < historyOrders.length)
            ? reason('sessions-orders-vary')
            : reason('sessions-no-order'),
      ],
    },
  };
}

/**
 * SQL: `(kind, seq)` for each entry, matched by id, that a history shows on the wrong side of another by an order of that
 * kind, `seq` being the read. Requests that overlapped may have arrived in either order, and events of one instant may stand
 * in either. An event's own instant is the one that was sent or the one that is shown, which may be rounded: it lies between.
 */
const disorderSql = ({ due, entries, reads }: ReadBack): string => `
  SELECT unnest(kinds) AS kind, seq FROM (
    SELECT list_filter([
        CASE WHEN next_arrived < first_sent_ns OR next_place < place THEN 'arrival' END,
        CASE WHEN previous_arrived < first_sent_ns OR previous_place < place THEN 'arrival-descending' END,
        CASE WHEN next_to_ms < from_ms THEN 'at' END,
        CASE WHEN previous_to_ms < from_ms THEN 'at-descending' END
      ], lambda kind: kind IS NOT NULL) AS kinds, seq
    FROM (
      SELECT seq, first_sent_ns, place, from_ms,
        min(arrived_ns) OVER (later ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_arrived,
        min(place) OVER (later_alike ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_place,
        min(to_ms) OVER (later ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_to_ms,
        min(arrived_ns) OVER (earlier ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS previous_arrived,
        min(place) OVER (earlier_alike ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS previous_place,
        min(to_ms) OVER (earlier ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS previous_to_ms
      FROM (
        SELECT e.session, e.pos, r.seq, a.first_sent_ns, a.arrived_ns, a.place,
          least(a.first_at_ms, e.at_ms) AS from_ms, greatest(a.last_at_ms, e.at_ms) AS to_ms
        FROM ${entries} e JOIN ${due} a ON a.session = e.session AND a.id = e.act_id
        JOIN ${reads} r ON r.session = e.session
        WHERE a.state = 2 AND e.by_id
      )
      WINDOW later AS (PARTITION BY session ORDER BY pos),
        later_alike AS (PARTITION BY session, first_sent_ns, arrived_ns ORDER BY pos),
        earlier AS (PARTITION BY session ORDER BY pos DESC),
        earlier_alike AS (PARTITION BY session, first_sent_ns, arrived_ns ORDER BY pos DESC)
    ))`;

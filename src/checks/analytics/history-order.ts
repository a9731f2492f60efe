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

const allOf = z.object({ against: z.number() });
const placesOf = z.object({ n: z.number(), seqs: z.array(z.number()) });

/** Holds every history against each order. */
export async function historyOrder(tables: Tables, readBack: ReadBack): Promise<OrderFound> {
  const { history } = tables;
  const disorder = await tables.make('disorder', 'against seq', disorderSql(readBack));
  const groups = await history.rows(
    allOf,
    `SELECT DISTINCT bit_or(against) AS against FROM ${disorder} GROUP BY seq`,
  );
  const fitting = historyOrders.filter((order) =>
    groups.every(({ against }) => (against & bitOf(order)) === 0),
  );
  const promised = history.profile.session_history.order;
  const allowed = historyOrders.filter((order) => promised === 'discover' || orderedBy(order) === promised);
  if (allowed.some((order) => fitting.includes(order))) return { fitting, broken: null };
  const places = await Promise.all(
    allowed.map(async (order) => {
      const [found] = await history.rows(
        placesOf,
        `SELECT count(*) AS n, list_slice(list(DISTINCT CAST(seq AS DOUBLE) ORDER BY CAST(seq AS DOUBLE)), 1, 10) AS seqs
         FROM ${disorder} WHERE against & ${bitOf(order)} > 0`,
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
          : groups.every(({ against }) => against < bitsOfAll)
            ? reason('sessions-orders-vary')
            : reason('sessions-no-order'),
      ],
    },
  };
}

/** Each order by a bit of a number. */
function bitOf(order: HistoryOrder): number {
  return 2 ** historyOrders.indexOf(order);
}
const bitsOfAll = 2 ** historyOrders.length - 1;

/**
 * SQL: `(against, seq)` for each entry, matched by id, that a history shows on the wrong side of another by the orders whose
 * bits are in `against`, `seq` being the read. Requests that overlapped may have arrived in either order, and events of one
 * instant may stand in either. An event's own instant is the one that was sent or the one that is shown, which may be
 * rounded: it lies between.
 */
function disorderSql({ due, entries, reads }: ReadBack): string {
  const wrong: Readonly<Record<HistoryOrder, string>> = {
    arrival: 'next_arrived < first_sent_ns OR next_place < place',
    'arrival-descending': 'previous_arrived < first_sent_ns OR previous_place < place',
    at: 'next_to_ms < from_ms',
    'at-descending': 'previous_to_ms < from_ms',
  };
  const [before, after] = ['UNBOUNDED PRECEDING AND 1 PRECEDING', '1 FOLLOWING AND UNBOUNDED FOLLOWING'];
  return `SELECT * FROM (
    SELECT ${historyOrders.map((order) => `CASE WHEN ${wrong[order]} THEN ${bitOf(order)} ELSE 0 END`).join(' + ')} AS against, seq
    FROM (
      SELECT r.seq, a.first_sent_ns, a.place, least(a.first_at_ms, e.at_ms) AS from_ms, greatest(a.last_at_ms, e.at_ms) AS to_ms,
        min(a.arrived_ns) OVER (listed ROWS BETWEEN ${after}) AS next_arrived,
        min(a.place) OVER (alike ROWS BETWEEN ${after}) AS next_place,
        min(to_ms) OVER (listed ROWS BETWEEN ${after}) AS next_to_ms,
        min(a.arrived_ns) OVER (listed ROWS BETWEEN ${before}) AS previous_arrived,
        min(a.place) OVER (alike ROWS BETWEEN ${before}) AS previous_place,
        min(to_ms) OVER (listed ROWS BETWEEN ${before}) AS previous_to_ms
      FROM ${entries} e JOIN ${due} a ON a.session = e.session AND a.id = e.act_id
      JOIN ${reads} r ON r.session = e.session
      WHERE a.state = 2 AND e.by_id
      WINDOW listed AS (PARTITION BY e.session ORDER BY e.pos),
        alike AS (PARTITION BY e.session, a.first_sent_ns, a.arrived_ns ORDER BY e.pos)
    )) WHERE against > 0`;
}

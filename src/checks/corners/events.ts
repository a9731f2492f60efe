import type { SentValue } from '../../corners/coverage.ts';
import { ownText } from '../../history/sql-text.ts';

/** Reads what was sent, with what became of it, as text. */
export type ReadTexts = (sql: string) => Promise<SentValue<string>[]>;

/** How many events of a history are looked at. */
const mostEvents = 200_000;

/** In which orders events were sent, as words of the catalogue. One request for each session that has the order. */
export function eventOrders(texts: ReadTexts): Promise<SentValue<string>[]> {
  const orders: Readonly<Record<string, string>> = {
    'cart-first': 'first_is_cart AND acts > 1',
    'cart-alone': 'carts > 0 AND shades = 0',
    'cart-without-sku': 'bare_carts > 0',
    'cart-twice': 'carts > 1',
    'selected-after-cart': 'first_cart < last_shade',
    'selected-again': 'shades > different',
    'one-instant': 'acts > instants',
    'out-of-order': 'backwards > 0',
    'sent-again': 'sendings > acts',
    'at-once': 'overlapping > 0',
  };
  const words = Object.entries(orders).map(
    ([value, condition]) =>
      `SELECT ${ownText(value)} AS value, '' AS scope, count(*) AS requests, count(*) FILTER (accepted) AS accepted,
         count(*) FILTER (NOT accepted) AS rejected
       FROM session WHERE coalesce(${condition}, false)`,
  );
  return texts(`
    WITH sent AS (
      SELECT i.session_id, i.id, i.type, i.sku, i."at", i.place, coalesce(r.status BETWEEN 200 AND 299, false) AS ok,
        lag(i."at") OVER (PARTITION BY i.session_id ORDER BY i.place) AS at_before,
        lag(r.answered_ns) OVER (PARTITION BY i.session_id ORDER BY i.place) > r.sent_ns
          AND lag(i.seq) OVER (PARTITION BY i.session_id ORDER BY i.place) <> i.seq AS overlapped
      FROM (FROM interactions WHERE place < ${mostEvents}) i JOIN requests r ON r.seq = i.seq),
    session AS (
      SELECT session_id, bool_or(ok) AS accepted, arg_min(type, place) = 'cart_intent' AS first_is_cart,
        count(DISTINCT id) AS acts, count(*) AS sendings, count(DISTINCT "at") AS instants,
        count(*) FILTER (type = 'cart_intent') AS carts, count(*) FILTER (type = 'cart_intent' AND coalesce(sku, '') = '') AS bare_carts,
        count(*) FILTER (type = 'shade_selected') AS shades, count(DISTINCT sku) FILTER (type = 'shade_selected') AS different,
        min(place) FILTER (type = 'cart_intent') AS first_cart, max(place) FILTER (type = 'shade_selected') AS last_shade,
        count(*) FILTER ("at" < at_before) AS backwards, count(*) FILTER (overlapped) AS overlapping
      FROM sent GROUP BY session_id)
    ${words.join(' UNION ALL ')}`);
}

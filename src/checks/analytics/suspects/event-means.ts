import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { type MeanField, meanFields } from '../../../vocabulary/analytics.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { admitted } from '../../core/found.ts';
import { within } from '../compare/fit.ts';
import { cellNames, hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import { groupRow, knownOf } from './session-groups.ts';

/** More events are not read for the sake of a cause. */
const mostEvents = 1_000_000;
/** Numbers of events to which those of a session may be cut. */
const capsTried = [5, 10, 20, 50, 100] as const;
/** Statuses of rejected events that may count nevertheless. */
const rejectedWith = [400, 401, 403, 404, 409, 410, 413, 422, 429] as const;

const eventGroup = groupRow.extend({
  any_shades: z.number(),
  shades_with_rejected: z.array(z.number()),
  cart_later: z.boolean(),
  cart_first: z.boolean(),
  cart_odd: z.boolean(),
  first_shades: z.array(z.number()),
});
type EventGroup = z.output<typeof eventGroup>;

/** What a session adds to the sum, in place of what it should, by the cause that this is. */
const others: Readonly<Record<MeanField, readonly (readonly [Suspect, (group: EventGroup) => number])[]>> = {
  avg_shades_per_session: [
    [other('avg_shades_per_session', 'shades-with-any-event'), ({ any_shades: shades }) => shades],
    ...rejectedWith.map(
      (status, place) =>
        [
          fits('rejected-events-counted', { status }),
          ({ shades_with_rejected: shades }: EventGroup) => shades[place] ?? 0,
        ] as const,
    ),
    ...capsTried.map(
      (most, place) =>
        [
          fits('events-capped', { most }),
          ({ first_shades: shades }: EventGroup) => shades[place] ?? 0,
        ] as const,
    ),
  ],
  cart_intent_rate: [
    [
      other('cart_intent_rate', 'sessions-with-cart-intent-after-a-selection'),
      ({ cart_later: counts }) => Number(counts),
    ],
    [
      other('cart_intent_rate', 'sessions-that-begin-with-cart-intent'),
      ({ cart_first: counts }) => Number(counts),
    ],
    [
      other('cart_intent_rate', 'sessions-with-an-odd-number-of-cart-intents'),
      ({ cart_odd: counts }) => Number(counts),
    ],
  ],
};

function other(field: MeanField, of: string): Suspect {
  return fits('mean-of-other', { field, of, by: 'sessions' });
}

/** What a wrong average or rate over all sessions counts instead, where the order or the kind of events tells it. */
export async function eventMeans(history: History, table: AnalyticsTable): Promise<SuspectHypothesis[]> {
  const wrong = meanFields.filter((field) => wrongRows(table, field).length > 0);
  const { facts, search } = table;
  if (wrong.length === 0 || search === undefined || facts.certainActs > mostEvents) return [];
  const all = await history.rows(eventGroup, eventsSql);
  const { decimals } = history.profile.analytics;
  return wrong.flatMap((field) => {
    const known = table.rows.flatMap((row) => knownOf(search.chosen, row, field, all));
    if (!known.some(({ row }) => row[cellNames[field]].verdict === 'fail')) return [];
    const found = others[field].find(([, part]) =>
      known.every(({ groups, value }) => {
        const sum = (of: (group: EventGroup) => number): number =>
          groups.reduce((total, group) => total + of(group) * group.sessions, 0);
        const mean = sum(part) / sum(() => 1);
        return within(value, { min: mean, max: mean }, decimals);
      }),
    );
    return found === undefined ? [] : hypotheses(table, [field], (seqs) => ({ ...found[0], seqs }));
  });
}

/** SQL: sessions with equal numbers. An event that was sent again is the first of its id; `ok`: it was accepted once. */
const eventsSql = `
  WITH event AS (
    SELECT i.session_id, i.id, any_value(i.type = 'cart_intent') AS cart, any_value(i.sku) AS sku, min(i.place) AS place,
      bool_or(r.${admitted}) AS ok, any_value(r.status) AS status
    FROM interactions i JOIN requests r ON r.seq = i.seq AND r.endpoint = 'interact' AND r.status BETWEEN 200 AND 499
    GROUP BY i.session_id, i.id
  ), placed AS (
    SELECT *, row_number() OVER (PARTITION BY session_id, ok ORDER BY place) AS nth FROM event
  ), told AS (
    SELECT session_id, count(DISTINCT sku) FILTER (ok AND sku <> '') AS any_shades,
      [${rejectedWith.map((status) => `count(DISTINCT sku) FILTER (NOT cart AND (ok OR status = ${status}))::DOUBLE`).join(', ')}] AS shades_with_rejected,
      coalesce(max(nth) FILTER (ok AND cart) > min(nth) FILTER (ok AND NOT cart), false) AS cart_later,
      coalesce(min(nth) FILTER (ok AND cart) = 1, false) AS cart_first,
      count(*) FILTER (ok AND cart) % 2 = 1 AS cart_odd,
      [${capsTried.map((most) => `count(DISTINCT sku) FILTER (ok AND NOT cart AND nth <= ${most})::DOUBLE`).join(', ')}] AS first_shades
    FROM placed GROUP BY session_id
  )
  SELECT credential, product_id, distinct_shades AS shades, 0 AS selections, 0 AS carts, doubtful, repeated,
    coalesce(any_shades, 0) AS any_shades, coalesce(shades_with_rejected, []) AS shades_with_rejected,
    coalesce(cart_later, false) AS cart_later,
    coalesce(cart_first, false) AS cart_first, coalesce(cart_odd, false) AS cart_odd,
    coalesce(first_shades, []) AS first_shades, count(*) AS sessions
  FROM sessions s LEFT JOIN told t USING (session_id) WHERE granted AND NOT again
  GROUP BY ALL`;

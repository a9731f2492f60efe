import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { admitted } from '../../core/found.ts';
import type { AnswerRow, JudgedAnswers } from '../compare/answer-row.ts';
import type { Frame } from '../conventions/conventions.ts';
import { periodOf } from '../conventions/zones.ts';

/** More sessions, or events, are not looked at one by one for the sake of a cause. */
const mostSessions = 200_000;
const mostEvents = 1_000_000;

/** An event of a shopper that got a deciding answer: those that are sent again are the first of their id. Instants are milliseconds since the run's zero. */
export interface KnownEvent {
  readonly sku: string | null;
  readonly isCart: boolean;
  readonly isAccepted: boolean;
  readonly status: number;
  /** How often it was accepted. */
  readonly times: number;
  /** Its place in its request, from 1 on, and the number of events in it. */
  readonly placeInBatch: number;
  readonly batch: number;
  /** Its place among all accepted selections of the run, from 1 on. */
  readonly ordinal: number;
  readonly sentMs: number;
  readonly answeredMs: number;
}

export interface KnownSession {
  readonly credential: string;
  readonly product: string | null;
  readonly locale: string | null;
  readonly catalog: string | null;
  readonly sentMs: number;
  readonly answeredMs: number;
  /** Its place in the run, and among those of its product, from 1 on. */
  readonly ordinal: number;
  readonly ordinalOfProduct: number;
  readonly isDoubtful: boolean;
  /** In the order of sending, the rejected ones among them. */
  readonly events: readonly KnownEvent[];
  /** Which of them may count: those accepted, once or as often as they were. */
  readonly ways: EventLists;
}

/** The events of a session that count: a list for each way it may be. */
export type EventLists = readonly (readonly KnownEvent[])[];

/** An answer of which every session that it has to count is known. */
export interface KnownAnswer {
  readonly row: AnswerRow;
  /** Its place among the answers. */
  readonly place: number;
  readonly sessions: readonly KnownSession[];
  /** The period, in ms since the run's zero. */
  readonly period: readonly [fromMs: number, untilMs: number];
  /** Those of all products, in the same period. */
  readonly account: readonly KnownSession[];
  /** Whether the events of all of them are known. */
  readonly hasEvents: boolean;
}

/** What sessions have in common; they have its place in the order of the query. */
const kindRow = z.object({
  credential: z.string(),
  product: z.string().nullable(),
  locale: z.string().nullable(),
  catalog: z.string().nullable(),
});

/** The answers whose sessions are all known under the conventions that the answers are judged by; none where there are too many. */
export async function knownAnswers(history: History, table: JudgedAnswers): Promise<KnownAnswer[]> {
  const { acts, facts, rows, search } = table;
  if (search === undefined || facts.granted > mostSessions) return [];
  const hasEvents = acts.kind === 'known' && facts.channelRequests > 0 && facts.sent <= mostEvents;
  const all = await sessionsOf(history, hasEvents);
  const { frame } = search.chosen.evaluation;
  const dated = all.map((session) => ({ session, ...datedIn(session, frame) }));
  return rows.flatMap((row, place): KnownAnswer[] => {
    const { credential, endDate, productId, startDate } = row.query;
    const period = periodOf(startDate, endDate, frame.end, frame.zone);
    if (period === undefined) return [];
    const roles: readonly string[] = frame.account.of[credential];
    const zeroMs = history.run.zero_epoch_ms;
    const [fromMs, untilMs] = [period.startMs - zeroMs, period.endLowMs - zeroMs];
    const account = dated.flatMap(({ leastMs, mostMs, session }) =>
      leastMs >= fromMs && mostMs < untilMs && roles.includes(session.credential) ? session : [],
    );
    const sessions = productId === null ? account : account.filter(({ product }) => product === productId);
    const { expected } = row.totalSessions;
    if (expected?.min !== sessions.length || expected.max !== sessions.length) return [];
    const areCertain = hasEvents && sessions.length > 0 && !sessions.some(({ isDoubtful }) => isDoubtful);
    return [{ row, place, period: [fromMs, untilMs], sessions, account, hasEvents: areCertain }];
  });
}

/** The instant by which a session is dated: its creation, or its last event. */
function datedIn(
  { answeredMs, events, sentMs }: KnownSession,
  { day }: Frame,
): { readonly leastMs: number; readonly mostMs: number } {
  const last = day === 'creation' ? undefined : events.findLast(({ isAccepted }) => isAccepted);
  return { leastMs: last?.sentMs ?? sentMs, mostMs: last?.answeredMs ?? answeredMs };
}

/** All sessions of the run, in the order of their creation. Read as columns of numbers: rows take ten times as long. */
async function sessionsOf(history: History, hasEvents: boolean): Promise<KnownSession[]> {
  const kinds = await history.rows(
    kindRow,
    `SELECT DISTINCT credential, product, locale, catalog FROM (${creationsSql}) ORDER BY ALL`,
  );
  const [numbers = none, kind = none, sentMs = none, answeredMs = none, doubtful = none] =
    await history.columns(
      `SELECT seq::DOUBLE, dense_rank() OVER (ORDER BY credential, product, locale, catalog)::DOUBLE, sent_ns / 1e6, answered_ns / 1e6,
       doubtful::DOUBLE
     FROM (${creationsSql}) ORDER BY sent_ns`,
    );
  const events = hasEvents ? await eventsBySession(history) : undefined;
  const products = new Map<string | null, number>();
  return Array.from(numbers, (seq, at): KnownSession => {
    const named = kinds[(kind[at] ?? 0) - 1];
    if (named === undefined) throw new Error(`session ${seq}: no kind ${kind[at]} of ${kinds.length}`);
    const ordinalOfProduct = (products.get(named.product) ?? 0) + 1;
    products.set(named.product, ordinalOfProduct);
    const own = events?.get(seq) ?? [];
    return {
      ...named,
      ...{ ordinal: at + 1, ordinalOfProduct, isDoubtful: doubtful[at] === 1 },
      ...{ sentMs: sentMs[at] ?? Number.NaN, answeredMs: answeredMs[at] ?? Number.NaN },
      events: own,
      ways: waysOf(own),
    };
  });
}

const none = new Float64Array();

function waysOf(events: readonly KnownEvent[]): EventLists {
  const accepted = events.every(({ isAccepted }) => isAccepted)
    ? events
    : events.filter(({ isAccepted }) => isAccepted);
  return accepted.some(({ times }) => times > 1)
    ? [accepted, accepted.flatMap((event) => Array.from({ length: event.times }, () => event))]
    : [accepted];
}

async function eventsBySession(history: History): Promise<ReadonlyMap<number, readonly KnownEvent[]>> {
  const skus = await history.rows(z.object({ sku: z.string() }), `${skusSql} ORDER BY sku`);
  const columns = await history.columns(eventsSql);
  const [session = none, cart = none, sku = none, ok = none, status = none, times = none] = columns;
  const [place = none, batch = none, sentMs = none, answeredMs = none, ordinal = none] = columns.slice(6);
  const bySession = new Map<number, KnownEvent[]>();
  for (const [at, seq] of session.entries()) {
    const events = bySession.get(seq) ?? [];
    bySession.set(seq, events);
    events.push({
      sku: skus[(sku[at] ?? 0) - 1]?.sku ?? null,
      isCart: cart[at] === 1,
      isAccepted: ok[at] === 1,
      status: status[at] ?? 0,
      times: times[at] ?? 0,
      placeInBatch: place[at] ?? 0,
      batch: batch[at] ?? 0,
      ordinal: ordinal[at] ?? 0,
      sentMs: sentMs[at] ?? 0,
      answeredMs: answeredMs[at] ?? 0,
    });
  }
  return bySession;
}

const creationsSql = `
  SELECT s.seq, s.credential, s.product_id AS product, r.locale, r.catalog_id AS catalog, r.sent_ns, r.answered_ns, s.doubtful
  FROM sessions s JOIN requests r ON r.seq = s.seq WHERE s.granted AND NOT s.again`;

const skusSql = 'SELECT DISTINCT sku FROM interactions WHERE sku IS NOT NULL';

const eventsSql = `
  WITH named AS (SELECT sku, row_number() OVER (ORDER BY sku) AS number FROM (${skusSql})), placed AS (
    SELECT i.*, r.status, r.${admitted} AS ok, r.sent_ns, r.answered_ns, s.seq AS session,
      row_number() OVER (PARTITION BY i.seq ORDER BY i.place) AS in_batch, count(*) OVER (PARTITION BY i.seq) AS batch
    FROM interactions i JOIN requests r ON r.seq = i.seq AND r.endpoint = 'interact' AND r.status BETWEEN 200 AND 499
    JOIN sessions s ON s.session_id = i.session_id AND s.granted AND NOT s.again
  ), event AS (
    SELECT any_value(session) AS session, any_value(type = 'cart_intent') AS cart, any_value(sku) AS sku, bool_or(ok) AS ok,
      any_value(status) AS status, count(*) FILTER (ok) AS times, min(place) AS written,
      arg_min(in_batch, place) AS in_batch, arg_min(batch, place) AS batch,
      arg_min(sent_ns, place) / 1e6 AS sent_ms, arg_min(answered_ns, place) / 1e6 AS answered_ms
    FROM placed GROUP BY session_id, id
  )
  SELECT session::DOUBLE, cart::DOUBLE, number::DOUBLE, ok::DOUBLE, status::DOUBLE, times::DOUBLE, in_batch::DOUBLE, batch::DOUBLE,
    sent_ms, answered_ms, (row_number() OVER (PARTITION BY ok AND NOT cart ORDER BY written))::DOUBLE
  FROM event LEFT JOIN named USING (sku) ORDER BY written`;

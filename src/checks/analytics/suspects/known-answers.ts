import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { admitted } from '../../core/found.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import type { Frame } from '../conventions/conventions.ts';
import { periodOf } from '../conventions/period.ts';

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
}

/** An answer of which every session that it has to count is known. */
export interface KnownAnswer {
  readonly row: AnswerRow;
  /** Its place among the answers. */
  readonly place: number;
  readonly sessions: readonly KnownSession[];
  /** Those of all products, in the same period. */
  readonly account: readonly KnownSession[];
  /** Whether the events of all of them are known. */
  readonly hasEvents: boolean;
}

const sessionRow = z.object({
  seq: z.number(),
  credential: z.string(),
  product: z.string().nullable(),
  locale: z.string().nullable(),
  catalog: z.string().nullable(),
  sent_ms: z.number(),
  answered_ms: z.number(),
  doubtful: z.boolean(),
});
const eventRow = z.object({
  session: z.number(),
  cart: z.boolean(),
  sku: z.string().nullable(),
  ok: z.boolean(),
  status: z.number(),
  times: z.number(),
  place: z.number(),
  batch: z.number(),
  ordinal: z.number(),
  sent_ms: z.number(),
  answered_ms: z.number(),
});

/** The answers whose sessions are all known under the conventions that the answers are judged by; none where there are too many. */
export async function knownAnswers(history: History, table: AnalyticsTable): Promise<KnownAnswer[]> {
  const { acts, facts, rows, search } = table;
  if (search === undefined || facts.granted > mostSessions) return [];
  const hasEvents = acts.kind === 'known' && facts.sent <= mostEvents;
  const all = await sessionsOf(history, hasEvents);
  const { frame } = search.chosen.evaluation;
  return rows.flatMap((row, place): KnownAnswer[] => {
    const { credential, productId } = row.query;
    const roles: readonly string[] = frame.account.of[credential];
    const account = all.filter(
      (each) => roles.includes(each.credential) && isWithin(each, row, frame, history.run.zero_epoch_ms),
    );
    const sessions = account.filter(({ product }) => productId === null || product === productId);
    const { expected } = row.totalSessions;
    if (expected?.min !== sessions.length || expected.max !== sessions.length) return [];
    const areCertain = hasEvents && sessions.length > 0 && !sessions.some(({ isDoubtful }) => isDoubtful);
    return [{ row, place, sessions, account, hasEvents: areCertain }];
  });
}

/** Whether a session is of the period of an answer, in whichever instant of its creation, or of its last event. */
function isWithin(
  { answeredMs, events, sentMs }: KnownSession,
  { query }: AnswerRow,
  frame: Frame,
  zeroMs: number,
): boolean {
  const period = periodOf(query.startDate, query.endDate, frame.end, frame.zone);
  if (period === undefined) return false;
  const last = frame.day === 'creation' ? undefined : events.findLast(({ isAccepted }) => isAccepted);
  return (
    zeroMs + (last?.sentMs ?? sentMs) >= period.startMs &&
    zeroMs + (last?.answeredMs ?? answeredMs) < period.endLowMs
  );
}

/** All sessions of the run, in the order of their creation. */
async function sessionsOf(history: History, hasEvents: boolean): Promise<KnownSession[]> {
  const sessions = await history.rows(
    sessionRow,
    `SELECT s.seq, s.credential, s.product_id AS product, r.locale, r.catalog_id AS catalog, r.sent_ns / 1e6 AS sent_ms,
       r.answered_ns / 1e6 AS answered_ms, s.doubtful
     FROM sessions s JOIN requests r ON r.seq = s.seq WHERE s.granted AND NOT s.again ORDER BY r.sent_ns`,
  );
  const events = hasEvents ? await history.rows(eventRow, eventsSql) : [];
  const bySession = Map.groupBy(events, ({ session }) => session);
  const products = new Map<string | null, number>();
  return sessions.map(({ answered_ms, doubtful, sent_ms, seq, ...named }, at) => {
    const ordinalOfProduct = (products.get(named.product) ?? 0) + 1;
    products.set(named.product, ordinalOfProduct);
    return {
      ...named,
      ...{ ordinal: at + 1, ordinalOfProduct },
      isDoubtful: doubtful,
      sentMs: sent_ms,
      answeredMs: answered_ms,
      events: (bySession.get(seq) ?? []).map((each) => ({
        ...{ sku: each.sku, isCart: each.cart, isAccepted: each.ok, status: each.status, times: each.times },
        ...{ placeInBatch: each.place, batch: each.batch, ordinal: each.ordinal },
        ...{ sentMs: each.sent_ms, answeredMs: each.answered_ms },
      })),
    };
  });
}

const eventsSql = `
  WITH placed AS (
    SELECT i.*, r.status, r.${admitted} AS ok, r.sent_ns, r.answered_ns, s.seq AS session,
      row_number() OVER (PARTITION BY i.seq ORDER BY i.place) AS in_batch, count(*) OVER (PARTITION BY i.seq) AS batch
    FROM interactions i JOIN requests r ON r.seq = i.seq AND r.endpoint = 'interact' AND r.status BETWEEN 200 AND 499
    JOIN sessions s ON s.session_id = i.session_id AND s.granted AND NOT s.again
  ), event AS (
    SELECT any_value(session) AS session, any_value(type = 'cart_intent') AS cart, any_value(sku) AS sku, bool_or(ok) AS ok,
      any_value(status) AS status, count(*) FILTER (ok) AS times, min(place) AS written,
      arg_min(in_batch, place) AS place, arg_min(batch, place) AS batch,
      arg_min(sent_ns, place) / 1e6 AS sent_ms, arg_min(answered_ns, place) / 1e6 AS answered_ms
    FROM placed GROUP BY session_id, id
  )
  SELECT * EXCLUDE (written), row_number() OVER (PARTITION BY ok AND NOT cart ORDER BY written) AS ordinal FROM event ORDER BY written`;

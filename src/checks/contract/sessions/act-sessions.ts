import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { isObject } from '../../../target/json.ts';
import { readSession } from '../../../target/wire-schemas.ts';
import { admitted } from '../../core/found.ts';
import { isProbeOf, probeColumn } from '../../core/probe-names.ts';

const eventRow = z.object({
  seq: z.number(),
  probe: probeColumn,
  session_id: z.string(),
  id: z.string(),
  type: z.string(),
  sku: z.string().nullable(),
  status: z.number().nullable(),
  sent_ns: z.number(),
  answered_ns: z.number(),
});
/** An event that a probe sent, with what became of its request. */
export type ProbedEvent = z.output<typeof eventRow>;

const readRow = z.object({ seq: z.number(), session_id: z.string(), body: z.string() });

/** A session to which probes sent events, and what was read of it in the end. */
export interface EventSession {
  readonly id: string;
  readonly events: readonly ProbedEvent[];
  /** `seq` of the last read that was answered; undefined when there was none. */
  readonly readSeq: number | undefined;
  /** How often the history shows an event; undefined when the history cannot be read. */
  readonly shown: (event: ProbedEvent) => number | undefined;
}

/** The few sessions to which probes sent events. */
export async function readEventSessions(history: History): Promise<EventSession[]> {
  const events = await history.rows(
    eventRow,
    `SELECT i.seq, r.probe, i.session_id, i.id, i.type, i.sku, r.status, r.sent_ns, r.answered_ns
     FROM interactions i JOIN requests r ON r.seq = i.seq AND ${isProbeOf('acts')}
     WHERE r.sent_ns IS NOT NULL AND r.answered_ns IS NOT NULL ORDER BY i.place`,
  );
  if (events.length === 0) return [];
  const reads = await history.rows(
    readRow,
    `SELECT r.seq, r.session_id, CAST(a.body AS VARCHAR) AS body FROM requests r JOIN answers a ON a.seq = r.seq
     WHERE r.endpoint = 'read-session' AND ${admitted} AND a.body IS NOT NULL
       AND r.session_id IN (SELECT session_id FROM requests WHERE ${isProbeOf('acts')})
     ORDER BY r.seq`,
  );
  return [...new Set(events.map((event) => event.session_id))].map((id) => {
    const read = reads.findLast((each) => each.session_id === id);
    const own = events.filter((event) => event.session_id === id);
    return { id, events: own, readSeq: read?.seq, shown: shownIn(history, own, read) };
  });
}

/**
 * Entries are found by the ids of the events; where the history has other ids or none, by type and SKU, which no two
 * events of such a session share. An answer that can hold no history shows none of them.
 */
function shownIn(
  { profile }: Pick<History, 'profile'>,
  events: readonly ProbedEvent[],
  read: z.output<typeof readRow> | undefined,
): EventSession['shown'] {
  if (read === undefined) return () => undefined;
  const view = readSession(JSON.parse(read.body), profile.session_history, read.session_id);
  const entries = view.ok ? view.value.interactions : undefined;
  if (entries === undefined) return isWithoutHistory(read.body, events) ? () => 0 : () => undefined;
  const ids = new Set(events.map((event) => event.id));
  if (entries.some((entry) => entry.id !== undefined && ids.has(entry.id)))
    return (event) => entries.filter((entry) => entry.id === event.id).length;
  // A cart intent may name no shade.
  const isLegible = entries.every(
    ({ sku, type }) => type !== undefined && (sku !== undefined || type === 'cart_intent'),
  );
  return (event) =>
    isLegible
      ? entries.filter((entry) => entry.type === event.type && entry.sku === event.sku).length
      : undefined;
}

/** Whatever form a history has: there is no list in the answer, and nothing of the events. */
function isWithoutHistory(body: string, events: readonly ProbedEvent[]): boolean {
  return (
    !hasList(JSON.parse(body)) &&
    events.every(({ id, sku }) => !body.includes(id) && (sku === null || !body.includes(sku)))
  );
}

function hasList(value: unknown): boolean {
  return Array.isArray(value) || (isObject(value) && Object.values(value).some(hasList));
}

import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { type Suspect, shown } from '../causes/cause.ts';
import { type Reason, reason } from '../reasons/reason.ts';

/** Late requests, among which. */
export interface LateRequests {
  readonly history: History;
  /** SQL: among which requests, and which of them are late. */
  readonly sample: string;
  readonly late: string;
  readonly count: number;
}

/** What late requests have in common. */
export interface LateFeature {
  readonly reason: Reason;
  readonly causes: readonly Suspect[];
}

/** Pauses have to hold up this share of the late requests. */
const most = 0.8;
/** Fewer that wait for one answer are no pause: a single slow request at a low rate looks like it. */
const fewestHeld = 3;
/** A pause is at least this part of the longest one that held requests up. */
const comparable = 0.3;
/** A pause is why a request is late if it spent this part of its response time in it. */
const mostlyWaiting = 0.5;
/** This number of times without an answer is looked at, the longest ones. */
const mostLookedAt = 200;
/** Fewer pauses show no interval. */
const fewestRegular = 4;
/** Distances between pauses are multiples of an interval if they are off by this part of it at most. */
const offInterval = 0.1;

const pauseRow = z.object({
  gap_ns: z.number(),
  from_ns: z.number(),
  /** Requests that waited, and those of them that are late. */
  waited: z.number(),
  held: z.array(z.coerce.number()),
});
type PauseRow = z.output<typeof pauseRow>;

/**
 * A time in which nothing was answered, and the late requests that did little but wait until its end: a pause, or the same one
 * again and again; undefined where most late requests waited in none.
 */
export async function stoodStill({
  count,
  history,
  late,
  sample,
}: LateRequests): Promise<LateFeature | undefined> {
  const rows = await readPauses(history, `(${sample}) AND ${late}`);
  const sure = rows.filter(({ waited }) => waited >= fewestHeld);
  const longestNs = Math.max(...sure.map(({ gap_ns }) => gap_ns));
  const isComparable = ({ gap_ns }: PauseRow): boolean => gap_ns >= comparable * longestNs;
  const pauses = sure.filter(isComparable);
  const held = new Set(pauses.flatMap((each) => each.held));
  const [first] = pauses;
  if (first === undefined || held.size < Math.max(fewestHeld, most * count)) return undefined;
  const seqs = [...held].slice(0, 4);
  const wait = { held: held.size, over: count };
  if (pauses.length === 1) {
    const span = { forMs: longestNs / 1e6, fromMs: first.from_ns / 1e6 };
    return {
      reason: reason('slo-stood-still', { ...span, ...wait }),
      causes: [shown('target-stood-still', span, seqs)],
    };
  }
  // At a low rate a pause holds up one request or none, and is not sure. That it keeps the interval tells.
  const everyMs = intervalOf(rows.filter(isComparable)) ?? intervalOf(pauses);
  const again = {
    pauses: pauses.length,
    longestMs: longestNs / 1e6,
    ...(everyMs !== undefined && { everyMs }),
  };
  return {
    reason: reason('slo-pauses', { ...again, ...wait }),
    causes: [shown('target-stands-still', again, seqs)],
  };
}

/** The longest times without an answer in which some request spent most of its response time, in order. */
function readPauses(history: History, late: string): Promise<PauseRow[]> {
  return history.rows(
    pauseRow,
    `WITH gaps AS (
       SELECT answered_ns AS until_ns, lag(answered_ns) OVER (ORDER BY answered_ns) AS from_ns
       FROM requests WHERE stage = 'load' AND status IS NOT NULL),
     longest AS (
       SELECT * FROM gaps WHERE from_ns IS NOT NULL ORDER BY until_ns - from_ns DESC LIMIT ${mostLookedAt}),
     sent AS (
       SELECT seq, intended_ns, answered_ns, coalesce(${late}, false) AS late
       FROM requests WHERE stage = 'load' AND sent_ns IS NOT NULL)
     SELECT until_ns - from_ns AS gap_ns,
       from_ns - (SELECT min(intended_ns) FROM requests WHERE stage = 'load') AS from_ns,
       count(*) AS waited, coalesce(list(seq ORDER BY intended_ns) FILTER (late), []) AS held
     FROM longest JOIN sent ON intended_ns < until_ns AND coalesce(answered_ns, until_ns) >= until_ns
       AND until_ns - greatest(intended_ns, from_ns) >= ${mostlyWaiting} * (coalesce(answered_ns, until_ns) - intended_ns)
     GROUP BY ALL ORDER BY from_ns`,
  );
}

/** The interval of which all distances between pauses are multiples: one may fall where nothing is sent. */
function intervalOf(pauses: readonly PauseRow[]): number | undefined {
  if (pauses.length < fewestRegular) return undefined;
  // Ends are sharper than beginnings, for which an answer has to come just before.
  const endsNs = pauses.map(({ from_ns, gap_ns }) => from_ns + gap_ns);
  const distances = endsNs.slice(1).map((ns, n) => ns - (endsNs[n] ?? 0));
  const shortest = Math.min(...distances);
  const isRegular = distances.every(
    (ns) => Math.abs(ns / shortest - Math.round(ns / shortest)) <= offInterval,
  );
  if (!isRegular) return undefined;
  const steps = distances.reduce((sum, ns) => sum + Math.round(ns / shortest), 0);
  return ((endsNs.at(-1) ?? 0) - (endsNs[0] ?? 0)) / steps / 1e6;
}

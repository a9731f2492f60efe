import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { countUpTo } from '../../../limits/arrays.ts';
import { admitted, type Trace } from '../../../limits/trace.ts';
import type { LimiterFindings } from './findings.ts';

/** A stretch of the run cut into equal slots, so that what is drawn over it has a bounded number of points. */
export interface TimeSlots {
  /** Run nanoseconds. */
  readonly fromNs: number;
  readonly widthNs: number;
  readonly count: number;
}

const extentRow = z.object({ from_ns: z.number().nullable(), to_ns: z.number().nullable() });

/** The time of the run's studies of the limiter in `count` slots; undefined when they sent nothing. */
export async function studySlots(history: History, count: number): Promise<TimeSlots | undefined> {
  const [extent] = await history.rows(
    extentRow,
    `SELECT min(sent_ns) AS from_ns, max(coalesce(answered_ns, sent_ns)) AS to_ns
     FROM requests WHERE stage = 'study' AND starts_with(phase, 'limits: ') AND sent_ns IS NOT NULL`,
  );
  if (extent === undefined || extent.from_ns === null || extent.to_ns === null) return undefined;
  return { fromNs: extent.from_ns, widthNs: Math.max(1, extent.to_ns + 1 - extent.from_ns) / count, count };
}

/** The slot that an instant lies in; undefined outside. */
function slotOf({ fromNs, widthNs, count }: TimeSlots, ns: number): number | undefined {
  const slot = Math.floor((ns - fromNs) / widthNs);
  return slot >= 0 && slot < count ? slot : undefined;
}

/** What was admitted on one key in the promised window, wherever it ends. */
interface TrailingAdmitted {
  /** Whose: a role, or `all keys` where they share a limit. */
  readonly label: string;
  /** For each slot the most in any window that ends in it, by the instants of sending; null before the key was used. */
  readonly most: readonly (number | null)[];
}

const keyRow = z.object({ seq: z.number(), credential: z.string() });

/** What each key was admitted over time: every trace of the findings, in their order. */
export async function trailingAdmitted(
  history: History,
  { traces, scope }: LimiterFindings,
  slots: TimeSlots,
): Promise<TrailingAdmitted[]> {
  const firsts = traces.map(({ seq }) => seq[0] as number);
  const rows =
    firsts.length === 0
      ? []
      : await history.rows(
          keyRow,
          `SELECT seq, credential FROM requests WHERE seq IN (${firsts.join(', ')})`,
        );
  const windowNs = history.profile.rate_limit.windowMs * 1e6;
  return traces.map((trace, at) => ({
    label:
      scope.per_key === false
        ? 'all keys'
        : (rows.find(({ seq }) => seq === firsts[at])?.credential ?? `key ${at + 1}`),
    most: mostInSlots(trace, windowNs, slots),
  }));
}

/** A count rises only when something is admitted, and between two admissions it is highest at first: right after one, or as a slot begins. */
function mostInSlots(trace: Trace, windowNs: number, slots: TimeSlots): (number | null)[] {
  const sentNs = trace.sentNs.filter((_, i) => trace.outcome[i] === admitted);
  const upTo = (ns: number): number => countUpTo(sentNs, ns) - countUpTo(sentNs, ns - windowNs);
  const firstNs = trace.sentNs[0] ?? Number.POSITIVE_INFINITY;
  const most = Array.from({ length: slots.count }, (_, slot) => {
    const beginNs = slots.fromNs + slot * slots.widthNs;
    return beginNs + slots.widthNs < firstNs ? null : upTo(beginNs);
  });
  for (const ns of sentNs) {
    const slot = slotOf(slots, ns);
    if (slot !== undefined) most[slot] = Math.max(most[slot] ?? 0, upTo(ns));
  }
  return most;
}

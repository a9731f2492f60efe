import { z } from 'zod';
import type { History } from '../../../history/history.ts';

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
export function slotOf({ fromNs, widthNs, count }: TimeSlots, ns: number): number | undefined {
  const slot = Math.floor((ns - fromNs) / widthNs);
  return slot >= 0 && slot < count ? slot : undefined;
}

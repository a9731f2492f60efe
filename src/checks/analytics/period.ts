/**
 * Which instants a period covers, under each convention of its end. Days are UTC days (ISO 8601 dates, the only zone
 * that the interface names, for `expires_at`).
 */

/**
 * - `inclusive`: the day (or the instant) of `end_date` belongs to the period;
 * - `exclusive`: the period ends where `end_date` begins;
 * - `inclusive-day`: date-times are cut to their dates, both of which belong to the period.
 */
export type EndConvention = 'inclusive' | 'exclusive' | 'inclusive-day';

/** A period as instants, epoch ms: from `startMs` up to somewhere in `[endLowMs, endHighMs]`. */
export interface Period {
  readonly startMs: number;
  readonly endLowMs: number;
  readonly endHighMs: number;
}

const dayMs = 86_400_000;
/** A date-time names a whole second; whether the instants within the last one are in is anybody's guess. */
const secondMs = 1_000;
const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const dateTimePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

export function isDateTime(text: string): boolean {
  return dateTimePattern.test(text);
}

/** The period that `startDate` and `endDate` (as sent) mean under a convention; undefined when they are not dates. */
export function periodOf(startDate: string, endDate: string, convention: EndConvention): Period | undefined {
  const start = Date.parse(startDate);
  const end = Date.parse(endDate);
  const readable = (text: string): boolean => datePattern.test(text) || dateTimePattern.test(text);
  if (!readable(startDate) || !readable(endDate) || Number.isNaN(start) || Number.isNaN(end))
    return undefined;
  if (convention === 'exclusive') return { startMs: start, endLowMs: end, endHighMs: end };
  if (convention === 'inclusive-day' || !isDateTime(endDate)) {
    const startMs = convention === 'inclusive-day' ? dayStart(start) : start;
    const endMs = dayStart(end) + dayMs;
    return { startMs, endLowMs: endMs, endHighMs: endMs };
  }
  return { startMs: start, endLowMs: end, endHighMs: end + secondMs };
}

function dayStart(epochMs: number): number {
  return Math.floor(epochMs / dayMs) * dayMs;
}

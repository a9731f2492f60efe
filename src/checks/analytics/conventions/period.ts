import type { EndConvention } from '../../../vocabulary/analytics.ts';
import { dayAfter, utc, type Zone } from './zones.ts';

/** Which instants a period covers, under each convention of its end and in each zone. */

/** A period as instants, epoch ms: from `startMs` up to somewhere in `[endLowMs, endHighMs]`. */
export interface Period {
  readonly startMs: number;
  readonly endLowMs: number;
  readonly endHighMs: number;
}

/** A date-time names a whole second; whether the instants within the last one are in is unknown. */
const secondMs = 1_000;
const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const dateTimePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

export function isDateTime(text: string): boolean {
  return dateTimePattern.test(text);
}

/** The period that `startDate` and `endDate` (as sent) mean under a convention; undefined when they are not dates. */
export function periodOf(
  startDate: string,
  endDate: string,
  convention: EndConvention,
  zone: Zone = utc,
): Period | undefined {
  const readable = (text: string): boolean =>
    (datePattern.test(text) || dateTimePattern.test(text)) && !Number.isNaN(Date.parse(text));
  if (!readable(startDate) || !readable(endDate)) return undefined;
  const day = (text: string): string => new Date(Date.parse(text)).toISOString().slice(0, 10);
  const instant = (text: string): number => (isDateTime(text) ? Date.parse(text) : zone.dayStartMs(text));
  if (convention === 'exclusive') {
    const endMs = instant(endDate);
    return { startMs: instant(startDate), endLowMs: endMs, endHighMs: endMs };
  }
  if (convention === 'inclusive-day' || !isDateTime(endDate)) {
    const startMs = convention === 'inclusive-day' ? zone.dayStartMs(day(startDate)) : instant(startDate);
    const endMs = zone.dayStartMs(dayAfter(day(endDate)));
    return { startMs, endLowMs: endMs, endHighMs: endMs };
  }
  return { startMs: instant(startDate), endLowMs: instant(endDate), endHighMs: instant(endDate) + secondMs };
}

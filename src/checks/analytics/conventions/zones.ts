import type { EndConvention, ZoneSpan } from '../../../vocabulary/analytics.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';

/** Time zones in which a target may count its days, by what they say about the days in question. */

export interface Zone {
  /** IANA name, as the profile has it. Of the zones that agree about every day asked about, the best-known. */
  readonly name: string;
  /** `UTC+02:00 (Europe/Berlin)`. */
  readonly label: string;
  /** East of UTC, on the last of the days asked about; so in `label`. */
  readonly offsetMinutes: number;
  /** The instant, epoch ms, at which a day (`YYYY-MM-DD`) begins there. */
  dayStartMs(date: string): number;
}

export const utc: Zone = {
  name: 'UTC',
  label: 'UTC',
  offsetMinutes: 0,
  dayStartMs: (date) => Date.parse(date),
};

/** The day after, `YYYY-MM-DD`. */
function dayAfter(date: string): string {
  return new Date(Date.parse(date) + dayMs).toISOString().slice(0, 10);
}

/** Names under which people know an offset, so that a group of zones is not called after an island. */
const wellKnown = [
  'UTC',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Athens',
  'Europe/Moscow',
  'Asia/Dubai',
  'Asia/Karachi',
  'Asia/Kolkata',
  'Asia/Dhaka',
  'Asia/Bangkok',
  'Asia/Shanghai',
  'Asia/Tokyo',
  'Australia/Sydney',
  'Pacific/Auckland',
  'America/Sao_Paulo',
  'America/Halifax',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
  'America/Anchorage',
  'Pacific/Honolulu',
];

/** From the one end of the map to the other: at sea there are offsets that no city has. */
const wholeHours = Array.from({ length: 27 }, (_, place) => {
  const hours = place - 12;
  return `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
});

/**
 * One zone for each way in which the zones of the world cut these days, UTC first, then by offset. A `promised` zone
 * stands for its group under its own name. `dates` in any order, days as `YYYY-MM-DD`.
 */
export function zonesOf(dates: readonly string[], promised?: string): Zone[] {
  const days = [...new Set(dates.flatMap((date) => [date, dayAfter(date)]))].sort();
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return [utc];
  const names = new Set([
    ...(promised === undefined ? [] : [promised]),
    ...wellKnown,
    ...Intl.supportedValuesOf('timeZone'),
    ...wholeHours,
  ]);
  const groups = new Map<string, Zone>([[days.map(utc.dayStartMs).join(), utc]]);
  for (const name of names) {
    const zone = zoneNamed(name, first, last);
    const cuts = days.map((day) => zone.dayStartMs(day)).join();
    if (!groups.has(cuts) || name === promised) groups.set(cuts, name === 'UTC' ? utc : zone);
  }
  const [first0, ...others] = groups.values();
  const start = (zone: Zone): number => -zone.dayStartMs(first);
  return [
    first0 ?? utc,
    ...others.sort((a, b) => Math.abs(start(a) - start(utc)) - Math.abs(start(b) - start(utc))),
  ];
}

/** As many zones as this are named one by one. */
const mostNamed = 2;

/** Zones one by one, or from which offset to which, east and west of UTC apart. */
export function zoneSpans(zones: readonly Zone[]): ZoneSpan[] {
  const sides = Map.groupBy(zones, ({ offsetMinutes }) => Math.sign(offsetMinutes));
  return [...sides.values()].flatMap((side) => {
    const each = new Map(side.map((zone) => [zone.name, zone]));
    if (each.size <= mostNamed) return [...each.values()].map(spanOf);
    const offsets = side.map(({ offsetMinutes }) => offsetMinutes).sort((a, b) => a - b);
    return [{ from: offsetName(offsets[0] ?? 0), to: offsetName(offsets.at(-1) ?? 0) }];
  });
}

function spanOf({ label }: Zone): ZoneSpan {
  return { from: label, to: label };
}

function offsetName(minutes: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`;
}

/** Formats that show a zone's offset; making one is what takes longest. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(name: string): Intl.DateTimeFormat {
  let format = formats.get(name);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' });
    formats.set(name, format);
  }
  return format;
}

/** A zone by its IANA name or offset (`+02:00`). Throws a RangeError where there is none of that name. */
function zoneNamed(name: string, firstDay: string, lastDay: string): Zone {
  const format = formatOf(name);
  const offsetAt = (epochMs: number): number => offsetMs(format.format(epochMs));
  const early = offsetAt(Date.parse(firstDay) - dayMs);
  // A zone without a change of clocks around the days in question need not be asked for each of them.
  const steady =
    early === offsetAt(Date.parse(lastDay) + dayMs) &&
    Date.parse(lastDay) - Date.parse(firstDay) < 60 * dayMs;
  const dayStartMs = (date: string): number => {
    const midnight = Date.parse(date);
    return steady ? midnight - early : midnight - offsetAt(midnight - offsetAt(midnight));
  };
  const [, offset = 'UTC'] = /GMT(\S+)$/.exec(format.format(Date.parse(lastDay))) ?? [];
  return {
    name,
    offsetMinutes: offsetAt(Date.parse(lastDay)) / 60_000,
    label: offset === 'UTC' ? name : name === offset ? `UTC${offset}` : `UTC${offset} (${name})`,
    dayStartMs,
  };
}

/** The offset that a formatted date ends in: `…, GMT+05:30`. */
function offsetMs(formatted: string): number {
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})$/.exec(formatted) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

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

import { dayWords, endWords, type Frame } from './conventions.ts';
import type { Zone } from './zones.ts';

/** Frames of conventions in words: what they have otherwise than what was expected. */

/** What one frame has otherwise: its zone, if that differs, and the rest in words. */
export interface Otherwise {
  readonly zone: Zone | undefined;
  readonly rest: readonly string[];
}

export function otherwise(frame: Frame, from: Frame): Otherwise {
  return {
    zone: frame.zone.name === from.zone.name ? undefined : frame.zone,
    rest: [
      frame.end === from.end ? [] : [endWords(frame.end)],
      frame.day === from.day ? [] : [dayWords[frame.day]],
      frame.account.words === from.account.words ? [] : [frame.account.words],
    ].flat(),
  };
}

/**
 * Those that have least otherwise, all of them, since each explains as much as the others: `end_date exclusive or days of
 * zones from UTC+03:00 to UTC+14:00`. Empty when none has anything.
 */
export function leastOtherwise(all: readonly Otherwise[]): string {
  const differing = all.filter((one) => sizeOf(one) > 0);
  const least = Math.min(...differing.map(sizeOf));
  const groups = Map.groupBy(
    differing.filter((one) => sizeOf(one) === least),
    ({ zone, rest }) => `${zone === undefined} ${rest.join(', ')}`,
  );
  const texts = [...groups.values()].flatMap((group) => {
    const rest = group[0]?.rest ?? [];
    const zones = group.flatMap(({ zone }) => (zone === undefined ? [] : [zone]));
    const days = zones.length === 0 ? [undefined] : zonesWords(zones);
    return days.map((words) => [...rest, ...(words === undefined ? [] : [`days of ${words}`])].join(', '));
  });
  return [...new Set(texts)].join(' or ');
}

/** What a frame has otherwise than the nearest of others, in words. */
export function profileWords(frame: Frame, others: readonly Frame[]): string {
  const all = others
    .map((other) => otherwise(frame, other))
    .map(({ zone, rest }) => [...rest, ...(zone === undefined ? [] : [`days of ${zone.words}`])])
    .filter((words) => words.length > 0);
  const least = Math.min(...all.map((words) => words.length));
  return [...new Set(all.filter((words) => words.length === least).flat())].join(' and ');
}

function sizeOf({ zone, rest }: Otherwise): number {
  return rest.length + (zone === undefined ? 0 : 1);
}

/** So many zones are named one by one. */
const mostNamed = 2;

/** Zones one by one, or from which offset to which, east and west of UTC apart. */
export function zonesWords(zones: readonly Zone[]): string[] {
  const sides = Map.groupBy(zones, ({ offsetMinutes }) => Math.sign(offsetMinutes));
  return [...sides.values()].flatMap((side) => {
    const each = new Map(side.map((zone) => [zone.name, zone]));
    if (each.size <= mostNamed) return [...each.values()].map(({ words }) => words);
    const offsets = side.map(({ offsetMinutes }) => offsetMinutes).sort((a, b) => a - b);
    return [`zones from ${offsetWords(offsets[0] ?? 0)} to ${offsetWords(offsets.at(-1) ?? 0)}`];
  });
}

function offsetWords(minutes: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`;
}

import type { Deviation, ZoneSpan } from '../../../vocabulary/analytics.ts';
import type { Zone } from './zones.ts';

/** What frames of conventions have otherwise than what was expected. */

/** What one frame has otherwise, before zones that explain as much are put together. */
export interface Otherwise extends Omit<Deviation, 'zone'> {
  readonly zone: Zone | null;
}

/** Those that have least otherwise, all of them, since each explains as much as the others. Empty when none has anything. */
export function leastOtherwise(all: readonly Otherwise[]): Deviation[] {
  const differing = all.filter((one) => sizeOf(one) > 0);
  const least = Math.min(...differing.map(sizeOf));
  const groups = Map.groupBy(
    differing.filter((one) => sizeOf(one) === least),
    ({ zone, ...rest }) => JSON.stringify([zone === null, rest.end, rest.day, rest.account]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const zones = group.flatMap(({ zone }) => zone ?? []);
    const spans = zones.length === 0 ? [null] : zoneSpans(zones);
    return spans.map((zone) => ({ end: first.end, day: first.day, account: first.account, zone }));
  });
}

/** How many things are otherwise. */
function sizeOf({ account, day, end, zone }: Otherwise): number {
  return [account, day, end, zone].filter((part) => part !== null).length;
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

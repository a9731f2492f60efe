import type { EndConvention } from '../../../vocabulary/analytics.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';
import { countUpTo } from '../../core/ascending.ts';
import { greatestCommonDivisor } from '../../core/step-sql.ts';
import type { Frame } from '../conventions/conventions.ts';
import { type Period, periodOf } from '../conventions/period.ts';
import type { Zone } from '../conventions/zones.ts';
import type { Query } from '../record/questions.ts';

/**
 * Instants at which some period starts or ends, under some convention: sessions between two neighbouring ones need not be
 * told apart. The *cut* of an instant is how many of them lie at or before it.
 */
export interface Cuts {
  /** Ascending, epoch ms. */
  readonly instants: readonly number[];
  /** `[from, to)` in which whether a session counts is unknown in some period, however exactly its instant is known. */
  readonly gaps: readonly (readonly [fromMs: number, toMs: number])[];
}

/** Every instant at which a period of a query starts or ends in one of the frames. */
export function cutsOf(queries: readonly Query[], frames: readonly Frame[]): Cuts {
  const instants = new Set<number>();
  const gaps = new Map<number, number>();
  const seen = new Set<string>();
  for (const query of queries) {
    const dates = `${query.startDate} ${query.endDate}`;
    if (seen.has(dates)) continue;
    seen.add(dates);
    for (const frame of frames) {
      const period = periodIn(frame, query);
      if (period === undefined) continue;
      instants.add(period.startMs).add(period.endLowMs).add(period.endHighMs);
      if (period.endHighMs > period.endLowMs) gaps.set(period.endLowMs, period.endHighMs);
    }
  }
  return { instants: [...instants].sort((a, b) => a - b), gaps: [...gaps] };
}

/** The period of a query in a frame; undefined when its dates are not readable. */
export function periodIn(
  frame: Frame,
  { startDate, endDate }: Pick<Query, 'startDate' | 'endDate'>,
): Period | undefined {
  const ofZone =
    periods.get(frame.zone) ?? new Map<EndConvention, Map<string, Map<string, Period | undefined>>>();
  periods.set(frame.zone, ofZone);
  const ofEnd = ofZone.get(frame.end) ?? new Map<string, Map<string, Period | undefined>>();
  ofZone.set(frame.end, ofEnd);
  // By one date and then the other: to put them together for each of a million questions takes longest.
  const known = ofEnd.get(startDate) ?? new Map<string, Period | undefined>();
  ofEnd.set(startDate, known);
  if (!known.has(endDate)) known.set(endDate, periodOf(startDate, endDate, frame.end, frame.zone));
  return known.get(endDate);
}

/** Many queries are about few periods, in many frames that have a zone in common. */
const periods = new WeakMap<Zone, Map<EndConvention, Map<string, Map<string, Period | undefined>>>>();

/** Whether every cut of `some` is one of `all`. */
export function includesCuts(all: Cuts, some: Cuts): boolean {
  const known = new Set(all.instants);
  return some.instants.every((atMs) => known.has(atMs));
}

/** How many cuts lie at or before an instant. */
export function rankIn({ instants }: Pick<Cuts, 'instants'>, instantMs: number): number {
  return countUpTo(instants, instantMs);
}

/** The longest time of which every cut is a multiple, ms since the epoch. */
export function gridOf({ instants }: Pick<Cuts, 'instants'>): number {
  return instants.reduce(greatestCommonDivisor, dayMs);
}

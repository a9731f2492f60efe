import type { Calendar } from '../scenario/load.ts';
import { hourMs } from '../vocabulary/quantities.ts';
import type { Plan } from './plan.ts';

/** At an instant of the load, the target's wall clock is to be set to another. It goes on at its own pace from there. */
export interface ClockMove {
  /** Nanoseconds since the start of the load. */
  readonly atNs: number;
  readonly toEpochMs: number;
}

/** The moves of the target's wall clock in a plan. */
interface ClockPlan {
  /** Where it stands before anything is asked: an hour before the first day, so that it never goes back. */
  readonly eveEpochMs: number;
  /** In order. */
  readonly moves: readonly ClockMove[];
}

/**
 * The moves of the calendar in a plan; undefined where it has none. Throws a RangeError for a calendar that would put the
 * clock back.
 */
export function clockPlan({ phases }: Pick<Plan, 'phases'>): ClockPlan | undefined {
  const moves = phases.flatMap((placed) =>
    placed.phase.calendar !== undefined
      ? hourlyMoves(placed.phase.calendar, placed.startNs).filter(({ atNs }) => atNs < placed.endNs)
      : [],
  );
  const [first] = moves;
  if (first === undefined) return undefined;
  moves.reduce((before, move) => {
    if (move.atNs < before.atNs || move.toEpochMs < before.toEpochMs)
      throw new RangeError(
        `load: a calendar must begin after the end of the one before it, at ${new Date(before.toEpochMs).toISOString()}`,
      );
    return move;
  });
  return { eveEpochMs: first.toEpochMs - hourMs, moves };
}

/**
 * Each hour of a day gets 1/24 of the time that the day takes; in its middle the clock shows the full hour. Midnight
 * passes in real time: the clock is set to half an hour's share before midnight, that long before.
 */
function hourlyMoves({ fromEpochMs, days, dayTakesMs }: Calendar, startNs: number): ClockMove[] {
  const shareMs = dayTakesMs / 24;
  const moves: ClockMove[] = [{ atNs: startNs, toEpochMs: fromEpochMs }];
  for (let day = 0; day < days; day++) {
    for (let hour = 1; hour <= 24; hour++) {
      const atMs = day * dayTakesMs + (hour - 0.5) * shareMs;
      const fullHour = fromEpochMs + (24 * day + hour) * hourMs;
      moves.push({
        atNs: startNs + Math.round(atMs * 1e6),
        toEpochMs: hour === 24 ? Math.round(fullHour - shareMs / 2) : fullHour,
      });
    }
  }
  return moves;
}

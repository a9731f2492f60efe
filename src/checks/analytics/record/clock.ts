import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { dateHeaderSlackMs } from '../../core/clock-step.ts';
import { clockErrorNs } from '../../core/lost-shards.ts';
import { earliestSql, latestSql, type MovedClock, setClock } from '../../core/moved-clock.ts';

/** How far the target's clock is ahead of what the run takes it for (see `MovedClock`): somewhere in `[lowMs, highMs]`. */
export interface ClockOffset {
  readonly lowMs: number;
  readonly highMs: number;
  /** One offset fits every `Date` header. If not, the target's clock moved, or several clocks answered. */
  readonly steady: boolean;
  readonly clock: MovedClock;
}

const rowSchema = z.object({
  low: z.number().nullable(),
  high: z.number().nullable(),
  lowest: z.number().nullable(),
  highest: z.number().nullable(),
});

/**
 * Bounds the target's clock offset. A header `D` of a request sent at `s` and answered at `a` was made at a target time
 * in `[D, D + slack)` and at a time that the run's idea of the clock shows within `[s, a]`, so the offset lies in
 * `[D − a, D + slack − s]`: the intersection over all requests if there is one, else the hull. Without headers: ± the
 * profile's `clock_skew_bound`.
 */
export async function clockOffset(history: History): Promise<ClockOffset> {
  const clock = await setClock(history);
  const [from, to] = bounds(clock);
  const errorMs = clockErrorNs(history.run) / 1e6;
  const [row] = await history.rows(
    rowSchema,
    `SELECT max(low) / 1e6 - ${errorMs} AS low, min(high) / 1e6 + ${errorMs} AS high,
            min(low) / 1e6 - ${errorMs} AS lowest, max(high) / 1e6 + ${errorMs} AS highest
     FROM (SELECT server_date_ms * 1_000_000 - ${to} AS low,
                  (server_date_ms + ${dateHeaderSlackMs}) * 1_000_000 - ${from} AS high
           FROM requests WHERE server_date_ms IS NOT NULL AND sent_ns IS NOT NULL AND answered_ns IS NOT NULL)`,
  );
  if (row === undefined || row.low === null || row.high === null) {
    const bound = history.profile.clock_skew_bound;
    return { lowMs: -bound, highMs: bound, steady: true, clock };
  }
  const steady = row.low <= row.high;
  return {
    lowMs: steady ? row.low : (row.lowest ?? row.low),
    highMs: steady ? row.high : (row.highest ?? row.high),
    steady,
    clock,
  };
}

/** SQL: epoch ns that the clock shows when a request is sent, and when it is answered; exact where it was never set. */
function bounds(clock: MovedClock): [from: string, to: string] {
  if (clock.moves.length === 0) {
    const zeroNs = BigInt(Math.round(clock.zeroMs * 1e3)) * 1_000n;
    return [`(${zeroNs} + sent_ns)`, `(${zeroNs} + answered_ns)`];
  }
  return [`${earliestSql(clock, 'sent_ns')} * 1_000_000`, `${latestSql(clock, 'answered_ns')} * 1_000_000`];
}

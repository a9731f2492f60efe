import { z } from 'zod';
import { oncePerHistory } from '../../history/tables.ts';
import { stepSql } from './step-sql.ts';

/**
 * The wall clock that the run takes the target's for: the run's own, until the run set it (event `clock`), and from then
 * on what it was set to, ticking at the same pace. A set clock is a step function of run time, and the instant of each
 * step is known to lie between the command and its echo. Clocks are only ever put forward.
 */
export interface MovedClock {
  /** Wall-clock time of the run's zero by the run's own clock, epoch ms. */
  readonly zeroMs: number;
  /** In order. */
  readonly moves: readonly RecordedClockMove[];
}

export interface RecordedClockMove {
  readonly askedNs: number;
  readonly setNs: number;
  readonly epochMs: number;
}

const moveRow = z.object({ asked_ns: z.number(), set_ns: z.number(), epoch_ms: z.number() });

export const setClock = oncePerHistory(async (history): Promise<MovedClock> => {
  const rows = await history.rows(
    moveRow,
    `SELECT CAST(json_extract(event, '$.askedNs') AS BIGINT) AS asked_ns, CAST(json_extract(event, '$.setNs') AS BIGINT) AS set_ns,
       CAST(json_extract(event, '$.epochMs') AS BIGINT) AS epoch_ms
     FROM events WHERE kind = 'clock' ORDER BY asked_ns`,
  );
  return {
    zeroMs: history.run.zero_epoch_ms,
    moves: rows.map((row) => ({ askedNs: row.asked_ns, setNs: row.set_ns, epochMs: row.epoch_ms })),
  };
});

/** From `atNs` of the run on, the clock shows `aheadMs` and the milliseconds of the run. */
interface ClockStep {
  readonly atNs: number;
  readonly aheadMs: number;
}

/** The earliest that the clock can show: a step counts once its echo came. Rounded down. */
function earliestSteps({ zeroMs, moves }: MovedClock): ClockStep[] {
  return [
    { atNs: Number.NEGATIVE_INFINITY, aheadMs: Math.floor(zeroMs) },
    ...moves.map(({ setNs, epochMs }) => ({ atNs: setNs, aheadMs: Math.floor(epochMs - setNs / 1e6) })),
  ];
}

/** The latest: a step counts once it was asked for. Rounded up. */
function latestSteps({ zeroMs, moves }: MovedClock): ClockStep[] {
  return [
    { atNs: Number.NEGATIVE_INFINITY, aheadMs: Math.ceil(zeroMs) },
    ...moves.map(({ askedNs, epochMs }) => ({ atNs: askedNs, aheadMs: Math.ceil(epochMs - askedNs / 1e6) })),
  ];
}

/** What the clock shows at the latest at an instant of the run, epoch ms. */
export function latestShown(clock: MovedClock, runNs: number): number {
  return (latestSteps(clock).findLast(({ atNs }) => atNs <= runNs)?.aheadMs ?? 0) + runNs / 1e6;
}

/** What it shows at the earliest. */
export function earliestShown(clock: MovedClock, runNs: number): number {
  return (earliestSteps(clock).findLast(({ atNs }) => atNs <= runNs)?.aheadMs ?? 0) + runNs / 1e6;
}

/** SQL: what the clock shows at the earliest at the instant of the run that `ns` gives, whole epoch ms rounded down. */
export function earliestSql(clock: MovedClock, ns: string): string {
  return `(${ns} // 1_000_000 + ${aheadSql(earliestSteps(clock), ns)})`;
}

/** SQL: what it shows at the latest, rounded up. */
export function latestSql(clock: MovedClock, ns: string): string {
  return `(${ns} // 1_000_000 + 1 + ${aheadSql(latestSteps(clock), ns)})`;
}

/** SQL: an `expires_at` as received, epoch ms; null where it is no UTC timestamp. */
export function expiryMs(column: string): string {
  return `epoch_ms(try_cast(replace(left(${column}, 19), 'T', ' ') AS TIMESTAMP))`;
}

function aheadSql(steps: readonly ClockStep[], ns: string): string {
  const [first, ...later] = steps;
  return stepSql(
    first?.aheadMs ?? 0,
    later.map(({ atNs, aheadMs }) => ({ at: atNs, value: aheadMs })),
    ns,
  );
}

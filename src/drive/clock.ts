import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** The run's clock: monotonic nanoseconds since the run's zero, and the wall-clock time that the zero was at. */
export interface Clock {
  readonly zeroEpochMs: number;
  nowNs(): number;
  /** Resolves at or as soon as possible after the instant; at once when it has passed. */
  until(ns: number): Promise<void>;
}

/** Timers fire up to a millisecond and a half late, so the rest of the way is gone turn by turn of the event loop. */
const spinNs = 1.5e6;

export function systemClock(): Clock {
  // The monotonic clock as a double of milliseconds is exact to the nanosecond for a month, and makes no objects.
  const zeroMs = performance.now();
  const zeroEpochMs = Date.now();
  const nowNs = (): number => Math.round((performance.now() - zeroMs) * 1e6);
  return {
    zeroEpochMs,
    nowNs,
    async until(ns) {
      for (;;) {
        const leftNs = ns - nowNs();
        if (leftNs <= 0) return;
        if (leftNs > spinNs) await sleep(Math.max(1, Math.floor((leftNs - spinNs) / 1e6)));
        else await nextTurn();
      }
    },
  };
}

/** Wall-clock time of an instant of the run, epoch milliseconds. */
export function epochMs(clock: Pick<Clock, 'zeroEpochMs'>, ns: number): number {
  return clock.zeroEpochMs + ns / 1e6;
}

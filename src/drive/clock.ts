import { setTimeout as sleep } from 'node:timers/promises';

/** The run's clock: monotonic nanoseconds since the run's zero, and the wall-clock time that the zero was at. */
export interface Clock {
  readonly zeroEpochMs: number;
  nowNs(): number;
  /** Resolves at or as soon as possible after the instant; at once when it has passed. */
  until(ns: number): Promise<void>;
}

/** The run's zero, for the clock of another thread: each has a `performance.now()` of its own, and all have one `hrtime`. */
export interface ClockZero {
  readonly epochMs: number;
  readonly hrtimeNs: bigint;
}

/** Timers fire up to a millisecond and a half late, so the rest of the way is gone turn by turn of the event loop. */
const spinNs = 1.5e6;

/** A clock whose zero is now, or that of another thread's. */
export function systemClock(zero?: ClockZero): Clock {
  // The monotonic clock as a double of milliseconds is exact to the nanosecond for a month, and makes no objects.
  const zeroMs = zero === undefined ? performance.now() : ownMsAt(zero.hrtimeNs);
  const zeroEpochMs = zero?.epochMs ?? Date.now();
  const nowNs = (): number => Math.round((performance.now() - zeroMs) * 1e6);
  return {
    zeroEpochMs,
    nowNs,
    async until(ns) {
      for (;;) {
        const leftNs = ns - nowNs();
        if (leftNs <= 0) return;
        if (leftNs > spinNs) await sleep(Math.max(1, Math.floor((leftNs - spinNs) / 1e6)));
        else await inTurns(ns, nowNs);
      }
    },
  };
}

/** Looks at the clock at every turn of the event loop. One promise for all turns: they are a few hundred each time. */
function inTurns(ns: number, nowNs: () => number): Promise<void> {
  return new Promise((resolve) => {
    const turn = (): void => {
      if (nowNs() >= ns) resolve();
      else setImmediate(turn);
    };
    setImmediate(turn);
  });
}

/** A clock's zero, for other threads. */
export function zeroOf(clock: Clock): ClockZero {
  const { hrtimeNs, value } = atOnce(clock.nowNs);
  return { epochMs: clock.zeroEpochMs, hrtimeNs: hrtimeNs - BigInt(value) };
}

/** What this thread's `performance.now()` showed at an instant that all threads know. */
function ownMsAt(hrtimeNs: bigint): number {
  const now = atOnce(() => performance.now());
  return now.value - Number(now.hrtimeNs - hrtimeNs) / 1e6;
}

/** A clock's value and the instant at which it was read, as close together as they come in a few tries. */
function atOnce(read: () => number): { readonly value: number; readonly hrtimeNs: bigint } {
  let best = { value: 0, hrtimeNs: 0n, tookNs: Number.POSITIVE_INFINITY };
  for (let tries = 0; tries < 50; tries++) {
    const beforeNs = process.hrtime.bigint();
    const value = read();
    const tookNs = process.hrtime.bigint() - beforeNs;
    if (tookNs < best.tookNs) best = { value, hrtimeNs: beforeNs + tookNs / 2n, tookNs: Number(tookNs) };
  }
  return best;
}

/** Wall-clock time of an instant of the run, epoch milliseconds. */
export function epochMs(clock: Pick<Clock, 'zeroEpochMs'>, ns: number): number {
  return clock.zeroEpochMs + ns / 1e6;
}

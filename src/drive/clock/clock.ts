// The global of this name is a getter, which costs more than the clock.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Waits } from '../../history/record.ts';
import { Alarm } from './alarm.ts';

/** The run's clock: monotonic nanoseconds since the run's zero, and the wall-clock time that the zero was at. */
export interface Clock {
  readonly zeroEpochMs: number;
  nowNs(): number;
  /** Resolves at or as soon as possible after the instant; at once when it has passed. */
  until(ns: number): Promise<void>;
  /** Resolves within a millisecond or two of the instant, by a timer alone: nothing polls the clock meanwhile. */
  doze?(ns: number): Promise<void>;
}

/** The run's zero, for another thread's clock: `performance.now()` differs by thread, `hrtime` does not. */
export interface ClockZero {
  readonly epochMs: number;
  readonly hrtimeNs: bigint;
}

/** Every clock of a thread waits by the same alarm. */
const alarm = new Alarm();

/** How the waits of this thread ended since the last call. */
export function takeWaits(): Waits {
  return alarm.takeWaits();
}

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
      while (nowNs() < ns) await alarm.at(zeroMs + ns / 1e6);
    },
    doze: (ns) => sleep(Math.floor((ns - nowNs()) / 1e6)),
  };
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

/** Writes epoch milliseconds as `Date.prototype.toISOString` does; cheaply, where they mostly are of the same second. */
export function isoTimes(): (epochMs: number) => string {
  let second = Number.NaN;
  let prefix = '';
  return (epochMs) => {
    const ms = Math.trunc(epochMs);
    const whole = Math.floor(ms / 1e3);
    if (whole !== second) {
      second = whole;
      prefix = new Date(whole * 1e3).toISOString().slice(0, -4);
    }
    return `${prefix}${String(ms - whole * 1e3).padStart(3, '0')}Z`;
  };
}

import type { Clock } from './clock.ts';

/** A wall clock that can be set, and goes on from there at its own pace. The monotonic clock cannot be. */
export interface MovableClock extends Clock {
  /** From now on it is `epochMs`, milliseconds since 1970. */
  set(epochMs: number): void;
}

/** Shows what `machine` does until it is set. */
export function movableClock(machine: Clock): MovableClock {
  /** Its time at zero of the monotonic clock, once it was set. */
  let zeroMs: number | undefined;
  return {
    // By the monotonic clock: corrections of the machine's wall clock have no effect.
    wallMs: () => (zeroMs === undefined ? machine.wallMs() : zeroMs + machine.monotonicMs()),
    monotonicMs: () => machine.monotonicMs(),
    set: (epochMs) => {
      zeroMs = epochMs - machine.monotonicMs();
    },
  };
}

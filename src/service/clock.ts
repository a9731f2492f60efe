/**
 * The service's two clocks. The wall clock gives `created_at`, expiry, the days of analytics and the `Date` header,
 * and may be set. The monotonic clock gives the limiters their windows, so setting the wall clock moves none of them.
 */
export interface ServiceClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  wallMs(): number;
  /** Milliseconds, with fractions, since an arbitrary instant; never goes back. */
  monotonicMs(): number;
}

export const systemClock: ServiceClock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** A wall clock that can be set, and goes on from there at its own pace. The monotonic clock cannot be. */
export interface MovableClock extends ServiceClock {
  /** From now on it is `epochMs`, milliseconds since 1970. */
  set(epochMs: number): void;
}

/** Shows what `machine` does until it is set. */
export function movableClock(machine: ServiceClock): MovableClock {
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

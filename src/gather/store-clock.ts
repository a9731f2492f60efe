/** One look at the store's clock. */
export interface ClockReading {
  /** Of this program's monotonic clock, milliseconds, just before and just after. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** What the store's clock showed in between, epoch milliseconds: of its last tick. */
  readonly storeMs: number;
}

/** What the store's clock shows at this program's zero lies between these, epoch milliseconds. */
export interface ZeroBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * What readings in a row tell of the store's clock. It shows no instant that has not come, so zero is no earlier than any
 * reading says; and it is at most `resolutionMs` behind, at least in the reading that is the least behind. Of a coarse
 * clock that one is nearly right, so zero is most likely near `minMs`. Undefined if the clock went back.
 */
export function zeroBoundsOf(
  readings: readonly ClockReading[],
  resolutionMs: number,
): ZeroBounds | undefined {
  if (readings.some(({ storeMs }, n) => storeMs < (readings[n - 1]?.storeMs ?? storeMs))) return undefined;
  return {
    minMs: Math.max(...readings.map(({ afterMs, storeMs }) => storeMs - afterMs)),
    maxMs: Math.max(...readings.map(({ beforeMs, storeMs }) => storeMs - beforeMs)) + resolutionMs,
  };
}

/** Enough readings to fall everywhere between two ticks. */
const enough = 50;

/** A clock that shows the time, as a store has it. */
export interface StoreClock {
  /** What it shows at some instant of the call, epoch milliseconds: of its last tick. */
  time(): Promise<number>;
  /** The longest from tick to tick. */
  readonly resolutionMs: number;
}

/** Reads a store's clock. `nowMs`: this program's monotonic clock. */
export async function readStoreClock(
  store: StoreClock,
  nowMs: () => number,
): Promise<ZeroBounds | undefined> {
  const readings: ClockReading[] = [];
  while (readings.length < enough) {
    const beforeMs = nowMs();
    const storeMs = await store.time();
    readings.push({ beforeMs, afterMs: nowMs(), storeMs });
  }
  return zeroBoundsOf(readings, store.resolutionMs);
}

/** The most by which an instant may be wrong where zero was taken to be at `zeroMs`, nanoseconds. */
export function clockErrorNs(zeroMs: number, bounds: readonly ZeroBounds[]): number {
  const worstMs = Math.max(...bounds.flatMap(({ maxMs, minMs }) => [zeroMs - minMs, maxMs - zeroMs]));
  return Math.ceil(worstMs * 1e6);
}

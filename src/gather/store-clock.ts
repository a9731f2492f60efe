import { setTimeout as sleep } from 'node:timers/promises';

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
 * clock that one is nearly right, so zero is most likely near `minMs`. Where ticks are known to show in time, no reading
 * is further behind: then the last one before a tick bounds zero best. Undefined if the readings contradict each other.
 */
export function zeroBoundsOf(
  readings: readonly ClockReading[],
  { resolutionMs, tickLateMs }: Pick<StoreClock, 'resolutionMs' | 'tickLateMs'>,
): ZeroBounds | undefined {
  const minMs = Math.max(...readings.map(({ afterMs, storeMs }) => storeMs - afterMs));
  const behind = readings.map(({ beforeMs, storeMs }) => storeMs - beforeMs + resolutionMs);
  if (tickLateMs === undefined) {
    const wentBack = readings.some(({ storeMs }, n) => storeMs < (readings[n - 1]?.storeMs ?? storeMs));
    return wentBack ? undefined : { minMs, maxMs: Math.max(...behind) };
  }
  const maxMs = Math.min(...behind) + tickLateMs;
  return minMs > maxMs ? undefined : { minMs, maxMs };
}

/** Enough readings to fall everywhere between two ticks. */
const enough = 50;

/** A clock that shows the time, as a store has it. */
export interface StoreClock {
  /** What it shows at some instant of the call, epoch milliseconds: of its last tick. */
  time(): Promise<number>;
  /** The longest from tick to tick. */
  readonly resolutionMs: number;
  /** How long after it is due a tick may show, if that is known. */
  readonly tickLateMs?: number;
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
    if (store.resolutionMs > enough) await sleep(store.resolutionMs / enough);
  }
  return zeroBoundsOf(readings, store);
}

/** The most by which an instant may be wrong where zero was taken to be at `zeroMs`, nanoseconds. */
export function clockErrorNs(zeroMs: number, bounds: readonly ZeroBounds[]): number {
  const worstMs = Math.max(...bounds.flatMap(({ maxMs, minMs }) => [zeroMs - minMs, maxMs - zeroMs]));
  return Math.ceil(worstMs * 1e6);
}

import { z } from 'zod';
import { driveReads } from './drive-reads.ts';
import { type Quantiles, quantiles } from './figures.ts';
import { withServer } from './local-server.ts';

/** How exactly a rate was kept. Lags in milliseconds, CPU as a share of one core. */
export interface Pacing {
  readonly rate: string;
  readonly requests: number;
  /** Sent minus intended, as the generator saw it. */
  readonly sendLagMs: Quantiles;
  /** Arrival at the server minus intended, less the smallest such difference: clocks' offset and the shortest way there. */
  readonly arrivalMs: Quantiles;
  readonly cpuShare: number;
  /**
   * How late a loop is in the same sitting that does nothing but look at the clock, at the same instants: what the machine takes from
   * whoever runs on it. No generator can do better.
   */
  readonly machineMs: Quantiles;
}

/** Drives a bare local server at a rate for a while, with the real driver, and measures the pacing error. */
export async function measurePacing(rate: string, perSecond: number, seconds: number): Promise<Pacing> {
  return withServer(async (baseUrl) => {
    const { cpuShare, times } = await driveReads(baseUrl, rate, seconds);
    const answer = await fetch(new URL('/v1/arrivals', baseUrl));
    const arrivals = z.array(z.number()).parse(await answer.json());
    const offsets = times.map(({ intendedNs }, index) => (arrivals[index] ?? Number.NaN) - intendedNs / 1e6);
    const least = offsets.reduce((least, offset) => Math.min(least, offset), Number.POSITIVE_INFINITY);
    return {
      rate,
      requests: times.length,
      sendLagMs: quantiles(times.map(({ intendedNs, sentNs }) => (sentNs - intendedNs) / 1e6)),
      arrivalMs: quantiles(offsets.map((offset) => offset - least)),
      cpuShare: Math.round(cpuShare * 1e3) / 1e3,
      machineMs: machine(perSecond, seconds / 4),
    };
  });
}

function machine(perSecond: number, seconds: number): Quantiles {
  const lags: number[] = [];
  const startMs = performance.now();
  for (let k = 0; k < perSecond * seconds; k++) {
    const dueMs = startMs + (k * 1e3) / perSecond;
    let nowMs = performance.now();
    while (nowMs < dueMs) nowMs = performance.now();
    lags.push(nowMs - dueMs);
  }
  return quantiles(lags);
}

import autocannon from 'autocannon';
import { z } from 'zod';
import { driveReads } from './drive-reads.ts';
import { type Quantiles, quantiles } from './figures.ts';
import { connections } from './generators/usage.ts';
import { withServer } from './local-server.ts';
import { peers } from './peers/on-path.ts';
import { perSecond, type Rate } from './peers/peer.ts';
import { runPeer } from './peers/run.ts';

/** How exactly a rate was kept by whom. Errors in milliseconds, CPU as a share of one core. */
export interface Paced {
  readonly requests: number;
  /** Arrival at the server minus t0 + k/rate, less the smallest such difference: clocks' offset and the shortest way there. */
  readonly arrivalMs: Quantiles;
  /** Of a peer with all that it does before and after. */
  readonly cpuShare: number;
}

/** Ours, and others at the same rate in the same sitting. */
export interface Pacing extends Paced {
  readonly rate: string;
  /** Sent minus intended, as the generator saw it. */
  readonly sendLagMs: Quantiles;
  /**
   * How late a loop that only polls the clock is at the same instants: what the machine takes from any program. No
   * generator can do better.
   */
  readonly machineMs: Quantiles;
  readonly others: Readonly<Record<string, Paced>>;
  /** Our 99th percentile at the server by vegeta's. */
  readonly p99ByVegeta?: number;
}

/**
 * Below this rate the server is kept awake. A sleeping core takes 0.1 to 0.3 ms to see a request. At 1,000 a minute a
 * polling sender was 0.16 ms late at the median to a sleeping server, and 0.04 ms to a waking one. Above this rate, a
 * server that takes all of a core would disturb the generators.
 */
const awakeBelow = 100;

/**
 * Reads from a bare local server at a rate, by the real driver and then by others, and measures the pacing error.
 */
export async function measurePacing(rate: Rate, seconds: number): Promise<Pacing> {
  const { sendLagMs, ...ours } = await withServerAt(rate, async (baseUrl) => {
    const { cpuShare, times } = await driveReads(baseUrl, rateText(rate), seconds);
    return {
      ...(await arrived(baseUrl, perSecond(rate))),
      cpuShare: rounded(cpuShare),
      sendLagMs: quantiles(times.map(({ intendedNs, sentNs }) => (sentNs - intendedNs) / 1e6)),
    };
  });
  const others = await measureOthers(rate, seconds);
  return {
    rate: rateText(rate),
    ...ours,
    sendLagMs,
    machineMs: machine(perSecond(rate), seconds / 4),
    others,
    ...(others.vegeta && { p99ByVegeta: rounded(ours.arrivalMs.p99 / others.vegeta.arrivalMs.p99) }),
  };
}

export function rateText({ count, per }: Rate): string {
  return `${count}/${per === 's' ? 's' : 'min'}`;
}

function withServerAt<T>(rate: Rate, use: (baseUrl: URL) => Promise<T>): Promise<T> {
  return withServer(use, perSecond(rate) < awakeBelow);
}

async function measureOthers(rate: Rate, seconds: number): Promise<Record<string, Paced>> {
  const others: Record<string, Paced> = { autocannon: await cannon(rate, seconds) };
  for (const { mostPerSecond = Number.POSITIVE_INFINITY, name, paced } of peers) {
    if (paced === undefined || perSecond(rate) > mostPerSecond) continue;
    others[name] = await withServerAt(rate, async (baseUrl) => {
      const { cpuUs } = await runPeer(name, paced(shades(baseUrl), rate, seconds));
      return { ...(await arrived(baseUrl, perSecond(rate))), cpuShare: rounded(cpuUs / 1e6 / seconds) };
    });
  }
  return others;
}

/** It knows whole requests a second only, and is measured by the rate that it was told. */
async function cannon(rate: Rate, seconds: number): Promise<Paced> {
  const overallRate = Math.round(perSecond(rate));
  return withServerAt(rate, async (baseUrl) => {
    const before = process.cpuUsage();
    await autocannon({ url: shades(baseUrl).href, connections, overallRate, duration: seconds });
    const { system, user } = process.cpuUsage(before);
    return { ...(await arrived(baseUrl, overallRate)), cpuShare: rounded((system + user) / 1e6 / seconds) };
  });
}

function shades(baseUrl: URL): URL {
  return new URL('/v1/shades', baseUrl);
}

/** Asks the server when requests came that were to come at a rate. */
async function arrived(baseUrl: URL, perSecond: number): Promise<Omit<Paced, 'cpuShare'>> {
  const answer = await fetch(new URL('/v1/arrivals', baseUrl));
  const arrivals = z.array(z.number()).parse(await answer.json());
  const offsets = arrivals.map((ms, k) => ms - (k * 1e3) / perSecond);
  const least = offsets.reduce((least, offset) => Math.min(least, offset), Number.POSITIVE_INFINITY);
  return { requests: arrivals.length, arrivalMs: quantiles(offsets.map((offset) => offset - least)) };
}

function rounded(value: number): number {
  return Math.round(value * 1e3) / 1e3;
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

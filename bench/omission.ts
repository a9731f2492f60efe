import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { driveReads, type Times } from './drive-reads.ts';
import { type Server, serversHere, withNginx } from './fast-server.ts';
import { type Quantiles, quantiles } from './figures.ts';
import { connections } from './generators/usage.ts';
import { withServer } from './local-server.ts';
import { peers } from './peers/on-path.ts';
import { runPeer } from './peers/run.ts';

/** Latencies in milliseconds of a server that stands still for a while, at a steady rate. */
export interface Omission {
  readonly perSecond: number;
  readonly seconds: number;
  readonly server: Server;
  readonly ours: Seen & { readonly service: Latencies };
  /** As it is told to keep the rate over 50 connections: with its own correction, and without. */
  readonly autocannon: Seen;
  readonly autocannonUncorrected: Seen;
  readonly others: Readonly<Record<string, Seen>>;
}

type Latencies = Pick<Quantiles, 'p99' | 'p999'>;

interface Seen {
  readonly reported: Latencies;
  /** The true waits of arrivals at that rate, by arithmetic: 0, except in the stall. */
  readonly truth: Latencies;
}

const perSecond = 500;
const seconds = 30;
const stallMs = 2_000;

/**
 * Coordinated omission: a generator that waits for each answer does not see the waits of the requests it did not
 * send.
 */
export async function measureOmission(): Promise<Omission> {
  const ours = await stalled((baseUrl) => driveReads(baseUrl, `${perSecond}/s`, seconds));
  const since = (from: (times: Times) => number): Quantiles =>
    quantiles(ours.seen.times.map((times) => (times.answeredNs - from(times)) / 1e6));
  const corrected = await stalled((baseUrl) => cannon(baseUrl, false));
  const uncorrected = await stalled((baseUrl) => cannon(baseUrl, true));
  const others: Record<string, Seen> = {};
  for (const { latenciesMs, name, timed } of peers) {
    if (timed === undefined || latenciesMs === undefined) continue;
    const { seen, truth } = await stalled((baseUrl) =>
      runPeer(name, timed(new URL('/v1/shades', baseUrl), perSecond, seconds)),
    );
    others[name] = { reported: quantiles(latenciesMs(seen.output)), truth };
  }
  return {
    perSecond,
    seconds,
    server: isNginxHere() ? 'nginx' : 'node:http',
    others,
    ours: {
      reported: since((times) => times.intendedNs),
      service: since((times) => times.sentNs),
      truth: ours.truth,
    },
    autocannon: { reported: corrected.seen, truth: corrected.truth },
    autocannonUncorrected: { reported: uncorrected.seen, truth: uncorrected.truth },
  };
}

async function cannon({ origin }: URL, ignoreCoordinatedOmission: boolean): Promise<Latencies> {
  const { latency } = await autocannon({
    url: `${origin}/v1/shades`,
    connections,
    overallRate: perSecond,
    duration: seconds,
    ignoreCoordinatedOmission,
  });
  return { p99: latency.p99, p999: latency.p99_9 };
}

function isNginxHere(): boolean {
  return serversHere().includes('nginx');
}

/**
 * Stalls the server a third of the way through. It uses nginx if installed: afterwards the bare server needs some 25
 * ms to accept the waiting requests, which the arithmetic leaves out.
 */
function stalled<T>(drive: (baseUrl: URL) => Promise<T>): Promise<{ seen: T; truth: Latencies }> {
  return isNginxHere()
    ? withNginx((baseUrl, nginx) => during(drive(baseUrl), () => stopped(nginx)))
    : withServer((baseUrl) => during(drive(baseUrl), () => asleep(baseUrl)));
}

/** `stall` tells for how many milliseconds the server did stand still: the machine may have woken it late. */
async function during<T>(
  driven: Promise<T>,
  stall: () => Promise<number>,
): Promise<{ seen: T; truth: Latencies }> {
  await sleep((seconds * 1e3) / 3);
  const stalledMs = await stall();
  const seen = await driven;
  // The share of all requests that arrive in the stall; the last of them wait the least.
  const inStall = stalledMs / 1e3 / seconds;
  const waitMs = (share: number): number => Math.round(stalledMs * (1 - (1 - share) / inStall));
  return { seen, truth: { p99: waitMs(0.99), p999: waitMs(0.999) } };
}

async function stopped(nginx: ChildProcess): Promise<number> {
  const startMs = performance.now();
  nginx.kill('SIGSTOP');
  await sleep(stallMs);
  nginx.kill('SIGCONT');
  return performance.now() - startMs;
}

async function asleep(baseUrl: URL): Promise<number> {
  await fetch(new URL(`/stall/${stallMs}`, baseUrl));
  // Answered when it is awake again.
  return Number(await (await fetch(new URL('/stalled', baseUrl))).text());
}

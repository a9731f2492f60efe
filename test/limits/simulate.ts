import { admitted, ambiguous, limited, type Trace } from '../../src/limits/trace.ts';
import { type Random, randomStream } from '../../src/random.ts';
import { type TraceRequest, traceOf } from './trace-of.ts';

/**
 * Limiters in virtual time behind a network, to test inference against known truth. Written from the descriptions of
 * deployed limiters, in milliseconds, independently of both the reference service and the candidate models.
 */

/** Decides on a request that reaches the limiter at `ms`; calls come in the order of arrival. */
export type SimulatedLimiter = (ms: number) => boolean;

/** Makes a fresh limiter of `limit` per `windowMs`; `random` draws what is left open, such as the phase of its clock. */
export type LimiterMaker = (limit: number, windowMs: number, random: Random) => SimulatedLimiter;

const fixedAligned: LimiterMaker = (limit, windowMs, random) => {
  const phase = random() * windowMs;
  const counters = new Map<number, number>();
  return (ms) => {
    const bucket = Math.floor((Math.floor(ms) + phase) / windowMs);
    const used = (counters.get(bucket) ?? 0) + 1;
    counters.set(bucket, used);
    return used <= limit;
  };
};

const fixedFirstRequest: LimiterMaker = (limit, windowMs) => {
  let resetAt: number | undefined;
  let hits = 0;
  return (ms) => {
    const now = Math.floor(ms);
    if (resetAt === undefined || now >= resetAt) {
      resetAt = now + windowMs;
      hits = 0;
    }
    hits += 1;
    return hits <= limit;
  };
};

const slidingLog =
  (countRefused: boolean): LimiterMaker =>
  (limit, windowMs) => {
    let stamps: number[] = [];
    return (ms) => {
      stamps = stamps.filter((stamp) => stamp > ms - windowMs);
      const ok = stamps.length + 1 <= limit;
      if (ok || countRefused) stamps.push(ms);
      return ok;
    };
  };

/** `strict`: the request itself must fit as well (estimate + 1 <= limit), as HAProxy and Upstash differ. */
const slidingCounter =
  (countRefused: boolean, strict: boolean): LimiterMaker =>
  (limit, windowMs, random) => {
    const phase = random() * windowMs;
    const counters = new Map<number, number>();
    return (ms) => {
      const clock = ms + phase;
      const bucket = Math.floor(clock / windowMs);
      const share = (windowMs - (clock % windowMs)) / windowMs;
      const estimate = (counters.get(bucket) ?? 0) + Math.floor((counters.get(bucket - 1) ?? 0) * share);
      const ok = strict
        ? (counters.get(bucket) ?? 0) + (counters.get(bucket - 1) ?? 0) * share + 1 <= limit
        : estimate < limit;
      if (ok || countRefused) counters.set(bucket, (counters.get(bucket) ?? 0) + 1);
      return ok;
    };
  };

const tokenBucket: LimiterMaker = (limit, windowMs) => {
  let tokens = limit;
  let at = 0;
  return (ms) => {
    tokens = Math.min(limit, tokens + (ms - at) * (limit / windowMs));
    at = ms;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
};

/** Generic cell rate algorithm: theoretical arrival time against a tolerance. Decides as the token bucket does. */
const gcra: LimiterMaker = (limit, windowMs) => {
  const interval = windowMs / limit;
  let theoretical = 0;
  return (ms) => {
    const next = Math.max(theoretical, ms) + interval;
    if (next - ms > windowMs + 1e-6) return false;
    theoretical = next;
    return true;
  };
};

/** After the first refusal everything is refused for a window. */
const blockAfterRefusal: LimiterMaker = (limit, windowMs) => {
  const window = fixedFirstRequest(limit, windowMs, () => 0);
  let blockedUntil = 0;
  return (ms) => {
    if (ms < blockedUntil) return false;
    const ok = window(ms);
    if (!ok) blockedUntil = ms + windowMs;
    return ok;
  };
};

/** Every refusal starts the window anew. */
const extendedByRefusals: LimiterMaker = (limit, windowMs) => {
  let endsAt = 0;
  let hits = 0;
  return (ms) => {
    if (ms >= endsAt) {
      endsAt = ms + windowMs;
      hits = 0;
    }
    hits += 1;
    if (hits <= limit) return true;
    endsAt = ms + windowMs;
    return false;
  };
};

const none: LimiterMaker = () => () => true;

/** A load balancer in front of nodes that each count for themselves. */
const nodes =
  (count: number): LimiterMaker =>
  (limit, windowMs, random) => {
    const each = Array.from({ length: count }, () => fixedAligned(limit, windowMs, random));
    return (ms) => each[Math.floor(random() * count)]?.(ms) ?? true;
  };

/** Limiters that keep to their limit, by the algorithm a profile would promise. */
export const honestLimiters = {
  'fixed window, aligned': { algorithm: 'fixed-window', make: fixedAligned },
  'fixed window, first request': { algorithm: 'fixed-window', make: fixedFirstRequest },
  'sliding log': { algorithm: 'sliding-log', make: slidingLog(false) },
  'sliding log, rejections count': { algorithm: 'sliding-log', make: slidingLog(true) },
  'sliding counter': { algorithm: 'sliding-counter', make: slidingCounter(false, false) },
  'sliding counter, strict': { algorithm: 'sliding-counter', make: slidingCounter(false, true) },
  'sliding counter, rejections count': { algorithm: 'sliding-counter', make: slidingCounter(true, false) },
  'token bucket': { algorithm: 'token-bucket', make: tokenBucket },
  GCRA: { algorithm: 'token-bucket', make: gcra },
} as const satisfies Readonly<Record<string, { algorithm: string; make: LimiterMaker }>>;

/** Limiters that do not. */
export const crookedLimiters = {
  none,
  'three nodes': nodes(3),
  'block after a rejection': blockAfterRefusal,
  'extended by refusals': extendedByRefusals,
} as const satisfies Readonly<Record<string, LimiterMaker>>;

/** A stretch of steady load. */
export interface Stretch {
  readonly requests: number;
  readonly ms: number;
}

/** The load of the launch scenario, window 60 s: set-up, 900 a minute, 1,500 a minute, 4,000 a minute, 30 a minute. */
export const launchLoad: readonly Stretch[] = [
  { requests: 40, ms: 2_000 },
  { requests: 900, ms: 60_000 },
  { requests: 1_500, ms: 60_000 },
  { requests: 1_000, ms: 15_000 },
  { requests: 30, ms: 60_000 },
];

/** The same shape in a window `factor` times shorter, with as many times fewer requests, so as dense. */
export function scaledLoad(factor: number): readonly Stretch[] {
  return launchLoad.map(({ requests, ms }) => ({ requests: Math.round(requests / factor), ms: ms / factor }));
}

export interface Network {
  /**
   * Mean of the whole round trip; each way is a fixed 30 % of its mean and an exponential rest, so that requests
   * overtake each other.
   */
  readonly meanRoundTripMs: number;
  /** Probability that no answer comes: half of those never reached the limiter. */
  readonly loss: number;
  /** How often a second, on average, machine and network stand still: for 10 to 130 ms, more often shortly than long. */
  readonly standstillsPerS?: number;
}

export const usualNetwork: Network = { meanRoundTripMs: 7, loss: 0.0005 };

/** After this time without an answer a request is given up. */
const giveUpMs = 10_000;

/** Drives the load through the network into the limiter, and returns what the sender saw, in order of sending. */
export function observe(
  limiter: SimulatedLimiter,
  load: readonly Stretch[],
  network: Network,
  random: Random,
): readonly TraceRequest[] {
  const oneWayMs = (): number => (network.meanRoundTripMs / 2) * (0.3 - 0.7 * Math.log(1 - random()));
  const sent: number[] = [];
  let startMs = 0;
  for (const { requests, ms } of load) {
    const slotMs = ms / requests;
    for (let k = 0; k < requests; k++) sent.push(startMs + (k + random()) * slotMs);
    startMs += ms;
  }
  const trips = sent.map((sentMs, index) => {
    const lost = random() < network.loss;
    const neverArrives = lost && random() < 0.5;
    return { index, sentMs, arrivesMs: sentMs + oneWayMs(), lost, neverArrives };
  });
  const passed: boolean[] = [];
  for (const trip of trips.toSorted((a, b) => a.arrivesMs - b.arrivesMs)) {
    passed[trip.index] = !trip.neverArrives && limiter(trip.arrivesMs);
  }
  return trips.map((trip) => ({
    seq: trip.index + 1,
    sentNs: trip.sentMs * 1e6,
    answeredNs: (trip.lost ? trip.sentMs + giveUpMs : trip.arrivesMs + oneWayMs()) * 1e6,
    outcome: trip.lost ? ambiguous : passed[trip.index] ? admitted : limited,
  }));
}

/** What the sender sees of one limiter under the scaled launch load. The same seed gives the same trace. */
export function launchTrace(
  make: LimiterMaker,
  limit: number,
  seed: number,
  factor: number,
  network = usualNetwork,
): Trace {
  const random = randomStream(seed, 'simulated limiter');
  const limiter = make(limit / factor, 60_000 / factor, random);
  return traceOf(observe(limiter, scaledLoad(factor), network, random));
}

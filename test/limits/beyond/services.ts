import type { Random } from '../../../src/random.ts';
import type { ServiceMaker, SimulatedService, Truth } from '../services.ts';
import { honestLimiters, type LimiterMaker, type SimulatedLimiter } from '../simulate.ts';

/**
 * Limits beyond one counter of requests per time, in virtual time. A request is judged by all its limits; what one
 * rejects, no other counts, unless said otherwise.
 */

interface Peeked {
  /** Whether it would pass, without counting. */
  readonly passes: (ms: number) => boolean;
  readonly count: (ms: number) => void;
}

const fixedFirst = (limit: number, windowMs: number): Peeked => {
  let endMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  return {
    passes: (ms) => ms >= endMs || used < limit,
    count: (ms) => {
      if (ms >= endMs) {
        endMs = ms + windowMs;
        used = 0;
      }
      used++;
    },
  };
};

const fixedGrid = (limit: number, windowMs: number, offsetMs: number): Peeked => {
  const counts = new Map<number, number>();
  const at = (ms: number): number => Math.floor((ms + offsetMs) / windowMs);
  return {
    passes: (ms) => (counts.get(at(ms)) ?? 0) < limit,
    count: (ms) => counts.set(at(ms), (counts.get(at(ms)) ?? 0) + 1),
  };
};

const log = (limit: number, windowMs: number): Peeked => {
  let stamps: number[] = [];
  return {
    passes: (ms) => {
      stamps = stamps.filter((each) => each > ms - windowMs);
      return stamps.length < limit;
    },
    count: (ms) => stamps.push(ms),
  };
};

/** `limit` at once, refilled at `limit` per window. */
const bucket = (burst: number, perMs: number): Peeked => {
  let tokens = burst;
  let atMs = 0;
  const fill = (ms: number): void => {
    tokens = Math.min(burst, tokens + (ms - atMs) * perMs);
    atMs = ms;
  };
  return {
    passes: (ms) => {
      fill(ms);
      return tokens >= 1;
    },
    count: (ms) => {
      fill(ms);
      tokens--;
    },
  };
};

/** Admits what all admit, and counts only that. */
const all =
  (...limits: readonly Peeked[]): SimulatedLimiter =>
  (ms) => {
    if (!limits.every(({ passes }) => passes(ms))) return false;
    for (const { count } of limits) count(ms);
    return true;
  };

/** One after the other, as middleware: what a later one rejects has been counted by the earlier. */
const inTurn =
  (...limits: readonly Peeked[]): SimulatedLimiter =>
  (ms) =>
    limits.every(({ count, passes }) => {
      const isAdmitted = passes(ms);
      if (isAdmitted) count(ms);
      return isAdmitted;
    });

const prompt =
  (limiter: SimulatedLimiter): SimulatedService =>
  (ms) => ({ passes: limiter(ms), delayMs: 0 });

const of =
  (
    make: (limit: number, windowMs: number, random: Random, epochMs: number) => SimulatedLimiter,
  ): ServiceMaker =>
  (limit, windowMs, { random, epochMs }) =>
  () =>
    prompt(make(limit, windowMs, random, epochMs));

/** At most this many in work. */
const inWork = (
  most: number,
  serviceMs: number,
  random: Random,
  limiter: SimulatedLimiter,
): SimulatedService => {
  let busyUntil: number[] = [];
  return (ms) => {
    busyUntil = busyUntil.filter((until) => until > ms);
    if (busyUntil.length >= most || !limiter(ms)) return { passes: false, delayMs: 0 };
    const delayMs = serviceMs * (0.5 + random());
    busyUntil.push(ms + delayMs);
    return { passes: true, delayMs };
  };
};

/** Each of several counters gets its part of the requests, in turn or at random. */
const apart = (
  count: number,
  next: (k: number) => number,
  make: () => SimulatedLimiter,
): SimulatedLimiter => {
  const each = Array.from({ length: count }, make);
  let k = 0;
  return (ms) => each[next(k++) % count]?.(ms) ?? true;
};

/** Of each request, its cost. */
const weighted = (limit: number, windowMs: number, costOf: (k: number) => number): SimulatedLimiter => {
  let endMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  let k = 0;
  return (ms) => {
    if (ms >= endMs) {
      endMs = ms + windowMs;
      used = 0;
    }
    const cost = costOf(k++);
    if (used + cost > limit) return false;
    used += cost;
    return true;
  };
};

const single = (name: keyof typeof honestLimiters): LimiterMaker => honestLimiters[name].make;

/** A configuration, and what is right to say of it. */
export interface Beyond extends Pick<Truth, 'make'> {
  /** The kind to be named; without one, none is to be named. */
  readonly name?: string;
  /** The limit and window to be found, if they differ from the constructor's; of a limit on requests in work, the limit. */
  readonly actual?: (
    limit: number,
    windowMs: number,
  ) => { readonly limit: number; readonly windowMs?: number };
  /** Of two limits, the shorter. */
  readonly beside?: (
    limit: number,
    windowMs: number,
  ) => { readonly limit: number; readonly windowMs: number };
}

const quarter = (limit: number, windowMs: number) => ({ limit: limit / 4, windowMs: windowMs / 10 });
const atOnce = (part: number, limit: number, windowMs: number): number =>
  Math.max(2, Math.round((1_000 * part * limit) / windowMs));

export const beyond: Readonly<Record<string, Beyond>> = {
  'burst and minute, both opened by a request': {
    name: 'two-limits',
    beside: quarter,
    make: of((limit, windowMs) => all(fixedFirst(limit / 4, windowMs / 10), fixedFirst(limit, windowMs))),
  },
  'burst and minute, both logs': {
    name: 'two-limits',
    beside: quarter,
    make: of((limit, windowMs) => all(log(limit / 4, windowMs / 10), log(limit, windowMs))),
  },
  'burst and minute, by the clock': {
    name: 'two-limits',
    beside: quarter,
    make: of((limit, windowMs, _, epochMs) =>
      all(fixedGrid(limit / 4, windowMs / 10, epochMs), fixedGrid(limit, windowMs, epochMs)),
    ),
  },
  'burst before a minute, both opened by a request': {
    name: 'two-limits',
    beside: quarter,
    make: of((limit, windowMs) => inTurn(fixedFirst(limit / 4, windowMs / 10), fixedFirst(limit, windowMs))),
  },
  'minute before a burst, both opened by a request': {
    name: 'two-limits',
    beside: quarter,
    make: of((limit, windowMs) => inTurn(fixedFirst(limit, windowMs), fixedFirst(limit / 4, windowMs / 10))),
  },
  'bucket before a window opened by a request': {
    name: 'two-limits',
    beside: (limit, windowMs) => ({ limit: limit / 5, windowMs: windowMs / 10 }),
    make: of((limit, windowMs) =>
      inTurn(bucket(limit / 5, (2 * limit) / windowMs), fixedFirst(limit, windowMs)),
    ),
  },
  'two buckets': {
    name: 'two-limits',
    beside: (limit, windowMs) => ({ limit: limit / 5, windowMs: windowMs / 20 }),
    make: of((limit, windowMs) =>
      all(bucket(limit / 5, (4 * limit) / windowMs), bucket(limit, limit / windowMs)),
    ),
  },
  'burst and minute, one after the other': {
    name: 'two-limits',
    beside: quarter,
    make: of((limit, windowMs) => inTurn(log(limit / 4, windowMs / 10), fixedFirst(limit, windowMs))),
  },
  'every request costs two': {
    name: 'fixed-window-first-request',
    make: of((limit, windowMs) => weighted(limit, windowMs, () => 2)),
    actual: (limit, windowMs) => ({ limit: limit / 2, windowMs }),
  },
  'every third request costs five': {
    make: of((limit, windowMs) => weighted(limit, windowMs, (k) => (k % 3 === 0 ? 5 : 1))),
  },
  'requests cost one to four, at random': {
    make: of((limit, windowMs, random) => weighted(limit, windowMs, () => 1 + Math.floor(4 * random()))),
  },
  'requests in work': {
    name: 'concurrency',
    actual: (limit, windowMs) => ({ limit: atOnce(0.864, limit, windowMs) }),
    make:
      (limit, windowMs, { random }) =>
      () =>
        inWork(Math.max(2, Math.round(0.864 * (limit / windowMs) * 1000)), 60, random, () => true),
  },
  'in work, and a window': {
    make:
      (limit, windowMs, { random }) =>
      () =>
        inWork(atOnce(0.6, limit, windowMs), 60, random, all(fixedFirst(limit, windowMs))),
  },
  'six connections in turn, each with its limit': {
    make: of((limit, windowMs) =>
      apart(
        6,
        (k) => k,
        () => all(fixedFirst(limit / 3, windowMs)),
      ),
    ),
  },
  'connections that change after ten requests': {
    make: of((limit, windowMs) =>
      apart(
        1_000,
        (k) => Math.floor(k / 10),
        () => all(fixedFirst(limit / 20, windowMs)),
      ),
    ),
  },
  'two nodes, at random': {
    name: 'several-nodes',
    make: of((limit, windowMs, random, epochMs) =>
      apart(
        2,
        () => Math.floor(random() * 2),
        () => all(fixedGrid(limit / 2, windowMs, epochMs)),
      ),
    ),
  },
  'two nodes in turn, logs': {
    make: of((limit, windowMs) =>
      apart(
        2,
        (k) => k,
        () => all(log(limit / 2, windowMs)),
      ),
    ),
  },
  'two methods, two limits': {
    make: of((limit, windowMs) =>
      apart(
        2,
        (k) => (k % 4 === 0 ? 1 : 0),
        () => all(fixedFirst(limit / 2, windowMs)),
      ),
    ),
  },
  'token bucket with a burst of a fifth': {
    name: 'token-bucket',
    make: of((limit, windowMs) => all(bucket(limit / 5, limit / windowMs))),
    actual: (limit, windowMs) => ({ limit: limit / 5, windowMs: windowMs / 5 }),
  },
  'fixed window twice as long': {
    name: 'fixed-window',
    make: of((limit, windowMs, _, epochMs) => all(fixedGrid(2 * limit, 2 * windowMs, epochMs))),
    actual: (limit, windowMs) => ({ limit: 2 * limit, windowMs: 2 * windowMs }),
  },
  'half the requests rejected at random': {
    make: of((_limit, _windowMs, random) => () => random() < 0.5),
  },
  'a log that halves its limit after a rejection': {
    make: of((limit, windowMs) => {
      const [whole, half] = [single('sliding log')(limit, windowMs, () => 0), log(limit / 2, windowMs)];
      let untilMs = 0;
      return (ms) => {
        if (ms < untilMs && !half.passes(ms)) return false;
        const passes = whole(ms);
        if (passes) half.count(ms);
        else untilMs = ms + 2 * windowMs;
        return passes;
      };
    }),
  },
};

import type { Random } from '../../src/random.ts';
import { crookedLimiters, honestLimiters, type SimulatedLimiter } from './simulate.ts';

/** What a simulated service answers to a request that reaches it at `ms`, and how long it takes; calls in order of arrival. */
export type SimulatedService = (ms: number) => { readonly passes: boolean; readonly delayMs: number };

/** The world that a service lives in: its clock at zero (milliseconds since 1970), and chance. */
export interface World {
  readonly epochMs: number;
  readonly random: Random;
}

/** Makes what serves one key; called again for each key. */
export type ServiceMaker = (limit: number, windowMs: number, world: World) => () => SimulatedService;

/** A service of a known kind, and the name that inference should give it. */
export interface Truth {
  /** Names that are right. */
  readonly names: readonly string[];
  readonly make: ServiceMaker;
  /** Where windows begin, if that is to be found. */
  readonly phase?: 'clock-aligned' | 'unaligned';
  /** The limit and window to be found, if they differ from the constructor's. */
  readonly actual?: (limit: number, windowMs: number) => { limit: number; windowMs: number };
  /** Outside the family: no limit per window to be found. */
  readonly isOutside?: boolean;
}

const prompt =
  (limiter: SimulatedLimiter): SimulatedService =>
  (ms) => ({ passes: limiter(ms), delayMs: 0 });

const fixedGrid = (limit: number, windowMs: number, offsetMs: number): SimulatedLimiter => {
  const counters = new Map<number, number>();
  return (ms) => {
    const window = Math.floor((ms + offsetMs) / windowMs);
    const used = (counters.get(window) ?? 0) + 1;
    counters.set(window, used);
    return used <= limit;
  };
};

/** Upstash: a sliding counter on the clock's grid, and a cache that refuses until the window is over. */
const blockCache = (limit: number, windowMs: number, offsetMs: number): SimulatedLimiter => {
  const counters = new Map<number, number>();
  let blockedUntil = Number.NEGATIVE_INFINITY;
  return (ms) => {
    const clock = ms + offsetMs;
    if (clock < blockedUntil) return false;
    const window = Math.floor(clock / windowMs);
    const share = 1 - (clock % windowMs) / windowMs;
    const used = (counters.get(window) ?? 0) + Math.floor((counters.get(window - 1) ?? 0) * share);
    if (used >= limit) {
      blockedUntil = (window + 1) * windowMs;
      return false;
    }
    counters.set(window, (counters.get(window) ?? 0) + 1);
    return true;
  };
};

/** An interval refill: tokens come every `everyMs` of a clock that reads `offsetMs` at zero. */
const intervalRefill = (
  burst: number,
  refill: number,
  everyMs: number,
  offsetMs: number,
): SimulatedLimiter => {
  let tokens = burst;
  let last = Math.floor(offsetMs / everyMs);
  return (ms) => {
    const now = Math.floor((ms + offsetMs) / everyMs);
    tokens = Math.min(burst, tokens + (now - last) * refill);
    last = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
};

/** nginx's `limit_req`: whole thousandths of a request drain in whole milliseconds, as far as they go after each rounding down. */
export const leakyThousandths = (limit: number, windowMs: number): SimulatedLimiter => {
  const thousandthsPerS = Math.floor((limit * 1e6) / windowMs);
  const brim = (limit - 1) * 1_000;
  let excess = 0;
  let lastMs: number | undefined;
  return (ms) => {
    const nowMs = Math.floor(ms);
    const drained = Math.floor((thousandthsPerS * (nowMs - (lastMs ?? nowMs))) / 1_000);
    const level = lastMs === undefined ? 0 : Math.max(0, excess - drained + 1_000);
    if (level > brim) return false;
    excess = level;
    lastMs = nowMs;
    return true;
  };
};

/** Envoy's or Upstash's: a full bucket's worth every window, the first at the key's first request. */
const refilledEachWindow = (limit: number, windowMs: number): SimulatedLimiter => {
  let refilledMs: number | undefined;
  let tokens = limit;
  return (ms) => {
    refilledMs ??= ms;
    const due = Math.floor((ms - refilledMs) / windowMs);
    if (due > 0) {
      refilledMs += due * windowMs;
      tokens = limit;
    }
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
};

/**
 * HAProxy: a counted request starts a window; the next follows at once if it counted, and starts from zero after a
 * whole window without one.
 */
const openedCounter = (limit: number, windowMs: number, countRefused: boolean): SimulatedLimiter => {
  let openedMs = Number.NEGATIVE_INFINITY;
  let current = 0;
  let previous = 0;
  const count = (ms: number): void => {
    const sinceMs = ms - openedMs;
    if (sinceMs >= windowMs) {
      previous = sinceMs < 2 * windowMs ? current : 0;
      current = 0;
      openedMs = sinceMs < 2 * windowMs ? openedMs + windowMs : ms;
    }
    current++;
  };
  const rate = (ms: number): number => {
    const sinceMs = ms - openedMs;
    if (sinceMs < windowMs) return current + Math.floor((previous * (windowMs - sinceMs)) / windowMs);
    return sinceMs < 2 * windowMs ? Math.floor((current * (2 * windowMs - sinceMs)) / windowMs) : 0;
  };
  return (ms) => {
    const passes = rate(Math.floor(ms)) < limit;
    if (passes || countRefused) count(Math.floor(ms));
    return passes;
  };
};

/**
 * rate-limiter-flexible: a request starts a window, and its first rejection turns the rest of it into a block.
 */
const blockFor = (limit: number, windowMs: number, blockMs: number): SimulatedLimiter => {
  let endsMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (ms) => {
    if (ms >= endsMs) {
      endsMs = ms + windowMs;
      used = 0;
    }
    used++;
    if (used === limit + 1) endsMs = ms + blockMs;
    return used <= limit;
  };
};

/** nginx without `nodelay`: a queue that a request leaves every so often, and that refuses when it is full. */
const boundedQueue = (limit: number, windowMs: number): SimulatedService => {
  const everyMs = windowMs / limit;
  let freeMs = Number.NEGATIVE_INFINITY;
  return (ms) => {
    const startsMs = Math.max(freeMs, ms);
    if (startsMs - ms > (limit - 1) * everyMs) return { passes: false, delayMs: 0 };
    freeMs = startsMs + everyMs;
    return { passes: true, delayMs: startsMs - ms };
  };
};

const concurrencyServiceMs = 60;

const ofHonest = (name: keyof typeof honestLimiters, ...names: string[]): Truth => ({
  names,
  make: (limit, windowMs, { random }) => {
    // All keys' windows lie on one grid: the phase is drawn once and given to each key's limiter.
    const phase = random();
    return () => prompt(honestLimiters[name].make(limit, windowMs, () => phase));
  },
});

const ofCrooked = (name: keyof typeof crookedLimiters, ...names: string[]): Truth => ({
  names,
  make:
    (limit, windowMs, { random }) =>
    () =>
      prompt(crookedLimiters[name](limit, windowMs, random)),
});

/** One of each kind that is out there. */
export const truths: Readonly<Record<string, Truth>> = {
  'fixed window, clock-aligned': {
    names: ['fixed-window'],
    phase: 'clock-aligned',
    make:
      (limit, windowMs, { epochMs }) =>
      () =>
        prompt(fixedGrid(limit, windowMs, epochMs)),
  },
  'fixed window, any phase': { ...ofHonest('fixed window, aligned', 'fixed-window'), phase: 'unaligned' },
  'fixed window, first request': ofHonest('fixed window, first request', 'fixed-window-first-request'),
  'fixed window of a second': {
    names: ['fixed-window'],
    make: (limit, windowMs, { random }) => {
      const offsetMs = random() * 1e3;
      return () => prompt(fixedGrid(Math.ceil((limit * 1_000) / windowMs), 1_000, offsetMs));
    },
    actual: (limit, windowMs) => ({ limit: Math.ceil((limit * 1_000) / windowMs), windowMs: 1_000 }),
  },
  'sliding log': ofHonest('sliding log', 'sliding-log'),
  'sliding log, rejections count': ofHonest('sliding log, rejections count', 'sliding-log-all'),
  'sliding counter': ofHonest('sliding counter', 'sliding-counter'),
  'sliding counter, strict': ofHonest('sliding counter, strict', 'sliding-counter'),
  'sliding counter, rejections count': ofHonest('sliding counter, rejections count', 'sliding-counter-all'),
  'sliding counter, started by a request': {
    names: ['sliding-counter-first-request'],
    make: (limit, windowMs) => () => prompt(openedCounter(limit, windowMs, false)),
  },
  'sliding counter, started by a request, rejections count': {
    names: ['sliding-counter-all-first-request'],
    make: (limit, windowMs) => () => prompt(openedCounter(limit, windowMs, true)),
  },
  'sliding counter, block cache': {
    names: ['sliding-counter-block-cache'],
    phase: 'clock-aligned',
    make:
      (limit, windowMs, { epochMs }) =>
      () =>
        prompt(blockCache(limit, windowMs, epochMs)),
  },
  'token bucket': ofHonest('token bucket', 'token-bucket'),
  GCRA: ofHonest('GCRA', 'token-bucket'),
  'leaky bucket in thousandths': {
    names: ['token-bucket'],
    make: (limit, windowMs) => () => prompt(leakyThousandths(limit, windowMs)),
  },
  'token bucket, refilled each second': {
    names: ['token-bucket-second-lumps'],
    make: (limit, windowMs, { random }) => {
      const offsetMs = random() * 1e3;
      return () => prompt(intervalRefill(limit, (limit * 1_000) / windowMs, 1_000, offsetMs));
    },
  },
  'token bucket, refilled each window': {
    names: ['token-bucket-window-lumps'],
    make: (limit, windowMs) => () => prompt(refilledEachWindow(limit, windowMs)),
  },
  'block after a rejection': ofCrooked('block after a rejection', 'block-after-refusal'),
  'block for one and a half windows': {
    names: ['block-after-refusal'],
    make: (limit, windowMs) => () => prompt(blockFor(limit, windowMs, 1.5 * windowMs)),
  },
  'extended by rejections': ofCrooked('extended by refusals', 'extended-by-refusals'),
  none: { ...ofCrooked('none', 'none'), isOutside: true },
  'three nodes': {
    names: ['several-nodes'],
    make: (limit, windowMs, { random }) => {
      const phase = random() * windowMs;
      return () => {
        const nodes = Array.from({ length: 3 }, () => fixedGrid(Math.ceil(limit / 3), windowMs, phase));
        return prompt((ms) => nodes[Math.floor(random() * 3)]?.(ms) ?? true);
      };
    },
    actual: (limit, windowMs) => ({ limit: 3 * Math.ceil(limit / 3), windowMs }),
  },
  'concurrency limit': {
    names: ['concurrency'],
    isOutside: true,
    make:
      (limit, windowMs, { random }) =>
      () => {
        // As many at once as the burst of a probe exceeds by half.
        const most = Math.max(2, Math.round(((24 * limit) / windowMs) * concurrencyServiceMs * 0.6));
        let busyUntil: number[] = [];
        return (ms) => {
          busyUntil = busyUntil.filter((until) => until > ms);
          if (busyUntil.length >= most) return { passes: false, delayMs: 0 };
          const delayMs = concurrencyServiceMs * (0.5 + random());
          busyUntil.push(ms + delayMs);
          return { passes: true, delayMs };
        };
      },
  },
  'queue with little room': {
    names: ['queueing'],
    isOutside: true,
    make: (limit, windowMs) => () => boundedQueue(limit, windowMs),
  },
  queueing: {
    names: ['queueing'],
    isOutside: true,
    make: (limit, windowMs) => () => {
      let freeAt = 0;
      return (ms) => {
        freeAt = Math.max(freeAt, ms) + windowMs / limit / 1.5;
        return { passes: true, delayMs: freeAt - ms };
      };
    },
  },
};

import { setTimeout } from 'node:timers/promises';

/** At most this many requests per window. */
export interface RequestLimit {
  /** A whole number, at least 1. */
  readonly requests: number;
  /** A whole number too, so that limiters can calculate exactly. */
  readonly windowMs: number;
}

/**
 * The service's two clocks. The wall clock gives `created_at`, expiry, the days of analytics and the `Date` header,
 * and may be set. The monotonic clock gives the limiters their windows, so setting the wall clock moves none of them.
 */
export interface ServiceClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  wallMs(): number;
  /** Milliseconds, with fractions, since an arbitrary instant; never goes back. */
  monotonicMs(): number;
  /** Resolves after so long, and does not hold up the end of the process. */
  pause(ms: number): Promise<void>;
}

export const systemClock: ServiceClock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  pause: (ms) => setTimeout(ms, undefined, { ref: false }),
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
    pause: (ms) => machine.pause(ms),
    set: (epochMs) => {
      zeroMs = epochMs - machine.monotonicMs();
    },
  };
}

/** The algorithms to choose from, as `--limiter` takes them. */
export const limiterNames = ['fixed-window', 'sliding-log', 'sliding-counter', 'token-bucket'] as const;
export type LimiterName = (typeof limiterNames)[number];

/** An API key. Keys of one account share its data and its session quota, but not their rate limit. */
export interface KeyOptions {
  /** Unique name, safe to show. */
  readonly label: string;
  /** A caller's secret. Kept in memory only as a hash, and never stored. */
  readonly secret: string;
  /** Stable name of the owner of the data; a restart on the same database finds it again by this name. */
  readonly account: string;
  /** Name of a pricing plan. Keys of one account have to name the same one. */
  readonly plan: string;
}

/**
 * What the interface leaves open about GET /analytics/sessions. A session always belongs to the day of its creation,
 * with all its interactions; one SKU in two catalogs is one entry of `top_shades`.
 */
export interface AnalyticsConventions {
  /** `date`: YYYY-MM-DD. `date-time`: YYYY-MM-DDTHH:MM:SSZ, an instant rather than a day. */
  readonly dateFormat: 'date' | 'date-time';
  /** Whether `end_date` itself (the whole day, or the second) is part of the period. */
  readonly endDate: 'inclusive' | 'exclusive';
  /** Minutes by which the days of `dateFormat: 'date'` begin before those of UTC. */
  readonly dayOffsetMinutes: number;
  /** What is averaged over sessions: distinct SKUs selected, or every selection. */
  readonly shadesPerSession: 'distinct' | 'selections';
  /** Over which sessions it is averaged. */
  readonly sessionsAveraged: 'all' | 'with-shades';
  /** Entries of `top_shades`, at most. */
  readonly topShades: number;
  /** Order of SKUs selected equally often, by UTF-16 code units. */
  readonly ties: 'sku-ascending' | 'sku-descending';
  /** Decimals that the average and the rate are rounded to. */
  readonly decimals: number;
}

export interface ServiceOptions {
  /** Path of the SQLite database, made if it does not exist; `:memory:` for one that dies with the service. */
  readonly databaseFile: string;
  /**
   * What an acknowledged write survives. `process-kill`: the death of this process in any way. `power-cut`: also that
   * of the machine, at the price of an fsync per write.
   */
  readonly durability: 'process-kill' | 'power-cut';
  readonly clock: ServiceClock;
  /** Pricing plan → sessions that an account of it may ever create; `Infinity` for no end. */
  readonly plans: Readonly<Record<string, number>>;
  readonly keys: readonly KeyOptions[];
  readonly limiter: LimiterName;
  readonly rateLimit: RequestLimit;
  /** How long a session's token is accepted after the session's creation. */
  readonly sessionLifetimeMs: number;
  readonly analytics: AnalyticsConventions;
}

export const defaultAnalyticsConventions: AnalyticsConventions = {
  dateFormat: 'date',
  endDate: 'inclusive',
  dayOffsetMinutes: 0,
  shadesPerSession: 'distinct',
  sessionsAveraged: 'all',
  topShades: 10,
  ties: 'sku-ascending',
  decimals: 4,
};

/** All settings except the callers and the database. */
export const defaultServiceOptions: Omit<ServiceOptions, 'databaseFile' | 'plans' | 'keys'> = {
  durability: 'process-kill',
  clock: systemClock,
  limiter: 'sliding-log',
  rateLimit: { requests: 1_000, windowMs: 60_000 },
  sessionLifetimeMs: 30 * 60_000,
  analytics: defaultAnalyticsConventions,
};

/** The service cannot start as configured: the message says why, in terms of its options. */
export class ServiceConfigurationError extends Error {
  override readonly name = 'ServiceConfigurationError';
}

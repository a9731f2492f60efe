import { type ServiceClock, systemClock } from './clock.ts';
import type { LimiterName, RequestLimit } from './limiters.ts';

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

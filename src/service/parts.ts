import type { Interaction, SessionAnalytics, SessionGrant, SessionRequest, ShadeBatch } from '../wire.ts';

/**
 * The parts that the routes are built on, each behind an interface small enough to be wrapped or replaced alone. A part
 * may answer later than at once, although none of the service's own does: a replacement may need to.
 */
export interface ServiceParts {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly catalogs: Catalogs;
  readonly sessions: Sessions;
  readonly interactions: Interactions;
  readonly analytics: Analytics;
}

export type MaybeLater<Value> = Value | Promise<Value>;

/** Who an API key speaks for. */
export interface Caller {
  readonly keyLabel: string;
  /** Row of the account, which owns the data and the quota. */
  readonly accountId: number;
  /** Session quota of the account, for its lifetime. May be `Infinity`. */
  readonly sessionQuota: number;
}

export interface Authenticator {
  /** The caller of a known API key, if one came, at an endpoint of the form `METHOD /path/:pattern`. */
  identify(apiKey: string | undefined, endpoint: string): Caller | undefined;
}

/** The fields of a request known when the rate limit is applied: before its body is read. */
export interface Approach {
  readonly caller: Caller;
  /** `METHOD /path/:pattern`. */
  readonly endpoint: string;
  readonly remoteAddress: string;
  readonly forwardedFor: string | undefined;
}

export interface RateLimiter {
  /** Decides on a request and, if it is admitted, counts it, in one step that no other request comes into. */
  take(approach: Approach): MaybeLater<Decision>;
}

/** What an import has stored. */
interface ShadeImport {
  readonly catalog_id: string;
  /** Distinct SKUs of the batch, all of which are stored now: created and updated. */
  readonly imported: number;
  readonly created: number;
  readonly updated: number;
  /** Shades that the catalog holds now. */
  readonly shade_count: number;
}

export interface Catalogs {
  /**
   * Stores the whole batch or nothing, in a new catalog if needed. The last of several entries of a SKU wins.
   */
  importShades(caller: Caller, batch: ShadeBatch): MaybeLater<ShadeImport>;
  /** The shades in the order in which they first came, each as JSON text. `undefined` if there is no such catalog. */
  list(caller: Caller, catalogId: string): MaybeLater<readonly ShadeJson[] | undefined>;
}

/** The JSON text of a `Shade`. */
type ShadeJson = string;

type OpenedSession =
  | { readonly outcome: 'opened'; readonly grant: SessionGrant }
  | { readonly outcome: 'unknown-catalog' }
  | { readonly outcome: 'quota-exceeded' };

/** Answer of GET /sessions/{id}. */
interface SessionHistory {
  readonly session_id: string;
  readonly product_id: string;
  readonly catalog_id: string;
  readonly locale: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly shade_count: number;
  /** In order of arrival. */
  readonly interactions: readonly Interaction[];
}

export interface Sessions {
  /** Opens a session and spends one of the account's quota, or does neither. */
  open(caller: Caller, request: SessionRequest): MaybeLater<OpenedSession>;
  /** A session of the caller's account, expired or not. */
  read(caller: Caller, sessionId: string): MaybeLater<SessionHistory | undefined>;
}

/** A session that accepts events. */
export interface LiveSession {
  /** Row of the session. */
  readonly id: number;
  /** Row of its catalog. */
  readonly catalog: number;
}

type ChannelAccess =
  | { readonly outcome: 'granted'; readonly session: LiveSession }
  | { readonly outcome: 'unauthorised' }
  | { readonly outcome: 'expired' }
  | { readonly outcome: 'unknown-session' };

type RecordedInteractions =
  | { readonly outcome: 'recorded'; readonly accepted: number }
  | { readonly outcome: 'unknown-sku'; readonly sku: string };

export interface Interactions {
  /** Whether a token opens the channel of the session that the path names. */
  authorise(sessionId: string, token: string): ChannelAccess;
  /** Stores the whole batch but for ids that the session has already, or nothing. */
  record(session: LiveSession, interactions: readonly Interaction[]): MaybeLater<RecordedInteractions>;
}

/** A period of analytics: `start_date` and `end_date` as given, and their instants. */
export interface AnalyticsPeriod {
  readonly startDate: string;
  readonly endDate: string;
  /** First millisecond of it, of the wall clock. */
  readonly fromMs: number;
  /** First millisecond after it. */
  readonly untilMs: number;
}

export interface Analytics {
  report(
    caller: Caller,
    period: AnalyticsPeriod,
    productId: string | undefined,
  ): MaybeLater<SessionAnalytics>;
}

/** A limiter's decision about one request. */
export interface Decision {
  readonly admitted: boolean;
  /** How many further requests would be admitted at this instant. 0 after a rejection. */
  readonly remaining: number;
  /**
   * Milliseconds, more than 0, until one more than `remaining` would be admitted, if nothing is sent before. After a
   * rejection, that is the wait.
   */
  readonly moreInMs: number;
}

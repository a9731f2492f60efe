/**
 * The bodies and parameters that travel between the harness and a service, as the interface document gives them.
 * Types only: this is the one module that the harness and the reference service share.
 */

/** One colour entry of a catalog. Optional metadata is allowed, its names and types are not specified. */
export interface Shade {
  readonly sku: string;
  readonly name: string;
  /** `#RRGGBB`. */
  readonly hex: string;
  /** `matte` is the only value that the interface shows. */
  readonly finish: string;
  readonly [metadata: string]: unknown;
}

/** Body of POST /shades: 1 to 500 shades. */
export interface ShadeBatch {
  readonly catalog_id: string;
  readonly shades: readonly Shade[];
}

/** Body of POST /sessions. */
export interface SessionRequest {
  readonly product_id: string;
  readonly catalog_id: string;
  /** Language tag of the form ll-CC. */
  readonly locale: string;
}

/** Answer of POST /sessions. */
export interface SessionGrant {
  readonly session_id: string;
  /** For the shopper's SDK; a secret. */
  readonly token: string;
  /** ISO 8601, UTC. */
  readonly expires_at: string;
  readonly shade_count: number;
}

export type InteractionType = 'shade_selected' | 'cart_intent';

/** One event of a shopper, sent over the interaction channel (this project's default, not the interface's). */
export interface Interaction {
  /** UUID; a service counts an id once per session. */
  readonly id: string;
  readonly type: InteractionType;
  /** May be left out for a cart intent. */
  readonly sku?: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Body of POST /sessions/{id}/interactions. */
export interface InteractionBatch {
  readonly interactions: readonly Interaction[];
}

/** One entry of `top_shades`. */
export interface TopShade {
  readonly sku: string;
  readonly selections: number;
}

/** Parameters of GET /analytics/sessions: dates as the target takes them, and the product to filter by, if any. */
export interface AnalyticsQuery {
  readonly start_date: string;
  readonly end_date: string;
  readonly product_id?: string;
}

/** Answer of GET /analytics/sessions. */
export interface SessionAnalytics {
  /** `<start_date> / <end_date>`. */
  readonly period: string;
  readonly total_sessions: number;
  readonly avg_shades_per_session: number;
  /** Fraction between 0 and 1. */
  readonly cart_intent_rate: number;
  readonly top_shades: readonly TopShade[];
}

import type { InteractionType } from '../wire.ts';

/** One event of a shopper in the SDK, `afterMs` after the event or step before it. */
export interface ShopperEvent {
  readonly type: InteractionType;
  readonly sku: string;
}

/** One request of a journey. `afterMs`: think time since the intended instant of the step before (0 for the first). */
export type JourneyStep =
  | { readonly kind: 'list-shades'; readonly afterMs: number }
  | { readonly kind: 'create-session'; readonly afterMs: number }
  | { readonly kind: 'interact'; readonly afterMs: number; readonly events: readonly ShopperEvent[] }
  | { readonly kind: 'read-session'; readonly afterMs: number };

/** With what one shopper comes. */
export interface Errand {
  /** Index into the catalog's products. */
  readonly product: number;
  /** Language tag ll-CC. */
  readonly locale: string;
  /** The shopper leaves when an answer takes longer than this. */
  readonly patienceMs: number;
}

/** All that one shopper will do, a function of (seed, k) and the catalog alone. */
export interface Journey extends Errand {
  /** k: the shopper's number. */
  readonly shopper: number;
  readonly persona: string;
  readonly steps: readonly JourneyStep[];
}

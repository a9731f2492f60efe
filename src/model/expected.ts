import type { Outcome } from './call.ts';
import type { FreedomName, Option } from './freedoms.ts';
import type { FieldValues, ItemList, NumberRanges } from './stages.ts';
import type { StoredEvent, StoredShade } from './world.ts';

/**
 * What may be answered to a call, as far as the world is known. One function for the judge, the simulator and the
 * explainer: whatever it leaves out, none of them can see.
 */
export interface Expected {
  readonly outcomes: readonly Outcome[];
  readonly shades?: ItemList<StoredShade>;
  readonly events?: ItemList<StoredEvent>;
  readonly fields: FieldValues;
  readonly numbers: NumberRanges;
  readonly analytics?: ExpectedAnalytics;
  /** Ranges of a number under the options of a freedom: what is shown settles it. */
  readonly under?: readonly {
    readonly number: string;
    readonly freedom: FreedomName;
    readonly ranges: NumberRanges;
  }[];
  /** What the outcome settles: the options of freedoms that an outcome shows. */
  readonly settles?: readonly Settling[];
}

export interface Settling {
  readonly freedom: FreedomName;
  readonly shownBy: Readonly<Partial<Record<Outcome, readonly string[]>>>;
}

/** A mean of analytics, in each way to take it. */
export interface MeanWays {
  readonly field: 'avg_shades_per_session' | 'cart_intent_rate';
  readonly ways: readonly {
    readonly given: readonly Option[];
    readonly range: readonly [least: number, most: number];
  }[];
}

/** What analytics of a product show beside the number of sessions. */
export interface ExpectedAnalytics {
  readonly means: readonly MeanWays[];
  /** Selections of each SKU. */
  readonly shades: ReadonlyMap<string, readonly [least: number, most: number]>;
}

export const nothing: Expected = { outcomes: [], fields: {}, numbers: {} };

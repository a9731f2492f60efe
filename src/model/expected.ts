import type { Outcome } from './call.ts';
import type { FreedomName } from './freedoms.ts';
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
  /** Ranges of a number under the options of a freedom: what is shown settles it. */
  readonly under?: {
    readonly number: string;
    readonly freedom: FreedomName;
    readonly ranges: NumberRanges;
  };
  /** What the outcome settles: the options of a freedom that an outcome shows. */
  readonly settles?: {
    readonly freedom: FreedomName;
    readonly shownBy: Readonly<Partial<Record<Outcome, readonly string[]>>>;
  };
}

export const nothing: Expected = { outcomes: [], fields: {}, numbers: {} };

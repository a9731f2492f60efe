/** A closed interval of numbers. */
export type Bounds = { readonly min: number; readonly max: number };

/** The same, unbounded to the side of a missing end. */
export type Interval = { readonly min?: number; readonly max?: number };

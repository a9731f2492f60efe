/** How far a scenario goes: to each unusual value, also to pairs of values, or to long histories and large catalogs as well. */
export const reaches = ['single', 'pairs', 'long'] as const;
export type Reach = (typeof reaches)[number];

/** Texts with something in common, for which a service may treat them differently from others. */
export interface TextClass {
  /** Unique in its field. */
  readonly id: string;
  /** Texts of the class to send. `unique`: part of each text that has to be the run's own. */
  readonly make: (unique: string) => readonly string[];
}

/** A class of these texts, whichever run sends them. */
export function values(id: string, ...texts: readonly string[]): TextClass {
  return { id, make: () => texts };
}

/** How far a scenario goes: to each unusual value, also to pairs of values, or to long histories and large catalogs as well. */
export const reaches = ['single', 'pairs', 'long'] as const;
export type Reach = (typeof reaches)[number];

/** Texts with something in common, for which a service may treat them differently from others. */
interface ValueClass {
  /** Unique in its field. */
  readonly id: string;
  readonly holds: (text: string) => boolean;
  /** Texts of the class to send. `unique`: part of each text that has to be the run's own. */
  readonly make: (unique: string) => readonly string[];
}

/** Two texts that are nearly alike. */
interface PairClass extends Pick<ValueClass, 'id' | 'make'> {
  readonly holds?: undefined;
}

export type TextClass = ValueClass | PairClass;

export function isPair(each: TextClass): each is PairClass {
  return each.holds === undefined;
}

/** A class of texts that a pattern matches. */
export function matching(id: string, pattern: RegExp, ...values: readonly string[]): ValueClass {
  return { id, holds: (text) => pattern.test(text), make: () => values };
}

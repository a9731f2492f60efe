/** How far a scenario goes: to every class but long histories and catalogs, to pairs of classes, or to the long ones as well. */
export const reaches = ['single', 'pairs', 'long'] as const;
export type Reach = (typeof reaches)[number];

/** What a run needs to reach a class, besides the scenario. */
export type Need = 'channel' | 'sessions' | 'quota' | 'other-finish' | 'days' | 'long-key';

/** Facts of every class of values. */
export interface ClassFacts {
  /** Unique in its field. */
  readonly id: string;
  /** What is special about the value, as the report shows it. */
  readonly sentence: string;
  /** The requests that reach it, beside those that a run sends anyway. */
  readonly requests: number;
  /**
   * The first reach that sends it on purpose; `pairs` adds no class, only pairs of classes. `none`: ordinary traffic or a study
   * may, and nothing else does.
   */
  readonly from: Exclude<Reach, 'pairs'> | 'none';
  readonly needs?: Need;
  /** The value is invalid, or only probes what is refused: any answer reaches the class. */
  readonly invalid?: true;
}

/** A class of single values. */
export interface ValueClass<Value> extends ClassFacts {
  /** Whether a value that was sent belongs to the class. */
  readonly holds: (value: Value) => boolean;
  /** Values of the class. `unique`: part of each value, for ids that must be the run's own. */
  readonly make?: (unique: string) => readonly Value[];
}

/** A class of two texts that are nearly alike. */
export interface PairClass extends ClassFacts {
  /** Texts that the value shares with those nearly alike. Two different values with one in common are a pair. */
  readonly alike: (value: string) => readonly string[];
  readonly make?: (unique: string) => readonly string[];
}

export type TextClass = ValueClass<string> | PairClass;

export function isPair(each: TextClass | ValueClass<number>): each is PairClass {
  return 'alike' in each;
}

/** A field of the interface with texts, or with amounts, and its classes. */
export interface TextField {
  readonly kind: 'text';
  readonly title: string;
  readonly classes: readonly TextClass[];
}
export interface AmountField {
  readonly kind: 'amount';
  readonly title: string;
  readonly classes: readonly ValueClass<number>[];
}
export type Field = TextField | AmountField;

/** A class of texts that are one of some words. */
export function word(
  id: string,
  sentence: string,
  facts: Omit<ClassFacts, 'id' | 'sentence'>,
): ValueClass<string> {
  return { id, sentence, ...facts, holds: (value) => value === id };
}

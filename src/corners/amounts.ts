import { counted } from '../amounts.ts';
import type { ClassFacts, Reach, ValueClass } from './value-class.ts';

/** The reaches that add amounts. */
type AmountReach = Exclude<Reach, 'pairs'>;
type AmountFacts = Omit<ClassFacts, 'id' | 'sentence'>;

export function exactly(amount: number, sentence: string, facts: AmountFacts): ValueClass<number> {
  return { id: String(amount), sentence, ...facts, holds: (value) => value === amount };
}

/** One class for each bound that software likes: more than that. */
export function beyond(
  bounds: Readonly<Record<AmountReach, readonly number[]>>,
  one: string,
  facts: (from: AmountReach) => AmountFacts,
): ValueClass<number>[] {
  return (Object.entries(bounds) as [AmountReach, readonly number[]][]).flatMap(([from, amounts]) =>
    amounts.map((amount) => ({
      id: `over-${amount}`,
      sentence: `More than ${counted(amount, one)}`,
      ...facts(from),
      holds: (value: number) => value > amount,
    })),
  );
}

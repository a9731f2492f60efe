import fc, { type Arbitrary, type GeneratorValue } from 'fast-check';

/**
 * Draws by fast-check's arbitraries, one after another from one seed: the same seed and the same questions give the same
 * draws.
 */
export interface Dice {
  /** One of several values. */
  pick<T>(values: readonly T[]): T;
  /** One of several values; each comes once before any comes again. */
  deal<T>(values: readonly T[]): T;
  /** One of several kinds, by weight. */
  weighed<T>(values: readonly { readonly weight: number; readonly value: T }[]): T;
  below(count: number): number;
  odds(probability: number): boolean;
}

const fineness = 10_000;

export function diceOf(seed: number): Dice {
  const [draw] = fc.sample(fc.gen(), { seed, numRuns: 1 }) as [GeneratorValue];
  const decks = new Map<readonly unknown[], unknown[]>();
  // One builder for each count: fast-check compares arguments deeply, which costs more than the draw.
  const builders = new Map<number, () => Arbitrary<number>>();
  const below = (count: number): number => {
    let builder = builders.get(count);
    if (builder === undefined) {
      builder = () => fc.noBias(fc.nat({ max: Math.max(0, count - 1) }));
      builders.set(count, builder);
    }
    return draw(builder);
  };
  return {
    below,
    pick: <T>(values: readonly T[]): T => values[below(values.length)] as T,
    odds: (probability) => below(fineness) < probability * fineness,
    deal<T>(values: readonly T[]): T {
      let deck = decks.get(values);
      if (deck === undefined || deck.length === 0) {
        deck = [...values];
        decks.set(values, deck);
      }
      return deck.splice(below(deck.length), 1)[0] as T;
    },
    weighed<T>(values: readonly { readonly weight: number; readonly value: T }[]): T {
      const weighted = (): Arbitrary<T> =>
        fc.oneof(...values.map(({ value, weight }) => ({ weight, arbitrary: fc.constant(value) })));
      return draw(weighted);
    },
  };
}

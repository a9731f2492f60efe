import { randomStream } from '../../random.ts';

/**
 * Orders mutants so that each beginning of the list is a sample: every operator in every file has its share in it, and
 * the order within them is random. So a longer sample holds the shorter ones of the same seed.
 */
export function inSampleOrder<Item extends { readonly operator: string; readonly path: string }>(
  items: readonly Item[],
  seed: number,
): Item[] {
  const strata = Map.groupBy(items, ({ operator, path }) => `${operator} ${path}`);
  const placed = [...strata].flatMap(([stratum, members]) => {
    const random = randomStream(seed, `mutants ${stratum}`);
    const first = random();
    const shuffled = members
      .map((item) => ({ item, key: random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
    return shuffled.map((item, index) => ({ item, at: (first + index) / members.length }));
  });
  return placed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

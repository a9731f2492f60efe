/** A source of uniform numbers in [0, 1). */
export type Random = () => number;

/**
 * An independent stream of random numbers for one purpose and one index, such as ("shopper", k). The generator's
 * state (sfc32 by Chris Doty-Humphrey, PractRand) comes from the key instead of a parent stream, so stream k does not
 * need streams 0…k−1.
 */
export function randomStream(seed: number, purpose: string, index = 0): Random {
  let a = seed >>> 0;
  let b = index >>> 0;
  let c = hash(purpose);
  let d = (Math.floor(seed / 2 ** 32) ^ Math.imul(Math.floor(index / 2 ** 32) + 1, 0x9e3779b1)) >>> 0;
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return (t >>> 0) / 2 ** 32;
  };
  // Twelve rounds, as PractRand does, so that neighbouring keys share nothing.
  for (let round = 0; round < 12; round++) next();
  return next;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/** One of some items, each as likely as its weight says. Throws a `RangeError` where no weight is above 0. */
export function weighted<Item>(random: Random, items: readonly Item[], weights: readonly number[]): Item {
  const selected = random() * weights.reduce((sum, weight) => sum + weight, 0);
  let total = 0;
  const at = weights.findIndex((weight) => {
    total += weight;
    return weight > 0 && selected <= total;
  });
  // What rounding leaves over is the last one's.
  const place = at < 0 ? weights.findLastIndex((weight) => weight > 0) : at;
  if (place < 0) throw new RangeError('no weight is above 0');
  return items[place] as Item;
}

/** One of some items, each as likely as another. */
export function pickOne<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** The items in a random order. */
export function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  const left = [...items];
  return items.map(() => {
    const at = Math.floor(random() * left.length);
    const chosen = left[at] as Item;
    left[at] = left.at(-1) as Item;
    left.pop();
    return chosen;
  });
}

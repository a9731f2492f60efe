/** One worker's part of a plan: it is the `index`-th, from 0, `of` so many. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** All of it. */
export const whole: Shard = { index: 0, of: 1 };

/**
 * Whose requests are in a shard. All of a shopper's are in one, so that nobody has to tell another worker which session a
 * journey is in; and new shoppers go to each in turn, so that all have the same to do at any time.
 */
export function isIn({ index, of }: Shard, shopper: number): boolean {
  return shopper % of === index;
}

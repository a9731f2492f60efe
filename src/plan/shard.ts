/** One worker's part of a plan: the `index`-th, from 0, of `of` parts. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** A part's share of what all may have together, in whole numbers. */
export function shareOf(all: number, { index, of }: Shard): number {
  return Math.floor(all / of) + (index < all % of ? 1 : 0);
}

/** All of it. */
export const whole: Shard = { index: 0, of: 1 };

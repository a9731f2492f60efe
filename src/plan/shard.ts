/** One worker's part of a plan: the `index`-th, from 0, of `of` parts. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** All of it. */
export const whole: Shard = { index: 0, of: 1 };

import { number } from '../amounts.ts';
import type { Counted } from './counts.ts';
import type { LastsFrom } from './opened-windows.ts';
import { coarseGrain } from './slack.ts';

/** The mechanism of a hypothesis. Its parameters (limit, window, phase) are found by a search. */
export type Mechanism =
  | { readonly kind: 'grid' }
  | { readonly kind: 'first-grid' }
  | { readonly kind: 'opened'; readonly lastsFrom: LastsFrom }
  /** `part`: of the window, that it is kept in pieces of; none where every request leaves it by itself. */
  | { readonly kind: 'log'; readonly counted: Counted; readonly part?: number }
  | { readonly kind: 'counter'; readonly counted: Counted; readonly blocks: boolean }
  | { readonly kind: 'opened-counter'; readonly counted: Counted }
  /** `grain`: the parts of a request in which it calculates; 0 if it is exact. */
  | { readonly kind: 'bucket'; readonly grain: number }
  | { readonly kind: 'lumps'; readonly everyNs: number };

/** A kind of limiter that a search compares with traces, with limit and window open. */
export interface Hypothesis {
  readonly id: string;
  /** For sentences: "a ⟨name⟩ of 900 per 60 s". */
  readonly name: string;
  readonly mechanism: Mechanism;
  /** Whether rejected requests spend the limit too, or extend it; null where no observation can tell. */
  readonly rejectsCount: boolean | null;
  /** Degrees of freedom: free parameters, to break ties. */
  readonly degreesOfFreedom: number;
  /** The same kind with a coarser arithmetic, the finest first: for when no kind explains the answers. */
  readonly coarser?: readonly Hypothesis[];
}

/** A second: what buckets that are not refilled continuously are commonly refilled by. */
export const secondNs = 1e9;

/** Other refill intervals, tried where no kind explains the answers. */
const otherIntervalsS = [0.1, 0.2, 0.25, 0.5, 2, 5, 10];
/** Pieces that counts in a sliding window are kept in, as parts of it: ten or four are common (rolling counters). */
const pieces = [0.1, 0.25];

const bucket: Hypothesis = {
  id: 'token-bucket',
  name: 'token bucket',
  mechanism: { kind: 'bucket', grain: 0 },
  rejectsCount: false,
  degreesOfFreedom: 2,
};

/** From the plainest to the most particular. */
export const hypotheses: readonly Hypothesis[] = [
  {
    id: 'fixed-window',
    name: 'fixed window',
    mechanism: { kind: 'grid' },
    rejectsCount: null,
    degreesOfFreedom: 3,
  },
  {
    id: 'token-bucket-window-lumps',
    name: 'token bucket refilled once a window, counted from the first request',
    mechanism: { kind: 'first-grid' },
    rejectsCount: null,
    degreesOfFreedom: 2.5,
  },
  {
    id: 'fixed-window-first-request',
    name: 'fixed window (started by the first request)',
    mechanism: { kind: 'opened', lastsFrom: 'opening' },
    rejectsCount: null,
    degreesOfFreedom: 2,
  },
  {
    id: 'sliding-log',
    name: 'sliding window',
    mechanism: { kind: 'log', counted: 'admitted' },
    rejectsCount: false,
    degreesOfFreedom: 2,
    coarser: pieces.map((part) => ({
      id: 'sliding-log-pieces',
      name: 'sliding window (moves in steps)',
      mechanism: { kind: 'log', counted: 'admitted', part },
      rejectsCount: false,
      degreesOfFreedom: 4,
    })),
  },
  {
    id: 'sliding-log-all',
    name: 'sliding window (rejections count)',
    mechanism: { kind: 'log', counted: 'all' },
    rejectsCount: true,
    degreesOfFreedom: 2,
    coarser: pieces.map((part) => ({
      id: 'sliding-log-all-pieces',
      name: 'sliding window (moves in steps, rejections count)',
      mechanism: { kind: 'log', counted: 'all', part },
      rejectsCount: true,
      degreesOfFreedom: 4,
    })),
  },
  { ...bucket, coarser: [{ ...bucket, mechanism: { kind: 'bucket', grain: coarseGrain } }] },
  {
    id: 'token-bucket-second-lumps',
    name: 'token bucket refilled once a second',
    mechanism: { kind: 'lumps', everyNs: secondNs },
    rejectsCount: false,
    degreesOfFreedom: 3,
    coarser: otherIntervalsS.map((seconds) => ({
      id: 'token-bucket-lumps',
      name: `token bucket refilled every ${number(seconds)} s`,
      mechanism: { kind: 'lumps', everyNs: seconds * secondNs },
      rejectsCount: false,
      degreesOfFreedom: 4,
    })),
  },
  {
    id: 'sliding-counter',
    name: 'sliding counter',
    mechanism: { kind: 'counter', counted: 'admitted', blocks: false },
    rejectsCount: false,
    degreesOfFreedom: 3,
  },
  {
    id: 'sliding-counter-all',
    name: 'sliding counter (rejections count)',
    mechanism: { kind: 'counter', counted: 'all', blocks: false },
    rejectsCount: true,
    degreesOfFreedom: 3,
  },
  {
    id: 'sliding-counter-first-request',
    name: 'sliding counter (windows started by a request)',
    mechanism: { kind: 'opened-counter', counted: 'admitted' },
    rejectsCount: false,
    degreesOfFreedom: 2,
  },
  {
    id: 'sliding-counter-all-first-request',
    name: 'sliding counter (windows started by a request, rejections count)',
    mechanism: { kind: 'opened-counter', counted: 'all' },
    rejectsCount: true,
    degreesOfFreedom: 2,
  },
  {
    id: 'sliding-counter-block-cache',
    name: 'sliding counter (rejects until the window ends)',
    mechanism: { kind: 'counter', counted: 'admitted', blocks: true },
    rejectsCount: false,
    degreesOfFreedom: 3,
  },
  {
    id: 'block-after-refusal',
    name: 'window (blocked after its first rejection)',
    mechanism: { kind: 'opened', lastsFrom: 'first-refusal' },
    rejectsCount: true,
    degreesOfFreedom: 2.5,
  },
  {
    id: 'extended-by-refusals',
    name: 'window extended by rejections',
    mechanism: { kind: 'opened', lastsFrom: 'last-refusal' },
    rejectsCount: true,
    degreesOfFreedom: 2,
  },
];

import type { Counted } from './counts.ts';

/** The limiter algorithms that a target can promise. */
export type Algorithm = 'fixed-window' | 'sliding-log' | 'sliding-counter' | 'token-bucket';

/** A limiter model that a trace can refute. Its limit is open, its window given. */
export interface Candidate {
  readonly algorithm: Algorithm;
  /**
   * What it adds to its count. It makes no difference for a fixed window or a bucket, which stay full either way.
   */
  readonly counted: Counted;
  /** Where its windows begin: on a grid of any phase (a clock's, or that of the first request), or each with a request. */
  readonly windows?: 'grid' | 'first-request';
  /** For sentences: "looks like a ⟨name⟩ of 900 per 60 s". */
  readonly name: string;
}

/** From the plainest to the most particular: of two that explain a trace equally well, the earlier is preferred. */
export const candidates: readonly Candidate[] = [
  { algorithm: 'fixed-window', counted: 'admitted', windows: 'grid', name: 'fixed window' },
  {
    algorithm: 'fixed-window',
    counted: 'admitted',
    windows: 'first-request',
    name: 'fixed window (started by the first request)',
  },
  { algorithm: 'sliding-log', counted: 'admitted', name: 'sliding window' },
  { algorithm: 'sliding-log', counted: 'all', name: 'sliding window (rejections count)' },
  { algorithm: 'token-bucket', counted: 'admitted', name: 'token bucket' },
  { algorithm: 'sliding-counter', counted: 'admitted', windows: 'grid', name: 'sliding counter' },
  {
    algorithm: 'sliding-counter',
    counted: 'all',
    windows: 'grid',
    name: 'sliding counter (rejections count)',
  },
  {
    algorithm: 'sliding-counter',
    counted: 'admitted',
    windows: 'first-request',
    name: 'sliding counter (windows started by a request)',
  },
  {
    algorithm: 'sliding-counter',
    counted: 'all',
    windows: 'first-request',
    name: 'sliding counter (windows started by a request, rejections count)',
  },
];

/**
 * The most that an honest limiter of this kind admits in a trailing window: a window's limit at each end, or a full
 * bucket and its refill.
 */
export function mostPerTrailingWindow(algorithm: Algorithm, limit: number): number {
  return algorithm === 'sliding-log' ? limit : 2 * limit;
}

/** The candidates of one algorithm, or all. */
export function candidatesFor(algorithm: Algorithm | undefined): readonly Candidate[] {
  return candidates.filter((each) => algorithm === undefined || each.algorithm === algorithm);
}

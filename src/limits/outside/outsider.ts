import type { Refuted } from '../inference.ts';
import type { PromisedLimit } from '../kinds/kind.ts';
import type { Contender } from '../ranking.ts';
import type { Span } from '../span.ts';
import type { View } from '../view.ts';

/** A queue in front of the target that delays instead of rejecting. */
export interface QueueFit {
  readonly perS: number;
  /** The longest wait. Milliseconds. */
  readonly longestMs: number;
}

/** What explanations other than a limiter of requests per time on one counter start from. */
export interface OutsiderEvidence {
  readonly views: readonly View[];
  /** The `seq` of a rejection, if there was one. */
  readonly refusal: number | undefined;
  /** Enough requests have an answer that tells. */
  readonly isTold: boolean;
  readonly queue: QueueFit | undefined;
  /** The queue that rejects, if there is one. */
  readonly bounded: Contender | undefined;
  /** The windows that are possible, and the times between two tokens. */
  readonly windows: Span;
  readonly intervals: Span;
  readonly promised: PromisedLimit | undefined;
  /** A limiter on one counter, or an explanation before this one, may be the truth. */
  readonly isOneCounter: boolean;
  /** One of them gets next to nothing wrong. */
  readonly isClose: boolean;
}

/** What is particular to an explanation that survives. */
export type Estimate = Partial<Contender> & Pick<Contender, 'degreesOfFreedom'>;

/** An explanation of answers other than a limiter of requests per time on one counter. */
export interface Outsider {
  readonly id: string;
  /** For sentences: "a ⟨name⟩". */
  readonly name: string;
  /** What it is if it may be the truth, else why it cannot; undefined where nothing is said of it. */
  readonly explain: (seen: OutsiderEvidence) => Estimate | Omit<Refuted, 'algorithm'> | undefined;
}

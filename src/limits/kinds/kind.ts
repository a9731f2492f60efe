import type { Span } from '../span.ts';
import type { View } from '../view.ts';

/** A limit that a target is held to. */
export interface PromisedLimit {
  readonly requests: number;
  readonly windowNs: number;
}

/** Where a limiter's windows or refill intervals begin. */
export type WindowPhase = 'clock-aligned' | 'unaligned' | 'first-request' | 'each-first-request';

/** The limiter algorithms that a target can promise. */
export type Algorithm = 'fixed-window' | 'sliding-log' | 'sliding-counter' | 'token-bucket';

/** A box of a kind's parameters, the limit apart. */
export interface Box {
  /** The window's length; of a bucket, the time that a token takes to come. */
  readonly scale: Span;
  /** For windows on a grid and interval refills: where one boundary lies, on the traces' clock. */
  readonly boundary: Span | undefined;
}

/** Parameters of a kind that explain a trace. */
export interface KnownBox extends Box {
  readonly limits: Between;
}

/** Which requests are tested against a kind: the few most telling ones, or all. */
export type Thoroughness = 'critical' | 'every';

/** A kind with all parameters settled. Plain data. */
export interface Settled {
  /** The `keyOf` the kind. */
  readonly kind: string;
  /** The limit per window; of a bucket, its burst. */
  readonly limit: number;
  /** The window's length; of a bucket, the time that a token takes to come. */
  readonly scaleNs: number;
  /** For windows on a grid and interval refills: one of the boundaries. */
  readonly boundaryNs: number;
  /** The length of a block started by a rejection; a window's length by default. */
  readonly blockNs?: number;
  /** Of a sliding counter: whether the request itself has to fit as well (load + 1 <= limit). */
  readonly isStrict?: boolean;
}

/** A limiter at work: one decision per arrival, instants ascending. It continues from `passed`, the real decision, if given. */
export type Decide = (atNs: number, passed?: boolean) => boolean;

/** Is told what a limiter has counted when a request arrives. */
export type LoadListener = (load: number) => void;

/** The bounds on a limiter's count when each request reached it, by index of the trace. */
export interface LoadBounds {
  readonly least: ArrayLike<number>;
  readonly most: ArrayLike<number>;
}

/** A limiter that keeps the promised limit in an unusual way. */
export interface Likeness {
  /** For sentences: "looks like a ⟨name⟩". */
  readonly name: string;
  readonly scaleNs: number;
  readonly limits: readonly number[];
  /** The length of a tick of the limiter's clock, if it is a coarse one. */
  readonly clockTickNs?: number;
  /** The coarser variants of the kind count as it, too. */
  readonly withCoarser?: boolean;
  /** It may reject below the limit, and keeps the promise only in a run where it did not. */
  readonly mayRejectBelow?: boolean;
}

/** Whether a limiter of the promised limit may have rejected the request at an index, by the reading easiest on it. */
export type MayRefuse = (view: View, promised: PromisedLimit) => (index: number) => boolean;

/** One kind of limiter: everything that is particular to it. */
export interface LimiterKind {
  readonly id: string;
  /** Of several variants of one kind, which. */
  readonly variant?: string;
  /** For sentences: "a ⟨name⟩ of 900 per 60 s". */
  readonly name: string;
  /** A launch's load is compared with this kind where this algorithm, or none, is promised. */
  readonly algorithm?: Algorithm;
  /** A study that finds this kind confirms the promise of this algorithm. */
  readonly keeps?: Algorithm;
  /** Whether rejected requests spend the limit too, or extend it; null where no observation can tell. */
  readonly rejectsCount: boolean | null;
  /** Free parameters, to break ties. */
  readonly degreesOfFreedom: number;
  /** The same kind with a coarser arithmetic, the finest first: for when no kind explains the answers. */
  readonly coarser?: readonly LimiterKind[];

  /** What the scale is the length of. */
  readonly scale: 'window' | 'token';
  /** Between the boundaries whose phase has to be found: a window, or this number of nanoseconds. */
  readonly period?: 'window' | number;
  readonly phase: WindowPhase | null;
  /** After this many windows, no earlier request counts. Two where the window before is weighed. */
  readonly remembersWindows: 1 | 2;
  /** Its count starts again at zero at the end of a window. */
  readonly startsAnew?: boolean;
  /** Its count is one of several nodes' as well, once all of them are full. */
  readonly addsUp?: boolean;
  /** How rejections move the end of a window: by a block from the first one, or by a window from each. */
  readonly prolongedBy?: 'first rejection' | 'each rejection';
  /** Deployed ones differ in whether the request itself has to fit as well. */
  readonly maybeStrict?: boolean;
  /** The most that an honest one admits in any window's time, in limits: one at each end, or a full bucket and its refill. */
  readonly mostPerWindow: 1 | 2;

  /** A fresh limiter for one key. It tells `note` its count at each arrival. */
  readonly decide: (settled: Settled, note?: LoadListener) => Decide;
  /** Narrows `range` to limits for which some parameters in the box may explain the trace; stops once it is empty. */
  readonly narrow: (view: View, box: Box, range: LimitRange, thoroughness: Thoroughness) => void;
  /** The same for every phase or start of windows, in few steps. */
  readonly narrowAnyPhase?: (view: View, scale: Span, range: LimitRange) => void;
  /** Bounds on its count in a box, for every arrival within the round trips. */
  readonly loads: (view: View, box: Box) => LoadBounds;
  /** The states that it can have been in. */
  readonly states: (view: View, box: KnownBox) => StateAfter;
  readonly mayRefuse?: MayRefuse;
  readonly likenesses?: (promised: PromisedLimit, block: Span) => readonly Likeness[];
}

/** Different for every variant of every kind. */
export function keyOf({ id, variant }: LimiterKind): string {
  return variant === undefined ? id : `${id} (${variant})`;
}

/** A kind's scale at a limit per window. */
export function scaleNsOf({ scale }: LimiterKind, limit: number, windowNs: number): number {
  return scale === 'token' ? windowNs / limit : windowNs;
}

/** The window of a kind at a limit. */
export function windowNsOf({ scale }: LimiterKind, limit: number, scaleNs: number): number {
  return scale === 'token' ? scaleNs * limit : scaleNs;
}

/** The bounds on a count as an interval. */
export function loadAt({ least, most }: LoadBounds, i: number): Between {
  return { least: least[i] as number, most: most[i] as number };
}

/** A number between two bounds, either of which may be infinite. */
export interface Between {
  readonly least: number;
  readonly most: number;
}

/** The possible state of a limiter right after an answer. */
export interface State {
  /** Requests that it would still have admitted; 0 after a rejection. */
  readonly left: Between;
  /** After a rejection: when it would next admit a request, if none came before. */
  readonly free: Span;
  /**
   * What a reset may name: the end of the window; without one, any instant from the next free place to the last.
   */
  readonly reset: Span;
}

/** The state after the answer at an index of the trace. */
export type StateAfter = (index: number) => State;

export const noneLeft: Between = { least: 0, most: 0 };
export const anyTime: Span = { loNs: Number.NEGATIVE_INFINITY, hiNs: Number.POSITIVE_INFINITY };

/** The rest of a limit after one more request than `load` was counted. */
export function leftAfter(limits: Between, load: Between): Between {
  return { least: limits.least - load.most - 1, most: limits.most - load.least - 1 };
}

/** What holds if either of two states may be the true one. */
export function eitherState(a: State, b: State): State {
  return {
    left: { least: Math.min(a.left.least, b.left.least), most: Math.max(a.left.most, b.left.most) },
    free: eitherSpan(a.free, b.free),
    reset: eitherSpan(a.reset, b.reset),
  };
}

function eitherSpan(a: Span, b: Span): Span {
  return { loNs: Math.min(a.loNs, b.loNs), hiNs: Math.max(a.hiNs, b.hiNs) };
}

/**
 * The whole limits L for which one limiter model explains the answers so far. It starts as every limit from 0 and
 * only narrows: an admitted request raises `min`, a rejected one lowers `max`. Empty once min > max.
 */
export class LimitRange {
  min = 0;
  max = Number.POSITIVE_INFINITY;
  /** Indexes in the trace of the requests that set `min` and `max`; -1 before anything did. */
  minSetBy = -1;
  maxSetBy = -1;
  /** Added to the indexes: where the current trace starts when several are judged together. */
  base = 0;

  /** L is at least `least`, since request `index` was admitted. */
  atLeast(least: number, index: number): void {
    if (least <= this.min) return;
    this.min = least;
    this.minSetBy = this.base + index;
  }

  /** L is at most `most`, since request `index` was rejected. */
  atMost(most: number, index: number): void {
    if (most >= this.max) return;
    this.max = most;
    this.maxSetBy = this.base + index;
  }

  /** No limit explains request `index`. */
  refute(index: number): void {
    this.atLeast(Number.MAX_SAFE_INTEGER, index);
    this.atMost(0, index);
  }

  get isEmpty(): boolean {
    return this.min > this.max;
  }

  includes(limit: number): boolean {
    return this.min <= limit && limit <= this.max;
  }
}

/** What admissions alone ask of the limit. */
export class LimitFromAdmissions extends LimitRange {
  override atMost(): void {}
}

/** The bounds on the limit from rejections only. */
export class LimitFromRefusals extends LimitRange {
  override atLeast(): void {}
}

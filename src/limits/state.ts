import type { Span } from './span.ts';

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

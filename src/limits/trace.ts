/**
 * What a limiter's scope (one key, or all keys together) was asked and answered, as seen from outside. The limiter
 * looked at request i at some instant within [sentNs[i], answeredNs[i]] that nobody outside can know; i came surely
 * before j only if answeredNs[i] < sentNs[j].
 */
export interface Trace {
  readonly length: number;
  /** Ascending. Nanoseconds on any one clock. */
  readonly sentNs: Float64Array;
  /** The latest instant at which the limiter can have seen the request. */
  readonly answeredNs: Float64Array;
  readonly outcome: Uint8Array;
  /** The requests' numbers in the history. */
  readonly seq: Float64Array;
}

/** The limiter let it pass. */
export const admitted = 0;
/** The limiter refused it. */
export const limited = 1;
/** It may or may not have reached the limiter, or may or may not have been counted there: no answer, or an answer
 * from a layer that may stand before the limiter. It bounds nothing itself, and widens the bounds of others. */
export const ambiguous = 2;
export type Outcome = typeof admitted | typeof limited | typeof ambiguous;

/** One request of a trace. */
export interface TraceRequest {
  readonly seq: number;
  readonly sentNs: number;
  readonly answeredNs: number;
  readonly outcome: Outcome;
}

/** Puts requests, given in any order, into the order of sending. */
export function traceOf(requests: readonly TraceRequest[]): Trace {
  const ordered = requests.toSorted((a, b) => a.sentNs - b.sentNs || a.seq - b.seq);
  return {
    length: ordered.length,
    sentNs: Float64Array.from(ordered, (r) => r.sentNs),
    answeredNs: Float64Array.from(ordered, (r) => r.answeredNs),
    outcome: Uint8Array.from(ordered, (r) => r.outcome),
    seq: Float64Array.from(ordered, (r) => r.seq),
  };
}

/** The `seq` of the trace's request at `index`, for evidence. */
export function seqAt(trace: Trace, index: number): number {
  return trace.seq[index] ?? Number.NaN;
}

/** How many requests of the trace had this outcome. */
export function countOutcome(trace: Trace, outcome: Outcome): number {
  let count = 0;
  for (const each of trace.outcome) if (each === outcome) count++;
  return count;
}

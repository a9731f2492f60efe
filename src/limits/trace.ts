/**
 * The requests and answers of a limiter's scope (one key, or all keys together), as seen from outside. The limiter
 * judged request i at some unknown instant within [sentNs[i], answeredNs[i]]; i surely came before j only if
 * answeredNs[i] < sentNs[j].
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
/** The limiter rejected it. */
export const limited = 1;
/**
 * It may not have reached the limiter, or have been rejected: no answer, or one from a time of which nothing is known. It bounds
 * nothing, and widens the bounds of others.
 */
export const ambiguous = 2;
/** Another layer answered, before the limiter or behind it: it may be counted, and was not rejected. Otherwise as `ambiguous`. */
export const notRejected = 4;
/** It is not known whether this limiter counts such requests. Otherwise as `ambiguous`, whatever the answer was. */
export const outOfScope = 3;
export type RequestOutcome =
  | typeof admitted
  | typeof limited
  | typeof ambiguous
  | typeof outOfScope
  | typeof notRejected;

/** Whether the limiter surely admitted or rejected the request. */
export function isDecided(outcome: number | undefined): outcome is typeof admitted | typeof limited {
  return outcome === admitted || outcome === limited;
}

/** The `seq` of the trace's request at `index`, for evidence. */
export function seqAt(trace: Trace, index: number): number {
  return trace.seq[index] ?? Number.NaN;
}

/** How many requests of the trace had this outcome. */
export function countOutcome(trace: Trace, outcome: RequestOutcome): number {
  let count = 0;
  for (const each of trace.outcome) if (each === outcome) count++;
  return count;
}

/** Some of a trace's requests. */
export function traceWhere(
  { answeredNs, outcome, sentNs, seq }: Trace,
  isWanted: (index: number) => boolean,
): Trace {
  const kept = (_value: number, i: number): boolean => isWanted(i);
  const outcomes = outcome.filter(kept);
  return {
    length: outcomes.length,
    outcome: outcomes,
    sentNs: sentNs.filter(kept),
    answeredNs: answeredNs.filter(kept),
    seq: seq.filter(kept),
  };
}

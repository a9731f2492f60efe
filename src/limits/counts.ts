import { countBelow, countUpTo } from './sorted.ts';
import { admitted, ambiguous, limited, type Trace } from './trace.ts';

/** Which requests a limiter adds to its count: those it lets pass, or refused ones as well. */
export type Counted = 'admitted' | 'all';

/**
 * The requests that a limiter counts, ready for bounds in O(log n): `sure` ones were counted without doubt, `may` ones
 * (a superset) perhaps. Every array is ascending.
 */
export interface Counts {
  readonly sureSentNs: Float64Array;
  readonly sureAnsweredNs: Float64Array;
  readonly maySentNs: Float64Array;
  readonly mayAnsweredNs: Float64Array;
  /** For each request of the trace: how many counted ones surely came before it (answered before it was sent). */
  readonly surelyBefore: Int32Array;
  /** For each request of the trace: how many counted ones may have come before it (sent before it was answered). */
  readonly maybeBefore: Int32Array;
  /** For each request of the trace: how many that may be counted were answered before it was sent. */
  readonly settledBefore: Int32Array;
}

/** Prepares a trace for a limiter that counts `counted`. O(n log n). */
export function countsOf(trace: Trace, counted: Counted): Counts {
  const isSure = (i: number): boolean =>
    trace.outcome[i] === admitted || (counted === 'all' && trace.outcome[i] === limited);
  const isMay = (i: number): boolean => isSure(i) || trace.outcome[i] === ambiguous;
  const sureSentNs = ascending(trace.sentNs, isSure);
  const sureAnsweredNs = ascending(trace.answeredNs, isSure);
  const maySentNs = ascending(trace.sentNs, isMay);
  const mayAnsweredNs = ascending(trace.answeredNs, isMay);
  const surelyBefore = new Int32Array(trace.length);
  const maybeBefore = new Int32Array(trace.length);
  const settledBefore = new Int32Array(trace.length);
  for (let i = 0; i < trace.length; i++) {
    surelyBefore[i] = countBelow(sureAnsweredNs, trace.sentNs[i] as number);
    maybeBefore[i] = countUpTo(maySentNs, trace.answeredNs[i] as number) - (isMay(i) ? 1 : 0);
    settledBefore[i] = countBelow(mayAnsweredNs, trace.sentNs[i] as number);
  }
  return { sureSentNs, sureAnsweredNs, maySentNs, mayAnsweredNs, surelyBefore, maybeBefore, settledBefore };
}

function ascending(instants: Float64Array, keep: (index: number) => boolean): Float64Array {
  const kept = new Float64Array(instants.length);
  let length = 0;
  for (let index = 0; index < instants.length; index++)
    if (keep(index)) kept[length++] = instants[index] as number;
  return kept.subarray(0, length).sort();
}

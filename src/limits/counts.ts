import { countBelow, countUpTo, sortedNearly } from './sorted.ts';
import { admitted, isDecided, limited, type Trace } from './trace.ts';

/** Which requests a limiter adds to its count: admitted ones, or rejected ones as well. */
export type Counted = 'admitted' | 'all';

/**
 * The requests that a limiter counts: `sure` ones were counted without doubt, `may` ones (a superset) perhaps. Every array
 * is ascending.
 */
interface CountedInstants {
  readonly sureSentNs: Float64Array;
  readonly sureAnsweredNs: Float64Array;
  readonly maySentNs: Float64Array;
  readonly mayAnsweredNs: Float64Array;
}

/** The requests that a limiter counts, ready for bounds in O(log n). */
export interface Counts extends CountedInstants {
  /** For each request of the trace: how many counted ones surely came before it (answered before it was sent). */
  readonly surelyBefore: Int32Array;
  /** For each request of the trace: how many counted ones may have come before it (sent before it was answered). */
  readonly maybeBefore: Int32Array;
  /** For each request of the trace: how many that may be counted were answered before it was sent. */
  readonly settledBefore: Int32Array;
}

/** When the requests that a limiter counts reached it. O(n log n). */
export function countedInstants({ outcome, sentNs, answeredNs }: Trace, counted: Counted): CountedInstants {
  const isSure = (i: number): boolean =>
    outcome[i] === admitted || (counted === 'all' && outcome[i] === limited);
  const isMay = (i: number): boolean => isSure(i) || !isDecided(outcome[i]);
  return {
    sureSentNs: chosen(sentNs, isSure),
    sureAnsweredNs: sortedNearly(chosen(answeredNs, isSure)),
    maySentNs: chosen(sentNs, isMay),
    mayAnsweredNs: sortedNearly(chosen(answeredNs, isMay)),
  };
}

/** Prepares a trace for a limiter that counts `counted`. O(n log n). */
export function countsOf(trace: Trace, counted: Counted): Counts {
  const instants = countedInstants(trace, counted);
  const { sureAnsweredNs, maySentNs, mayAnsweredNs } = instants;
  const mayCount = (i: number): number => (counted === 'all' || trace.outcome[i] !== limited ? 1 : 0);
  const surelyBefore = new Int32Array(trace.length);
  const maybeBefore = new Int32Array(trace.length);
  const settledBefore = new Int32Array(trace.length);
  for (let i = 0; i < trace.length; i++) {
    surelyBefore[i] = countBelow(sureAnsweredNs, trace.sentNs[i] as number);
    maybeBefore[i] = countUpTo(maySentNs, trace.answeredNs[i] as number) - mayCount(i);
    settledBefore[i] = countBelow(mayAnsweredNs, trace.sentNs[i] as number);
  }
  return { ...instants, surelyBefore, maybeBefore, settledBefore };
}

function chosen(instants: Float64Array, keep: (index: number) => boolean): Float64Array {
  const kept = new Float64Array(instants.length);
  let length = 0;
  for (let index = 0; index < instants.length; index++)
    if (keep(index)) kept[length++] = instants[index] as number;
  return kept.slice(0, length);
}

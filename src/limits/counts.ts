import { countBelow, countUpTo, orderOf, sortedNearly, valuesAt } from './arrays.ts';
import { clockSlackNs } from './span.ts';
import { admitted, isDecided, limited, type RequestOutcome, type Trace } from './trace.ts';

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
function countedInstants({ outcome, sentNs, answeredNs }: Trace, counted: Counted): CountedInstants {
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

/** Some of a trace's requests, in order of sending. */
export interface SubsetOfRequests {
  readonly length: number;
  /** Where in the trace they are. */
  readonly index: Int32Array;
  readonly sentNs: Float64Array;
  readonly answeredNs: Float64Array;
  /** For each, the latest answer to it or to any sent before it. Ascending. */
  readonly latestAnswerNs: Float64Array;
  /** For each, the earliest answer to it or to any sent after it. Ascending. */
  readonly earliestAnswerNs: Float64Array;
}

/** The requests whose outcome is wanted. */
export function subsetOf(trace: Trace, isWanted: (outcome: RequestOutcome) => boolean): SubsetOfRequests {
  const all = new Int32Array(trace.length);
  let length = 0;
  for (let i = 0; i < trace.length; i++) if (isWanted(trace.outcome[i] as RequestOutcome)) all[length++] = i;
  const index = all.slice(0, length);
  const answeredNs = valuesAt(trace.answeredNs, index);
  return {
    length,
    index,
    sentNs: valuesAt(trace.sentNs, index),
    answeredNs,
    latestAnswerNs: runningMaximum(answeredNs),
    earliestAnswerNs: runningMinimum(answeredNs.toReversed()).reverse(),
  };
}

/** Requests in the order of their answers, with the latest send time so far. */
interface ByAnswer {
  readonly answeredNs: Float64Array;
  readonly sentNs: Float64Array;
  readonly latestSentNs: Float64Array;
}

export function byAnswer({ answeredNs, sentNs }: SubsetOfRequests): ByAnswer {
  const order = orderOf(answeredNs);
  const sent = valuesAt(sentNs, order);
  return {
    answeredNs: valuesAt(answeredNs, order),
    sentNs: sent,
    latestSentNs: runningMaximum(sent),
  };
}

/** The last send time of those that were answered before an instant; −∞ without any. */
export function lastSentOf({ answeredNs, latestSentNs }: ByAnswer, beforeNs: number): number {
  return latestSentNs[countBelow(answeredNs, beforeNs) - 1] ?? Number.NEGATIVE_INFINITY;
}

function runningMaximum(values: Float64Array): Float64Array {
  let most = Number.NEGATIVE_INFINITY;
  return values.map((value) => {
    most = Math.max(most, value);
    return most;
  });
}

function runningMinimum(values: Float64Array): Float64Array {
  return runningMaximum(values.map((value) => -value)).map((value) => -value);
}

/** The most counted requests in any window of a given length at any position, as far as known. */
export interface TrailingMost {
  /** Surely as many were in one window. */
  readonly atLeast: number;
  /** At most as many can have been in any window. */
  readonly atMost: number;
  /** The window that surely holds `atLeast`. Nanoseconds on the trace's clock. */
  readonly beginNs: number;
  readonly endNs: number;
}

/** The most in any window of `windowNs`, independent of any limiter model. O(n log n). */
export function trailingMost(trace: Trace, counted: Counted, windowNs: number): TrailingMost {
  const { sureSentNs, sureAnsweredNs, maySentNs, mayAnsweredNs } = countedInstants(trace, counted);
  const slackNs = clockSlackNs(windowNs);
  let atLeast = 0;
  let beginNs = 0;
  // Instants ascend, and so do the counts before them, so counting continues instead of searching again.
  for (let j = 0, answered = 0, before = 0; j < sureSentNs.length; j++) {
    const sentNs = sureSentNs[j] as number;
    while ((sureAnsweredNs[answered] as number) < sentNs + windowNs - slackNs) answered++;
    while ((sureSentNs[before] as number) < sentNs) before++;
    const inside = answered - before;
    if (inside <= atLeast) continue;
    atLeast = inside;
    beginNs = sentNs;
  }
  let atMost = 0;
  for (let j = 0, upTo = 0, gone = 0; j < maySentNs.length; j++) {
    const sentNs = maySentNs[j] as number;
    while ((maySentNs[upTo] as number) <= sentNs) upTo++;
    while ((mayAnsweredNs[gone] as number) < sentNs - windowNs - slackNs) gone++;
    atMost = Math.max(atMost, upTo - gone);
  }
  return { atLeast, atMost, beginNs, endNs: beginNs + windowNs };
}

/** How many counted requests were surely in the window that ended when request `i` arrived, itself left out. */
export function leastInTrailingWindow(trace: Trace, counts: Counts, windowNs: number, i: number): number {
  const opensNs = (trace.answeredNs[i] as number) - windowNs + clockSlackNs(windowNs);
  return Math.max(0, (counts.surelyBefore[i] as number) - countUpTo(counts.sureSentNs, opensNs));
}

/** How many counted requests may have been in the window that ended when request `i` arrived, itself left out. */
export function mostInTrailingWindow(trace: Trace, counts: Counts, windowNs: number, i: number): number {
  const opensNs = (trace.sentNs[i] as number) - windowNs - clockSlackNs(windowNs);
  return (counts.maybeBefore[i] as number) - countBelow(counts.mayAnsweredNs, opensNs);
}

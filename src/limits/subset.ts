import { countBelow, orderOf } from './sorted.ts';
import type { RequestOutcome, Trace } from './trace.ts';
import { valuesAt } from './typed.ts';

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

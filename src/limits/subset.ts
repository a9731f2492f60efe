import type { RequestOutcome, Trace } from './trace.ts';

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
  const at = (instants: Float64Array): Float64Array => {
    const own = new Float64Array(length);
    for (let i = 0; i < length; i++) own[i] = instants[index[i] as number] as number;
    return own;
  };
  const answeredNs = at(trace.answeredNs);
  return {
    length,
    index,
    sentNs: at(trace.sentNs),
    answeredNs,
    latestAnswerNs: runningMaximum(answeredNs),
    earliestAnswerNs: runningMinimum(answeredNs.toReversed()).reverse(),
  };
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

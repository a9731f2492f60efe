import type { RequestOutcome, Trace } from '../../src/limits/trace.ts';

/** One request of a trace. */
export interface TraceRequest {
  readonly seq: number;
  readonly sentNs: number;
  readonly answeredNs: number;
  readonly outcome: RequestOutcome;
}

/** Puts requests, given in any order, into the order of sending. */
export function traceOf(requests: readonly TraceRequest[]): Trace {
  const { length } = requests;
  const trace = {
    length,
    sentNs: new Float64Array(length),
    answeredNs: new Float64Array(length),
    outcome: new Uint8Array(length),
    seq: new Float64Array(length),
  };
  inOrder(requests).forEach(({ answeredNs, outcome, sentNs, seq }, at) => {
    trace.sentNs[at] = sentNs;
    trace.answeredNs[at] = answeredNs;
    trace.outcome[at] = outcome;
    trace.seq[at] = seq;
  });
  return trace;
}

function inOrder(requests: readonly TraceRequest[]): readonly TraceRequest[] {
  const isOrdered = requests.every((each, at) => {
    const before = requests[at - 1];
    return before === undefined || before.sentNs < each.sentNs;
  });
  return isOrdered ? requests : requests.toSorted((a, b) => a.sentNs - b.sentNs || a.seq - b.seq);
}

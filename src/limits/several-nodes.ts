import {
  admitted,
  ambiguous,
  limited,
  type RequestOutcome,
  type Trace,
  type TraceRequest,
  traceOf,
} from './trace.ts';

/**
 * After this many rejections in a row every node counts as full: among eight, a node with room would have been met.
 */
const allFullAfter = 40;

/** A trace as seen by the slowest-filling of several nodes' counters, and the rejections left out for that. */
export interface Unmixed {
  readonly trace: Trace;
  /** `seq`s of rejections that came while other requests were still admitted. */
  readonly mixed: readonly number[];
}

/**
 * Several nodes with separate counters behind a balancer: once the first is full, rejections and admissions mix until
 * the last is. Without the mixed rejections, the rest looks like one limiter with the sum of the limits.
 */
export function unmix(trace: Trace): Unmixed {
  const kept: TraceRequest[] = [];
  const mixed: number[] = [];
  let inARow = 0;
  for (let i = 0; i < trace.length; i++) {
    const outcome = trace.outcome[i] as RequestOutcome;
    const seq = trace.seq[i] as number;
    if (outcome === limited) inARow++;
    else if (outcome !== ambiguous) inARow = 0;
    if (outcome === limited && inARow <= allFullAfter) mixed.push(seq);
    else
      kept.push({
        seq,
        sentNs: trace.sentNs[i] as number,
        answeredNs: trace.answeredNs[i] as number,
        outcome,
      });
  }
  return { trace: traceOf(kept), mixed };
}

/** Whether admissions and rejections mixed as with several nodes: rejections between admissions, often. */
export function isMixed(trace: Trace): boolean {
  let changes = 0;
  let last: number | undefined;
  for (const outcome of trace.outcome) {
    if (outcome === ambiguous) continue;
    if (last === limited && outcome === admitted) changes++;
    last = outcome;
  }
  return changes >= 10;
}

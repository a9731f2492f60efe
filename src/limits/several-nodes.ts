import {
  admitted,
  ambiguous,
  limited,
  type Outcome,
  type Trace,
  type TraceRequest,
  traceOf,
} from './trace.ts';

/** After so many refusals in a row every node is taken to be full: among eight, one with room would be met by then. */
const allFullAfter = 40;

/** A trace as the slowest-filling of several nodes' counters would have given it, and the refusals left out for that. */
export interface Unmixed {
  readonly trace: Trace;
  /** `seq`s of refusals that came while other requests were still admitted. */
  readonly mixed: readonly number[];
}

/**
 * Several nodes with counters of their own behind a balancer: once the first is full, refusals and admissions mix until
 * the last is. Without the mixed refusals what is left looks like one limiter of all nodes' limits together.
 */
export function unmix(trace: Trace): Unmixed {
  const kept: TraceRequest[] = [];
  const mixed: number[] = [];
  let inARow = 0;
  for (let i = 0; i < trace.length; i++) {
    const outcome = trace.outcome[i] as Outcome;
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

/** Whether admissions and refusals mixed as several nodes make them: refusals between admissions, often. */
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

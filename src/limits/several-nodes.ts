import { admitted, ambiguous, limited, type Trace } from './trace.ts';

/**
 * After this many rejections in a row every node counts as full: among eight, a node with room would have been met.
 */
const allFullAfter = 40;

/**
 * Several nodes with separate counters behind a balancer: once the first is full, rejections and admissions mix until
 * the last is. Without the mixed rejections, the rest looks like one limiter with the sum of the limits.
 */
export function unmix(trace: Trace): Trace {
  let inARow = 0;
  const isKept = Uint8Array.from(trace.outcome, (outcome) => {
    if (outcome === limited) inARow++;
    else if (outcome !== ambiguous) inARow = 0;
    return outcome === limited && inARow <= allFullAfter ? 0 : 1;
  });
  const kept = (_value: number, i: number): boolean => isKept[i] === 1;
  const outcome = trace.outcome.filter(kept);
  return {
    length: outcome.length,
    outcome,
    sentNs: trace.sentNs.filter(kept),
    answeredNs: trace.answeredNs.filter(kept),
    seq: trace.seq.filter(kept),
  };
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

import type { Decide } from './deciders.ts';
import { admitted, ambiguous, limited, type Trace } from './trace.ts';

/** A trace's requests in the order in which they are taken to have arrived: each halfway through its round trip. */
export interface Arrivals {
  readonly atNs: Float64Array;
  readonly outcome: Uint8Array;
}

/** A request without an answer is taken to have arrived as soon as it was sent. */
export function arrivalsOf(trace: Trace): Arrivals {
  const arrival = trace.sentNs.map((sent, i) => {
    const answered = trace.answeredNs[i] as number;
    return trace.outcome[i] === ambiguous ? sent : (sent + answered) / 2;
  });
  const order = Int32Array.from(arrival, (_, i) => i).sort(
    (a, b) => (arrival[a] as number) - (arrival[b] as number),
  );
  return {
    atNs: Float64Array.from(order, (i) => arrival[i] as number),
    outcome: Uint8Array.from(order, (i) => trace.outcome[i] as number),
  };
}

/** How many answers differ from what `decide` says; counts no further than `enough`. */
export function mismatches({ atNs, outcome }: Arrivals, decide: Decide, enough = Infinity): number {
  let count = 0;
  for (let k = 0; k < atNs.length && count < enough; k++) {
    const passes = decide(atNs[k] as number);
    if (outcome[k] === (passes ? limited : admitted)) count++;
  }
  return count;
}
